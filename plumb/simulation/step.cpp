#include "plumb/simulation/step.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumb {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

}  // namespace

double Step::locate(const StateFunction& f, double low, double high) {
  auto inside = [&](double theta) { return value(f, theta); };
  return refine(f, root_between(StepFunction(inside), low, high), low, high);
}

double Step::refine(const StateFunction& f, double theta, double low, double high) {
  const double t0 = begin(), h = length();
  // The slope from inside the bracket, and no further than it: beyond, the function may have a kink.
  const double before = std::max(low, theta - 1e-5), after = std::min(high, theta + 1e-5);
  const double slope = after > before ? (value(f, after) - value(f, before)) / ((after - before) * h) : 0;
  double tau = theta * h;
  probe_->begin(t0, state());
  for (int i = 0; i < 8 && slope != 0; ++i) {
    if (tau <= 0 || tau >= h) break;
    probe_->attempt(tau);
    const double change = f(t0 + tau, probe_->result()) / slope;
    if (!(std::abs(change) < 0.1 * h)) break;
    if (tau - change < low * h || tau - change > high * h) break;
    tau -= change;
    if (std::abs(change) <= 2 * epsilon * (t0 + tau)) break;
  }
  return t0 + std::clamp(tau, 0.0, h);
}

const double* Step::take_to(double t) {
  probe_->begin(begin(), state());
  probe_->attempt(t - begin());
  return probe_->result();
}

void Step::cut(double t) {
  integrator_->attempt(t - begin());
  integrator_->complete();
  end_ = t;
}

}  // namespace plumb
