// Watches one event function along a run and finds its roots inside each step.
#pragma once

#include <vector>

#include "plumb/expression/expression.h"
#include "plumb/model/model.h"
#include "plumb/simulation/crossing.h"
#include "plumb/system/gauge.h"

namespace plumb {

class EventWatch {
 public:
  // Throws InputError where the expression names what does not exist.
  EventWatch(const Event& event, const Gauge& gauge);

  const Event& event() const { return event_; }

  // The event function at a state.
  double value(Gauge& gauge, double t, const double* y);

  void begin(double value) { sign_ = sign_of(value); }

  struct Crossing {
    double low, high;  // fractions of the step between which the root lies
    bool rising;
  };
  // Crossings on a step in order of time. `inside` is the function on the dense output, `start` and `end` its
  // values at the ends of the step. Between two samples of one sign a pair of roots is found too: where the
  // function first heads for zero and then away from it, its extremum is sought.
  void crossings(const StepFunction& inside, double start, double end, std::vector<Crossing>& found);

 private:
  bool wanted(bool rising) const;
  void visit(double low, double high, double value_at_high, std::vector<Crossing>& found);

  Event event_;
  Expression expression_;
  std::vector<Channel> channels_;
  std::vector<double> slots_;
  int sign_ = 0;  // last sign seen; 0 until the function has left zero
};

}  // namespace plumb
