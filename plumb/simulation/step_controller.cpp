#include "plumb/simulation/step_controller.h"

#include <algorithm>
#include <cmath>

namespace plumb {

void StepController::begin(double first_step) { memory_ = {first_step, 1e-4, false}; }

bool StepController::judge(double h, double error) {
  if (!(error <= 1)) {
    memory_.last_rejected = true;
    const double factor = control_.safety * std::pow(error, -control_.proportional);
    memory_.h = std::isfinite(error) ? h * std::max(control_.smallest, factor) : h / 8;
    return false;
  }
  const double e = std::max(error, 1e-10);
  double factor =
      control_.safety * std::pow(e, -control_.proportional) * std::pow(memory_.last_error, control_.integral);
  factor = std::clamp(factor, control_.smallest, control_.largest);
  if (memory_.last_rejected) factor = std::min(factor, 1.0);
  memory_ = {h * factor, std::max(e, 1e-4), false};
  return true;
}

void StepController::fail(double h) {
  memory_.last_rejected = true;
  memory_.h = h / 8;
}

}  // namespace plumb
