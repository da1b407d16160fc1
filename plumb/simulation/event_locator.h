// The events of a run: finds them inside a step and across a jump of the state, in the order of time.
#pragma once

#include <optional>
#include <vector>

#include "plumb/simulation/event_watch.h"
#include "plumb/simulation/observer.h"
#include "plumb/simulation/step.h"

namespace plumb {

class EventLocator {
 public:
  // `grid`: the distance of output points; event functions are looked at no less often.
  EventLocator(const std::vector<Event>& events, Gauge& gauge, double grid);

  bool empty() const { return watches_.empty(); }
  const Event& event(int i) const { return watches_[i].event(); }

  void begin(double t, const double* y);

  // Finds what happens in a step and tells it. An event that stops the run cuts the step there; its number.
  std::optional<int> find(Step& step, const Observers& observers);
  // The same for a jump of the state at t.
  std::optional<int> jump(double t, const double* y, const Observers& observers);

 private:
  struct Found {
    int watch;
    double t;
    bool rising;
  };
  std::vector<EventWatch> watches_;
  Gauge& gauge_;
  double grid_;
  std::vector<Rounded> values_;  // at the start of the step
  std::vector<EventWatch::Crossing> crossings_;
  std::vector<Found> found_;
};

}  // namespace plumb
