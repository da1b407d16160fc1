#include "plumb/solver/cone_interior.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <Eigen/Dense>

#include "plumb/solver/cone_newton.h"

namespace plumb {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

constexpr int most_iterations = 60, most_shifts = 24;
constexpr double near_border = 0.99;  // of the way to it

// x0² - |x1|² of the cone x0 >= |x1|.
double determinant(const Vec3& x) { return x[0] * x[0] - x[1] * x[1] - x[2] * x[2]; }

// x o y, the product of the cone.
Vec3 product(const Vec3& x, const Vec3& y) { return {x.dot(y), x[0] * y[1] + y[0] * x[1], x[0] * y[2] + y[0] * x[2]}; }

// y with x o y = z.
Vec3 quotient(const Vec3& z, const Vec3& x) {
  const double across = x[1] * z[1] + x[2] * z[2], first = (x[0] * z[0] - across) / determinant(x);
  return {first, (z[1] - first * x[1]) / x[0], (z[2] - first * x[2]) / x[0]};
}

// The symmetric W with W z = W⁻¹ x.
Mat3 scaling(const Vec3& x, const Vec3& z) {
  const double dx = std::sqrt(determinant(x)), dz = std::sqrt(determinant(z));
  const Vec3 a = x / dx, b = z / dz;
  const double g = std::sqrt((1 + a.dot(b)) / 2);
  const Vec3 w = (a + Vec3(b[0], -b[1], -b[2])) / (2 * g);
  Mat3 W;
  W << w[0], w[1], w[2], w[1], 1 + w[1] * w[1] / (1 + w[0]), w[1] * w[2] / (1 + w[0]), w[2], w[1] * w[2] / (1 + w[0]),
      1 + w[2] * w[2] / (1 + w[0]);
  return std::sqrt(dx / dz) * W;
}

// The longest step from x along d that stays in the cone.
double way_to_border(const Vec3& x, const Vec3& d) {
  double way = d[0] < 0 ? -x[0] / d[0] : std::numeric_limits<double>::infinity();
  const double a = determinant(d), b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2], c = determinant(x);
  const double root = b * b - a * c;
  if (!(root >= 0)) return way;
  // Roots of a s² + 2 b s + c without cancellation.
  const double q = -(b + std::copysign(std::sqrt(root), b));
  for (double s : {q / a, c / q})
    if (s > 0) way = std::min(way, s);
  return way;
}

// The convex problem in x = (mu p_n, p_t), for which all cones are alike; without friction (p_n) alone, in the first
// component of a cone that is a ray.
class Interior {
 public:
  // Contacts whose slip is given are without friction here.
  explicit Interior(const ConeProblem& problem) : k_(problem.contacts), mu_(static_cast<std::size_t>(k_)) {
    for (int c = 0; c < k_; ++c) {
      const bool slips = !problem.slip.empty() && problem.slip[c];
      mu_[c] = slips ? 0 : problem.mu[c];
    }
    const int n = 3 * k_;
    Q_.resize(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) Q_(i, j) = factor(i) * factor(j) * problem.D[i * n + j];
  }

  bool has_friction(int c) const { return mu_[c] > 0; }

  // The least of ½ p.D p + b.p; false: no way was found.
  bool solve(const Vector& b, Vector& p) {
    const int n = 3 * k_;
    q_ = b;
    for (int i = 0; i < n; ++i) q_[i] *= factor(i);
    const double asked = q_.cwiseAbs().maxCoeff(), give = Q_.diagonal().maxCoeff();
    if (!(asked > 0) || !(give > 0)) return false;
    x_ = z_ = Vector::Zero(n);
    for (int c = 0; c < k_; ++c) {
      x_[3 * c] = asked / give;
      z_[3 * c] = asked;
    }
    const double enough = 1e-14 * asked * asked / give;
    for (int i = 0; i < most_iterations && x_.dot(z_) / k_ > enough; ++i)
      if (!advance()) break;
    if (!x_.allFinite() || !(x_.dot(z_) / k_ < 1e-6 * asked * asked / give)) return false;
    p.resize(n);
    for (int i = 0; i < n; ++i) p[i] = factor(i) * x_[i];
    return true;
  }

 private:
  double factor(int i) const {
    const double mu = mu_[i / 3];
    return i % 3 == 0 ? (mu > 0 ? 1 / mu : 1) : (mu > 0 ? 1 : 0);
  }
  Vec3 part(const Vector& x, int c) const { return x.segment<3>(3 * c); }

  bool advance() {
    const int n = 3 * k_;
    const double gap = x_.dot(z_) / k_;
    residual_ = Q_ * x_ + q_ - z_;
    M_ = Q_;
    W_.resize(static_cast<std::size_t>(k_));
    for (int c = 0; c < k_; ++c) {
      if (!has_friction(c)) {
        residual_.segment<2>(3 * c + 1).setZero();
        M_(3 * c, 3 * c) += z_[3 * c] / x_[3 * c];
        M_(3 * c + 1, 3 * c + 1) = M_(3 * c + 2, 3 * c + 2) = 1;
        continue;
      }
      const Vec3 x = part(x_, c), z = part(z_, c);
      if (!(determinant(x) > 0 && determinant(z) > 0)) return false;
      W_[c] = scaling(x, z);
      const Mat3 inverse = W_[c].inverse();
      M_.block<3, 3>(3 * c, 3 * c) += inverse * inverse;
    }
    factorisation_.compute(M_);
    if (factorisation_.info() != Eigen::Success) return false;
    // Straight on, to see how far that leads; then with as much of the middle path as that leaves to be done.
    find_step(0, gap, false);
    const double ahead = std::min(1.0, longest());
    const double left = (x_ + ahead * dx_).dot(z_ + ahead * dz_) / k_, ratio = std::clamp(left / gap, 0.0, 1.0);
    find_step(ratio * ratio * ratio, gap, true);
    const double step = std::min(1.0, near_border * longest());
    x_ += step * dx_;
    z_ += step * dz_;
    return x_.allFinite() && z_.allFinite() && n > 0;
  }

  // M dx = -residual + W⁻¹ v,  dz = W⁻¹ (v - W⁻¹ dx),  (W z) o v = centre gap e - (W z) o (W z) - correction.
  void find_step(double centre, double gap, bool corrects) {
    v_ = Vector::Zero(3 * k_);
    right_ = -residual_;
    for (int c = 0; c < k_; ++c) {
      const int i = 3 * c;
      if (!has_friction(c)) {
        v_[i] = centre * gap / x_[i] - z_[i] - (corrects ? dx_[i] * dz_[i] / x_[i] : 0);
        right_[i] += v_[i];
        continue;
      }
      const Mat3 inverse = W_[c].inverse();
      const Vec3 lambda = W_[c] * part(z_, c);
      Vec3 target = -product(lambda, lambda);
      target[0] += centre * gap;
      if (corrects) target -= product(inverse * part(dx_, c), W_[c] * part(dz_, c));
      v_.segment<3>(i) = quotient(target, lambda);
      right_.segment<3>(i) += inverse * part(v_, c);
    }
    dx_ = factorisation_.solve(right_);
    dz_ = Vector::Zero(3 * k_);
    for (int c = 0; c < k_; ++c) {
      const int i = 3 * c;
      if (!has_friction(c)) {
        dz_[i] = v_[i] - z_[i] / x_[i] * dx_[i];
        dx_[i + 1] = dx_[i + 2] = 0;
        continue;
      }
      const Mat3 inverse = W_[c].inverse();
      dz_.segment<3>(i) = inverse * (part(v_, c) - inverse * part(dx_, c));
    }
  }

  double longest() const {
    double way = std::numeric_limits<double>::infinity();
    for (int c = 0; c < k_; ++c)
      way = std::min({way, way_to_border(part(x_, c), part(dx_, c)), way_to_border(part(z_, c), part(dz_, c))});
    return way;
  }

  int k_;
  std::vector<double> mu_;
  Matrix Q_, M_;
  Vector q_, x_, z_, dx_, dz_, v_, right_, residual_;
  std::vector<Mat3> W_;
  Eigen::LLT<Matrix> factorisation_;
};

}  // namespace

bool least_within_cones(const ConeProblem& problem, double* p) {
  const int n = 3 * problem.contacts;
  Interior interior(problem);
  Vector x;
  if (!interior.solve(Eigen::Map<const Vector>(problem.b, n), x)) return false;
  std::copy_n(x.data(), n, p);
  return true;
}

bool solve_from_inside(const ConeProblem& problem, double* p, double tolerance) {
  if (problem.offset) return false;
  const int n = 3 * problem.contacts;
  using Row = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Row> D(problem.D, n, n);
  const Eigen::Map<const Vector> b(problem.b, n);
  const auto slip = [&](int c) { return problem.slip.empty() ? nullptr : problem.slip[c]; };
  Interior interior(problem);
  Vector x = Vector::Zero(n), rubbed = x, shifted;
  for (int round = 0; round < most_shifts; ++round) {
    shifted = b + D * rubbed;
    if (round > 0) {
      const Vector u = D * x + b;
      for (int c = 0; c < problem.contacts; ++c)
        if (interior.has_friction(c)) shifted[3 * c] += problem.mu[c] * std::hypot(u[3 * c + 1], u[3 * c + 2]);
    }
    Vector next;
    if (!interior.solve(shifted, next)) return false;
    rubbed.setZero();
    for (int c = 0; c < problem.contacts; ++c)
      for (int i = 0; slip(c) && i < 2; ++i)
        next[3 * c + 1 + i] = rubbed[3 * c + 1 + i] = -problem.mu[c] * std::max(0.0, next[3 * c]) * slip(c)[i];
    const bool stands = (next - x).cwiseAbs().maxCoeff() <= 1e-9 * next.cwiseAbs().maxCoeff();
    x = next;
    if (round % 3 != 2 && !stands) continue;
    std::vector<double> trial(x.data(), x.data() + n);
    if (newton_on_cones(problem, trial.data(), tolerance)) {
      std::copy(trial.begin(), trial.end(), p);
      return true;
    }
    if (stands) break;
  }
  return false;
}

}  // namespace plumb
