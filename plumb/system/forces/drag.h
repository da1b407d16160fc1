// Drag on a body: F = -(c + d |v|) v at the mass centre.
#pragma once

#include "plumb/system/end.h"

namespace plumb {

struct Drag {
  End at;
  double linear = 0, quadratic = 0;
};

}  // namespace plumb
