// What an integrator steps: y' = F(t, y), and what is done to y when a step ends.
#pragma once

namespace plumb {

// How an attempted step went.
struct StepReport {
  enum class Kind {
    ok,
    unsolved,        // equations of the step, or of the problem within it, could not be solved
    off_constraints  // its end could not be moved onto the constraints
  };
  Kind kind = Kind::ok;
  double residual = 0;  // what is left of what could not be solved
  int row = -1;         // the constraint that is violated most, where there are some

  bool ok() const { return kind == Kind::ok; }
};

class Problem {
 public:
  virtual ~Problem() = default;

  virtual int size() const = 0;
  virtual int controlled() const = 0;  // the first of these many are under error control
  virtual void derivative(double t, const double* y, double* rate) = 0;
  // dF/dy by rows, where the problem has it; false: it must be found by differences.
  virtual bool jacobian(double, const double*, double*) { return false; }
  // A step is about to be tried: faults noted so far were those of others.
  virtual void begin_step() {}
  // Ends a step: moves y onto what must hold.
  virtual StepReport settle(double t, double* y) = 0;
};

}  // namespace plumb
