// What a running simulation shows to whoever watches: every accepted step, every point of the output grid, every event,
// every impact.
#pragma once

#include <vector>

#include "plumb/contact/ledger.h"

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

// All who watch a run.
class Observers {
 public:
  void add(Observer& observer) { list_.push_back(&observer); }
  bool empty() const { return list_.empty(); }
  void step(const Moment& m) const {
    for (Observer* o : list_) o->on_step(m);
  }
  void sample(const Moment& m) const {
    for (Observer* o : list_) o->on_sample(m);
  }
  void event(const Occurrence& e) const {
    for (Observer* o : list_) o->on_event(e);
  }
  void impact(const Impact& i) const {
    for (Observer* o : list_) o->on_impact(i);
  }

 private:
  std::vector<Observer*> list_;
};

}  // namespace plumb
