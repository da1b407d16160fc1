// What an integrator steps: y' = F(t, y), and what is done to y when a step ends.
#pragma once

#include "plumb/formulation/projection.h"

namespace plumb {

class Problem {
 public:
  virtual ~Problem() = default;

  virtual int size() const = 0;
  virtual int controlled() const = 0;  // the first of these many are under error control
  virtual void derivative(double t, const double* y, double* rate) = 0;
  // dF/dy by rows, where the problem has it; false: it must be found by differences.
  virtual bool jacobian(double, const double*, double*) { return false; }
  virtual ProjectionReport settle(double t, double* y) = 0;
};

}  // namespace plumb
