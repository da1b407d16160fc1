#include "plumb/solver/cone_newton.h"

#include <algorithm>
#include <cmath>

#include "plumb/solver/least_norm.h"

namespace plumb {
namespace {

class Equations {
 public:
  explicit Equations(const ConeProblem& problem) : problem_(problem), n_(3 * problem.contacts), u_(n_) {}

  // F and, if asked for, its derivative J (row-major). Returns the largest |F|.
  double evaluate(const double* p, std::vector<double>& F, std::vector<double>* J) {
    for (int i = 0; i < n_; ++i) {
      u_[i] = problem_.b[i];
      for (int j = 0; j < n_; ++j) u_[i] += row(i)[j] * p[j];
    }
    if (J) std::ranges::fill(*J, 0.0);
    for (int c = 0; c < problem_.contacts; ++c) {
      normal(c, p, F, J);
      tangential(c, p, F, J);
    }
    double most = 0;
    for (double f : F) most = std::max(most, std::abs(f));
    return most;
  }

 private:
  const double* row(int i) const { return problem_.D + static_cast<std::ptrdiff_t>(i) * n_; }
  double* row(std::vector<double>& J, int i) const { return J.data() + static_cast<std::ptrdiff_t>(i) * n_; }

  void normal(int c, const double* p, std::vector<double>& F, std::vector<double>* J) const {
    const int i = 3 * c;
    const double r = row(i)[i] > 0 ? 1 / row(i)[i] : 0;
    const bool closed = p[i] - r * u_[i] > 0;
    F[i] = closed ? r * u_[i] : p[i];
    if (!J) return;
    if (!closed) row(*J, i)[i] = 1;
    for (int j = 0; closed && j < n_; ++j) row(*J, i)[j] = r * row(i)[j];
  }

  void tangential(int c, const double* p, std::vector<double>& F, std::vector<double>* J) const {
    const int i = 3 * c;
    const double mu = problem_.mu[c], pressed = std::max(0.0, p[i]) + (problem_.offset ? problem_.offset[c] : 0);
    const double disc = mu * pressed, d_disc = p[i] > 0 ? mu : 0;
    const double* const given = problem_.slip.empty() ? nullptr : problem_.slip[c];
    const double give = std::max(row(i + 1)[i + 1], row(i + 2)[i + 2]), r = give > 0 ? 1 / give : 0;
    double z[2] = {p[i + 1] - r * u_[i + 1], p[i + 2] - r * u_[i + 2]};
    if (given) z[0] = -given[0], z[1] = -given[1];
    const double size = std::hypot(z[0], z[1]);
    if (!given && size <= disc) {  // sticks
      for (int k = 1; k < 3; ++k) {
        F[i + k] = r * u_[i + k];
        for (int j = 0; J && j < n_; ++j) row(*J, i + k)[j] = r * row(i + k)[j];
      }
      return;
    }
    const double t[2] = {size > 0 ? z[0] / size : 0, size > 0 ? z[1] / size : 0};
    for (int k = 0; k < 2; ++k) {
      F[i + 1 + k] = p[i + 1 + k] - disc * t[k];
      if (!J) continue;
      double* const out = row(*J, i + 1 + k);
      out[i + 1 + k] += 1;
      out[i] -= d_disc * t[k];
      if (given || disc == 0) continue;
      for (int m = 0; m < 2; ++m) {  // the direction turns with z
        const double turn = disc * ((k == m ? 1 : 0) - t[k] * t[m]) / size;
        out[i + 1 + m] -= turn;
        for (int j = 0; j < n_; ++j) out[j] += turn * r * row(i + 1 + m)[j];
      }
    }
  }

  const ConeProblem& problem_;
  int n_;
  std::vector<double> u_;
};

}  // namespace

bool newton_on_cones(const ConeProblem& problem, double* p, double tolerance) {
  const int n = 3 * problem.contacts;
  Equations equations(problem);
  std::vector<double> x(p, p + n), best, F(n), J(static_cast<std::size_t>(n) * n), step(n);
  double residual = equations.evaluate(x.data(), F, &J);
  double least = residual;
  const double start = residual;
  // Full steps: each decides anew who slips and who sticks, and the residual may rise on the way.
  for (int iteration = 0; iteration < 30 && residual > tolerance; ++iteration) {
    solve_least_norm(n, J.data(), F.data(), step.data(), 1e-13);
    for (int i = 0; i < n; ++i) x[i] -= step[i];
    residual = equations.evaluate(x.data(), F, &J);
    if (!(residual < 1e6 * start)) break;
    if (residual < least) least = residual, best = x;
  }
  if (!(least <= tolerance) || best.empty()) return false;
  for (int i = 0; i < n; ++i) p[i] = i % 3 == 0 ? std::max(0.0, best[i]) : best[i];
  return true;
}

}  // namespace plumb
