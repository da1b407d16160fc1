// Watches one event function along a run and finds its roots inside each step.
#pragma once

#include <vector>

#include "plumb/expression/expression.h"
#include "plumb/model/model.h"
#include "plumb/observe/gauge.h"
#include "plumb/simulation/crossing.h"

namespace plumb {

class EventWatch {
 public:
  // Throws InputError where the expression names what does not exist.
  EventWatch(const Event& event, const Gauge& gauge);

  const Event& event() const { return event_; }

  // The event function at a state, for finding its root; and with its rounding error.
  double value(Gauge& gauge, double t, const double* y);
  Rounded rounded_value(Gauge& gauge, double t, const double* y);

  // Values below their rounding error have no sign.
  static int sign_of_value(const Rounded& r) { return r.is_zero() ? 0 : r.value > 0 ? 1 : -1; }

  void begin(const Rounded& value) { sign_ = sign_of_value(value); }

  struct Crossing {
    double low, high;  // fractions of the step between which the root lies
    bool rising;
  };
  // Crossings on a step in order of time. `inside` is the function on the dense output, `start` and `end` its
  // values at the ends of the step; it is looked at in so many places. Between two of them with one sign a pair of
  // roots, or a zero that is only touched, is found too: where the function first heads for zero and then away from it,
  // its extremum is sought.
  template <class Inside>
  void crossings(Inside& inside, const Rounded& start, const Rounded& end, int places, std::vector<Crossing>& found);
  // A jump of the state between two values at one instant: true if the function passes zero, or reaches it.
  bool jump(const Rounded& after, bool& rising);

 private:
  bool wanted(bool rising) const;
  void visit(double low, double high, int sign, std::vector<Crossing>& found);
  void read(Gauge& gauge, double t, const double* y);

  Event event_;
  Expression expression_;
  std::vector<Channel> channels_;
  std::vector<double> slots_, sizes_;  // values of the channels, and the largest each has had
  std::vector<Rounded> rounded_;
  int sign_ = 0;  // last sign seen; 0 until the function has left zero
};

template <class Inside>
void EventWatch::crossings(Inside& inside, const Rounded& start, const Rounded& end, int places,
                           std::vector<Crossing>& found) {
  if (!event_.locate) return visit(0, 1, sign_of_value(end), found);
  const double nudge = std::min(1e-4, 0.01 / places);
  auto plain = [&](double theta) { return inside(theta).value; };
  const StepFunction function(plain);
  double last = start.value, last_slope = plain(nudge) - plain(0);
  for (int i = 1; i <= places; ++i) {
    double low = static_cast<double>(i - 1) / places;
    const double high = static_cast<double>(i) / places;
    const Rounded there = inside(high), value = i < places ? there : end;
    const double slope = there.value - plain(high - nudge);
    const bool heads_for_zero = last * last_slope<0, leaves_zero = value.value * slope> 0;
    if (last * value.value > 0 && heads_for_zero && leaves_zero && sign_ != 0) {
      const double other = least_magnitude(function, low, high);
      const int sign = sign_of_value(inside(other));
      if (sign != sign_) {
        visit(low, other, sign, found);
        low = other;
      }
    }
    visit(low, high, sign_of_value(value), found);
    last = value.value;
    last_slope = slope;
  }
}

}  // namespace plumb
