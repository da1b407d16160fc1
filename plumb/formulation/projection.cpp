#include "plumb/formulation/projection.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumb {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

double largest(const double* x, int n) {
  double m = 0;
  for (int i = 0; i < n; ++i) m = std::max(m, std::abs(x[i]));
  return m;
}

}  // namespace

void normalise_quaternions(const System& system, double* y) {
  for (int i = 0; i < system.rigids; ++i) {
    double* const q = y + 3 * system.points + 7 * i + 3;
    const double s = 1 / std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; ++k) q[k] *= s;
  }
}

void displace(const System& system, const double* d, double* y) {
  const int points = 3 * system.points;
  for (int i = 0; i < points; ++i) y[i] += d[i];
  for (int i = 0; i < system.rigids; ++i) {
    double* const x = y + points + 7 * i;
    const double* const m = d + points + 6 * i;
    kernel::add(x, m);
    // exp of a small rotation to second order, the rest being lost in rounding; large ones exactly.
    const double square = kernel::dot(m + 3, m + 3);
    Quaternion turn{1 - square / 8, m[3] / 2, m[4] / 2, m[5] / 2};
    if (square > 1e-10) turn = Quaternion::exp(Vec3(m[3], m[4], m[5]));
    const Quaternion q = (Quaternion{x[3], x[4], x[5], x[6]} * turn).normalized();
    x[3] = q.w, x[4] = q.x, x[5] = q.y, x[6] = q.z;
  }
}

Projection::Projection(Dynamics& dynamics)
    : dynamics_(dynamics), g_(dynamics.system().rows), rates_(dynamics.system().rows), move_(dynamics.system().nv) {}

ProjectionReport Projection::measure() const {
  const auto worst = std::ranges::max_element(g_, {}, [](double x) { return std::abs(x); });
  return {true, std::abs(*worst), static_cast<int>(worst - g_.begin())};
}

// The rounding of g: a few units in the last place of the largest coordinate.
double Projection::noise(const double* y) const { return 4 * epsilon * (1 + largest(y, dynamics_.system().nq)); }

ProjectionReport Projection::apply(double t, double* y) {
  const System& system = dynamics_.system();
  const double target = noise(y);
  dynamics_.place(t, y);
  dynamics_.residual(g_.data());
  ProjectionReport report = measure();
  bool fresh = false;
  for (int iteration = 0; report.residual > target && iteration < 20; ++iteration) {
    for (std::size_t i = 0; i < g_.size(); ++i) rates_[i] = -g_[i];
    dynamics_.solve(rates_.data());
    std::ranges::fill(move_, 0.0);
    dynamics_.push(rates_.data(), move_.data());
    displace(system, move_.data(), y);
    dynamics_.place(t, y);
    dynamics_.residual(g_.data());
    const ProjectionReport next = measure();
    if (!std::isfinite(next.residual)) {
      report = next;
      break;
    }
    const bool slow = next.residual > 0.1 * report.residual;
    report = next;
    if (!slow || report.residual <= target) continue;
    if (fresh && report.residual < 1e3 * target) break;  // as good as it gets
    dynamics_.linearise();
    dynamics_.factor();
    fresh = true;
  }
  report.converged = report.residual <= 1e4 * target;
  project_velocity(y);
  return report;
}

void Projection::project_velocity(double* y) {
  const System& system = dynamics_.system();
  double* const v = y + system.nq;
  dynamics_.linearise();
  const double target = 4 * epsilon * (1 + largest(v, system.nv));
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 5; ++iteration) {
    dynamics_.rate_residual(rates_.data());
    const double residual = largest(rates_.data(), system.rows);
    if (!(residual > target)) break;
    if (residual > 0.1 * last) dynamics_.factor();
    last = residual;
    for (double& r : rates_) r = -r;
    dynamics_.solve(rates_.data());
    dynamics_.push(rates_.data(), v);
  }
}

ProjectionReport Projection::assemble(double t, double* y) {
  const System& system = dynamics_.system();
  ProjectionReport report;
  if (system.rows == 0) return report;
  const double target = noise(y);
  std::vector<double> trial;
  dynamics_.place(t, y);
  dynamics_.residual(g_.data());
  report = measure();
  for (int iteration = 0; report.residual > target && iteration < 100; ++iteration) {
    dynamics_.linearise();
    dynamics_.factor();
    for (std::size_t i = 0; i < g_.size(); ++i) rates_[i] = -g_[i];
    dynamics_.solve(rates_.data());
    std::ranges::fill(move_, 0.0);
    dynamics_.push(rates_.data(), move_.data());
    // Half the move until the residual falls.
    ProjectionReport next = report;
    for (int halving = 0; halving < 12; ++halving) {
      trial.assign(y, y + system.size());
      displace(system, move_.data(), trial.data());
      dynamics_.place(t, trial.data());
      dynamics_.residual(g_.data());
      next = measure();
      if (next.residual < report.residual) break;
      for (double& m : move_) m /= 2;
    }
    if (!(next.residual < report.residual)) break;
    std::copy(trial.begin(), trial.begin() + system.nq, y);
    const bool stalled = next.residual > 0.999 * report.residual;
    report = next;
    dynamics_.place(t, y);
    if (stalled && iteration > 20) break;
  }
  dynamics_.place(t, y);
  dynamics_.residual(g_.data());
  report = measure();
  report.converged = report.residual <= 1e4 * target;
  return report;
}

}  // namespace plumb
