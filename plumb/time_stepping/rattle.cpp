#include "plumb/time_stepping/rattle.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/integrator/hermite.h"

namespace plumb {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

double largest(const double* x, int n) {
  double m = 0;
  for (int i = 0; i < n; ++i) m = std::max(m, std::abs(x[i]));
  return m;
}

// Turns a free body about its own axis i for the time h: the quaternion by the angle h L_i/J_i, the body
// components of the angular momentum L the other way.
void turn(int i, double h, const Vec3& J, Quaternion& q, Vec3& L) {
  const double angle = h * L[i] / J[i], c = std::cos(angle), s = std::sin(angle);
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  const double Lj = c * L[j] + s * L[k];
  L[k] = -s * L[j] + c * L[k];
  L[j] = Lj;
  double axis[3] = {0, 0, 0};
  axis[i] = std::sin(angle / 2);
  q = q * Quaternion{std::cos(angle / 2), axis[0], axis[1], axis[2]};
}

}  // namespace

Rattle::Rattle(Formulation& formulation)
    : formulation_(formulation),
      system_(formulation.dynamics().system()),
      start_(std::make_unique<Dynamics>(system_)),
      end_(std::make_unique<Dynamics>(system_)),
      y0_(system_.size()),
      y1_(system_.size()),
      half_(system_.nv),
      a0_(system_.nv),
      a1_(system_.nv),
      g_(system_.rows),
      previous_(system_.nv),
      rate0_(system_.size()),
      rate1_(system_.size()) {
  velocity_forces_ = system_.nw > 0;  // expressions, dampers and drag all exchange energy
}

void Rattle::begin(double t, const double* y) {
  t_ = t;
  std::copy_n(y, system_.size(), y0_.begin());
  has_rate0_ = start_factored_ = false;
}

StepReport Rattle::attempt(double h) {
  h_ = h;
  has_rate1_ = false;
  for (Dynamics* d : {start_.get(), end_.get()}) d->remember_as(formulation_.dynamics());
  start_->place(t_, y0_.data());
  start_->force_accelerations(a0_.data());
  for (int i = 0; i < system_.nv; ++i) half_[i] = y0_[system_.nq + i] + h / 2 * a0_[i];
  const StepReport report = close_positions(h);
  close_velocities(h);
  formulation_.count(1);
  if (system_.nw > 0) {  // work and losses by the trapezoidal rule
    need_rate0();
    need_rate1();
    const int w = system_.nq + system_.nv;
    for (int i = w; i < w + system_.nw; ++i) y1_[i] = y0_[i] + h / 2 * (rate0_[i] + rate1_[i]);
  }
  return report;
}

void Rattle::drift(double h) {
  const int points = 3 * system_.points, nq = system_.nq;
  for (int i = 0; i < points; ++i) {
    y1_[i] = y0_[i] + h * half_[i];
    y1_[nq + i] = half_[i];
  }
  for (const SystemBody& b : system_.bodies) {
    if (b.kind != BodyKind::rigid) continue;
    const double* const x = y0_.data() + b.q;
    const double* const v = half_.data() + b.v;
    Quaternion q{x[3], x[4], x[5], x[6]};
    Vec3 L = b.moments.cwiseProduct(Vec3(v[3], v[4], v[5]));
    turn(0, h / 2, b.moments, q, L);
    turn(1, h / 2, b.moments, q, L);
    turn(2, h, b.moments, q, L);
    turn(1, h / 2, b.moments, q, L);
    turn(0, h / 2, b.moments, q, L);
    q = q.normalized();
    double* const x1 = y1_.data() + b.q;
    double* const v1 = y1_.data() + nq + b.v;
    for (int k = 0; k < 3; ++k) {
      x1[k] = x[k] + h * v[k];
      v1[k] = v[k];
      v1[3 + k] = L[k] / b.moments[k];
    }
    x1[3] = q.w, x1[4] = q.x, x1[5] = q.y, x1[6] = q.z;
  }
}

// Newton with S(q0) in place of G(q1) M⁻¹ G(q0)ᵀ: the two differ by O(h), so each turn gains that factor.
StepReport Rattle::close_positions(double h) {
  drift(h);
  if (system_.rows == 0) return {};
  if (!start_factored_) {
    start_->linearise();
    start_->factor();
    start_factored_ = true;
  }
  StepReport report;
  double last = std::numeric_limits<double>::infinity();
  const double target = 2 * epsilon * (1 + largest(y0_.data(), system_.nq));
  for (int iteration = 0; iteration < 50; ++iteration) {
    end_->place(t_ + h, y1_.data());
    end_->residual(g_.data());
    const auto worst = std::ranges::max_element(g_, {}, [](double x) { return std::abs(x); });
    report = {StepReport::Kind::ok, std::abs(*worst), static_cast<int>(worst - g_.begin())};
    if (report.residual <= target || !(report.residual < 0.5 * last)) break;
    last = report.residual;
    for (double& x : g_) x /= -h;
    start_->solve(g_.data());
    start_->push(g_.data(), half_.data());
    drift(h);
  }
  if (!(report.residual <= 1e4 * target)) report.kind = StepReport::Kind::off_constraints;
  return report;
}

void Rattle::close_velocities(double h) {
  double* const v1 = y1_.data() + system_.nq;
  std::copy_n(v1, system_.nv, half_.begin());  // as the drift left it
  end_->place(t_ + h, y1_.data());
  if (system_.rows > 0) {
    end_->linearise();
    end_->factor();
  }
  for (int iteration = 0; iteration < 50; ++iteration) {
    std::copy_n(v1, system_.nv, previous_.begin());
    end_->force_accelerations(a1_.data());
    for (int i = 0; i < system_.nv; ++i) v1[i] = half_[i] + h / 2 * a1_[i];
    if (system_.rows > 0) {
      end_->rate_residual(g_.data());
      for (double& x : g_) x = -x;
      end_->solve(g_.data());
      end_->push(g_.data(), v1);
    }
    if (!velocity_forces_) return;
    double change = 0;
    for (int i = 0; i < system_.nv; ++i) change = std::max(change, std::abs(v1[i] - previous_[i]));
    if (!(change > 4 * epsilon * (1 + largest(v1, system_.nv)))) return;
  }
}

void Rattle::need_rate0() {
  if (!has_rate0_) formulation_.derivative(t_, y0_.data(), rate0_.data());
  has_rate0_ = true;
}

void Rattle::need_rate1() {
  if (!has_rate1_) formulation_.derivative(t_ + h_, y1_.data(), rate1_.data());
  has_rate1_ = true;
}

void Rattle::interpolate(double theta, double* y) {
  need_rate0();
  need_rate1();
  hermite(system_.size(), theta, h_, y0_.data(), rate0_.data(), y1_.data(), rate1_.data(), y);
}

void Rattle::advance(double t) {
  t_ = t;
  y0_.swap(y1_);
  rate0_.swap(rate1_);
  has_rate0_ = has_rate1_;
  has_rate1_ = false;
  start_.swap(end_);
  start_factored_ = system_.rows > 0;
}

}  // namespace plumb
