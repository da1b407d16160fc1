// What is known of inputs before a run: the instants at which those of time alone switch, and how long a step may be
// where they change quickly.
//
// Instants are roots of the switches' arguments, found by halving intervals that can contain one
// (expression/interval.h): none is overlooked. Between them an input f is smooth. Over a cell on which |f''| <= c it
// departs from a straight line by at most c h²/8 in a step of length h; steps are kept so short that this stays below a
// small part of the range of f. Cells are halved until this bound says the same for all of a cell, so that no pulse is
// too narrow to be found.
#pragma once

#include <vector>

#include "plumb/expression/time_parts.h"

namespace plumb {

// How the instants of a switch are known.
enum class SwitchTiming : char {
  by_state,  // it depends on the state: located during the run
  listed,    // it depends on time alone: known before
  unlisted   // the same, but at more instants than can be listed: located during the run
};

class TimeScan {
 public:
  explicit TimeScan(double duration) : duration_(duration) {}

  // Notes the parts of time alone; how the switches of `expression` are known, by number.
  std::vector<SwitchTiming> add(const Expression& expression);
  // There is more that depends on time, in ways that cannot be read off.
  void note_unread() { has_unread_ = true; }
  // After all have been added.
  void finish();

  const std::vector<double>& instants() const { return instants_; }  // ascending, within the run
  double next_instant(double t) const;                               // after t; infinite: none
  // A time between t and the next instant, at which modes can be asked for.
  double inside_after(double t) const;

  // The longest step from t that sees all inputs; infinite: any.
  double longest_step(double t) const;

 private:
  struct Cell {
    double begin, end, limit;
  };
  struct Input {
    Expression expression;
    std::vector<Cell> cells;  // narrow ones only
  };
  bool find_instants(const TimedSwitch& s, std::vector<double>& found) const;
  void scan(Input& input, double begin, double end, const double* modes, double& low, double& high);

  double duration_;
  bool has_unread_ = false;
  std::vector<double> instants_;
  std::vector<Input> inputs_;
};

}  // namespace plumb
