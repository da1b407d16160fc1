// Spring and damper between two points: tension k (s - s0) + c s', s = |p_to - p_from|.
#pragma once

#include "plumb/system/end.h"

namespace plumb {

struct Spring {
  End from, to;
  double stiffness = 0, damping = 0, length = 0;
};

}  // namespace plumb
