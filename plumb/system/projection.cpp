#include "plumb/system/projection.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/solver/largest.h"

namespace plumb {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

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
    turn_quaternion(m + 3, x + 3);
  }
}

Projection::Projection(Dynamics& dynamics)
    : dynamics_(dynamics), g_(dynamics.system().rows), rates_(dynamics.system().rows), move_(dynamics.system().nv) {}

ProjectionReport Projection::report(double residual, double target) {
  ProjectionReport r{residual <= 1e4 * target, residual, -1};
  if (r.converged) return r;
  dynamics_.residual(g_.data());
  const auto worst = std::ranges::max_element(g_, {}, [](double x) { return std::abs(x); });
  r.worst_row = static_cast<int>(worst - g_.begin());
  return r;
}

// The rounding of g: a few units in the last place of the largest coordinate.
double Projection::noise(const double* y) const {
  return 4 * epsilon * (1 + largest_magnitude(y, dynamics_.system().nq));
}

// y <- y - M⁻¹ Gᵀ S⁻¹ g
void Projection::correct(double* y) {
  for (std::size_t i = 0; i < g_.size(); ++i) rates_[i] = -g_[i];
  dynamics_.solve(rates_.data());
  for (double& m : move_) m = 0;
  dynamics_.push(rates_.data(), move_.data());
  displace(dynamics_.system(), move_.data(), y);
}

ProjectionReport Projection::apply(double t, double* y) {
  const int rows = dynamics_.system().rows;
  const double target = noise(y);
  dynamics_.place(t, y);
  double residual = dynamics_.project_alone(y, target);
  if (dynamics_.all_alone()) return report(residual, target);
  residual = std::numeric_limits<double>::infinity();
  bool fresh = false;
  for (int iteration = 0; iteration < 20; ++iteration) {
    dynamics_.place(t, y);
    dynamics_.linearise(g_.data());
    const double last = residual;
    residual = largest_magnitude(g_.data(), rows);
    if (!(residual > target)) break;
    // Redundant rows: an old factorisation knows the combinations that do nothing elsewhere, and would magnify what
    // they are violated by here.
    const bool is_stale = iteration == 0 && !dynamics_.is_regular();
    if (is_stale || residual > 0.1 * last) {        // slow
      if (fresh && residual < 1e3 * target) break;  // as good as it gets
      dynamics_.factor();
      fresh = true;
    }
    correct(y);
  }
  project_velocity(y);
  return report(residual, target);
}

// Starts from G at this place.
void Projection::project_velocity(double* y) {
  const System& system = dynamics_.system();
  double* const v = y + system.nq;
  const double target = 4 * epsilon * (1 + largest_magnitude(v, system.nv));
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 5; ++iteration) {
    dynamics_.rate_residual(rates_.data());
    const double residual = largest_magnitude(rates_.data(), system.rows);
    if (!(residual > target)) return;
    if (residual > 0.1 * last) dynamics_.factor();
    last = residual;
    for (double& r : rates_) r = -r;
    dynamics_.solve(rates_.data());
    dynamics_.push(rates_.data(), v);
  }
}

ProjectionReport Projection::assemble(double t, double* y) {
  const System& system = dynamics_.system();
  if (system.rows == 0) return {};
  const double target = noise(y);
  std::vector<double> from(system.nq);
  const auto look = [&] {
    dynamics_.place(t, y);
    dynamics_.linearise(g_.data());
    return largest_magnitude(g_.data(), system.rows);
  };
  double residual = look();
  for (int iteration = 0; residual > target && iteration < 100; ++iteration) {
    dynamics_.factor();
    std::copy_n(y, system.nq, from.begin());
    correct(y);
    double next = look();
    // Half the move until the residual falls.
    for (int halving = 0; halving < 12 && !(next < residual); ++halving) {
      for (double& m : move_) m /= 2;
      std::ranges::copy(from, y);
      displace(system, move_.data(), y);
      next = look();
    }
    if (!(next < residual)) {
      std::ranges::copy(from, y);
      break;
    }
    const bool stalled = next > 0.999 * residual;
    residual = next;
    if (stalled && iteration > 20) break;
  }
  return report(look(), target);
}

}  // namespace plumb
