// Shows the points of the output grid that lie within a step.
#pragma once

#include <vector>

#include "plumb/simulation/observer.h"
#include "plumb/simulation/step.h"

namespace plumb {

class Sampler {
 public:
  // Moves a state of the dense output onto what must hold; false: it could not be.
  using Settle = bool (*)(void* subject, double t, double* y);

  Sampler(double every, double duration, int size) : every_(every), duration_(duration), y_(size) {}

  double every() const { return every_; }

  void begin() { next_ = 1; }  // the first point is that of the start
  // `last`: the run ends with this step, which is shown wherever it ends.
  void show(Step& step, bool last, const Observers& observers, void* subject, Settle settle);

 private:
  double every_, duration_;
  std::vector<double> y_;
  long next_ = 1;
};

}  // namespace plumb
