// What of an expression depends on time alone, and can therefore be known before a run: its switches, and its smooth
// inputs.
#pragma once

#include <vector>

#include "plumb/expression/expression.h"

namespace plumb {

struct TimedSwitch {
  int number;           // among the switches of the expression
  Expression argument;  // it switches where this passes zero
  bool at_integers;     // or any whole number
};

struct TimeParts {
  std::vector<Expression> inputs;  // the largest parts of time alone; sums are taken apart
  std::vector<TimedSwitch> switches;
  // Time enters a function together with other things, where nothing can be read off.
  bool is_hidden = false;
};

TimeParts time_parts(const Expression& expression);

}  // namespace plumb
