// The length of adaptive steps: proportional to the error of the last, with a memory of the one before (PI control).
//   h_new = h safety err^-k1 err_last^k2, within bounds
// (E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, II.4; constants with each tableau).
#pragma once

#include "plumb/integrator/tableau.h"

namespace plumb {

class StepController {
 public:
  // Part of the state of a run.
  struct Memory {
    double h = 0;  // proposed
    double last_error = 1e-4;
    bool last_rejected = false;
    bool operator==(const Memory&) const = default;
  };

  explicit StepController(const StepControl& control) : control_(control) {}

  void begin(double first_step);
  double proposed() const { return memory_.h; }
  void propose(double h) { memory_.h = h; }

  // Judges an attempt of length h with this error (in units of the tolerance; not a number: far too large) and proposes
  // the next. True: the step is good.
  bool judge(double h, double error);
  // An attempt that failed for another reason: a much shorter one is proposed.
  void fail(double h);

  const Memory& memory() const { return memory_; }
  void restore(const Memory& memory) { memory_ = memory; }

 private:
  StepControl control_;
  Memory memory_;
};

}  // namespace plumb
