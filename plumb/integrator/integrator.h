// One step forward. An integrator holds the current state and tries steps from it; the caller decides whether
// to keep them.
//
//   begin(t, y)         sets the current state
//   attempt(h)          a step; its end is result(). May be repeated with another h
//   error(tolerance)    of the last attempt, in units of the tolerance (adaptive methods only)
//   complete()          finishes the last attempt; after it interpolate(theta) gives values inside the step
//   advance(t)          the end of the step becomes the current state, at time t
#pragma once

#include "plumb/integrator/problem.h"

namespace plumb {

// How fast the equations answer a change, as seen within a step.
struct Quickness {
  double part = 0;     // step length times it, as a part of what the method is stable for; 0: it cannot be told
  double rate = 0;     // about the size of the fastest eigenvalue, 1/s
  int component = -1;  // of the state that answers most
};

class Integrator {
 public:
  virtual ~Integrator() = default;

  virtual void begin(double t, const double* y) = 0;
  virtual StepReport attempt(double h) = 0;
  virtual double error(double tolerance) = 0;
  virtual double initial_step(double tolerance) = 0;  // a cautious first step, from the slopes at the start
  virtual void complete() = 0;
  virtual void interpolate(double theta, double* y) = 0;
  virtual void advance(double t) = 0;
  // Of the last attempt; after `complete`, before anything is interpolated.
  virtual Quickness quickness() const { return {}; }

  virtual double time() const = 0;
  virtual const double* state() const = 0;
  virtual const double* result() const = 0;
};

}  // namespace plumb
