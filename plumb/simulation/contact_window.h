// Where contacts change faster than they can be followed one by one, or no law decides between them, a short stretch of
// time is gone through in small steps instead: free motion, then one impact of everything that touches, without rebound
// for what is only pressed together; penetration is taken out of the positions and its energy accounted for. This keeps
// track of when that is due, and of what it has done for the ledger.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "plumb/contact/ledger.h"

namespace plumb {

class ContactWindow {
 public:
  explicit ContactWindow(double duration) : duration_(duration) {}

  // Notes a change of contact; true: too many of them in too short a time.
  bool note_change(double t);
  // Notes a step with closed contacts that ended at t; true: many of them were far shorter than `step`, that of a
  // window.
  bool note_step(double t, double step);

  // `step`: of the small steps.
  void open(double t, double step);
  bool is_open() const { return step_ > 0; }
  bool is_over(double t) const { return t >= end_; }
  double step() const { return step_; }
  // Adds what a small step did.
  void add(const std::vector<Impact>& impacts);
  // The entry for the ledger.
  Impact close(double t);

  int count() const { return count_; }

 private:
  static constexpr std::size_t many = 96;  // changes of contact
  static constexpr int many_steps = 1000;
  static constexpr double soon = 1.0 / 20000;  // within this part of the duration are too many
  // Of a window; the next one is twice as long if it follows soon.
  static constexpr int fewest_steps = 64, most_steps = 4096;
  static constexpr double far_shorter = 0.05;

  double duration_;
  double begin_ = 0, end_ = 0, step_ = 0;
  std::array<double, many> changes_{};  // the last ones
  std::size_t next_ = 0;
  long seen_ = 0;
  double since_ = 0;  // when the steps being counted began
  int short_steps_ = 0, steps_ = fewest_steps;
  Impact entry_;
  int count_ = 0;
};

}  // namespace plumb
