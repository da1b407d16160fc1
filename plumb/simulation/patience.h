// Closed contacts may change how they hold without time passing: on either side of a change the law asks for the other,
// or friction has turned a contact around and its forces jump with every rounding. What was decided then is kept for a
// while, the longer the more often that happened in a row: what the forces miss in that time is as small as it is
// short.
#pragma once

#include <algorithm>

namespace plumb {

class Patience {
 public:
  explicit Patience(double duration) : duration_(duration) {}

  // How contacts hold has changed at t.
  void note(double t) {
    const bool at_once = t - last_ <= 2 * while_ + shortest * duration_;
    last_ = t;
    if (!at_once) {
      in_a_row_ = 0;
      while_ = while_ > shortest * duration_ ? while_ / 4 : 0;
      return;
    }
    if (++in_a_row_ <= few) return;
    const double before = while_;
    while_ = std::clamp(4 * while_, shortest * duration_, longest * duration_);
    if (before < visible * duration_ && while_ >= visible * duration_) ++count_;
  }

  // What was decided is kept until then.
  double until() const { return last_ + while_; }
  // How often that was for longer than rounding.
  int count() const { return count_; }

 private:
  // Parts of the duration.
  static constexpr double shortest = 1e-13, visible = 1e-9, longest = 1e-5;
  static constexpr int few = 6;

  double duration_, last_ = -1e300, while_ = 0;
  int in_a_row_ = 0, count_ = 0;
};

}  // namespace plumb
