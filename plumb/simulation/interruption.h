// What may end a step early because the equations change there: a contact that closes or opens, an input that switches.
// The loop ends the step at the first such instant, shows it, and lets the interruption change the state and the
// equations; then the integrator begins anew.
#pragma once

#include <optional>

#include "plumb/simulation/observer.h"
#include "plumb/simulation/outcome.h"
#include "plumb/simulation/step.h"

namespace plumb {

class Interruption {
 public:
  virtual ~Interruption() = default;

  // A step from t must not be longer than this.
  virtual double longest_step(double t) const {
    static_cast<void>(t);
    return never;
  }
  // The first instant of the step just attempted at which it acts; later than its end: not in this step.
  virtual double first(Step& step) = 0;
  // No step can be taken from (t, y), however short: true if it has changed the equations, so that it may be tried
  // again.
  virtual bool rescue(double t, double* y) {
    static_cast<void>(t);
    static_cast<void>(y);
    return false;
  }
  // The step has become the state.
  virtual void accepted(double t, const double* y) {
    static_cast<void>(t);
    static_cast<void>(y);
  }

  // The run is about to be shown: what happened at its very start.
  virtual void show_start(const Observers& observers) { static_cast<void>(observers); }

  struct Change {
    bool jumped = false;               // the state is another
    std::optional<Outcome> outcome{};  // the run ends here
  };
  // At the instant it asked for, with the state there, which it may change.
  virtual Change act(double t, double* y) = 0;
};

}  // namespace plumb
