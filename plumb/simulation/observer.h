// What a running simulation shows to whoever watches: every accepted step, every point of the output grid,
// every event.
#pragma once

#include <string>

#include "plumb/contact/impact.h"

namespace plumb {

struct Moment {
  double t;
  const double* y;
};

struct Occurrence {
  int event;  // in Model::events
  bool rising;
  double t;
  const double* y;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_step(const Moment&) {}
  virtual void on_sample(const Moment&) {}
  virtual void on_event(const Occurrence&) {}
  virtual void on_impact(const Impact&) {}
};

}  // namespace plumb
