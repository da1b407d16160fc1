// The step in progress: from the current state to where the last attempt led. What looks for instants inside a step,
// and ends it there, works on this.
#pragma once

#include <limits>
#include <vector>

#include "plumb/integrator/integrator.h"
#include "plumb/simulation/crossing.h"

namespace plumb {

inline constexpr double never = std::numeric_limits<double>::infinity();  // the instant of what does not happen

class Step {
 public:
  // `probe` takes steps on trial from the same state; null where nothing has to be located.
  Step(Integrator& integrator, Integrator* probe, int size)
      : integrator_(&integrator), probe_(probe), inside_(static_cast<std::size_t>(size)) {}

  // Goes on with others.
  void use(Integrator& integrator, Integrator* probe) {
    integrator_ = &integrator;
    probe_ = probe;
  }

  // The attempt just made led to `end`.
  void set_end(double end) { end_ = end; }

  double begin() const { return integrator_->time(); }
  double end() const { return end_; }
  double length() const { return end_ - begin(); }
  double time_at(double theta) const { return begin() + theta * length(); }
  const double* state() const { return integrator_->state(); }
  const double* result() const { return integrator_->result(); }

  // The state at a fraction of the step, on the dense output; valid until asked again.
  const double* at(double theta) {
    integrator_->interpolate(theta, inside_.data());
    return inside_.data();
  }
  double value(const StateFunction& f, double theta) { return f(time_at(theta), at(theta)); }

  // Time of a root between two fractions of the step. The root on the dense output first; then steps are really taken
  // to it and it is corrected until it stands still, so that it has the accuracy of the method and not of its
  // interpolant.
  double locate(const StateFunction& value, double low, double high);
  double refine(const StateFunction& value, double theta, double low, double high);

  // The state at an instant inside the step, by a step really taken there; valid until asked again.
  const double* take_to(double t);
  // Ends the step earlier.
  void cut(double t);

 private:
  Integrator* integrator_;
  Integrator* probe_;
  std::vector<double> inside_;
  double end_ = 0;
};

}  // namespace plumb
