// The pose a mechanism starts from. Bodies stand in the file as they are with all coordinates of joints at zero;
// `start` turns or slides a joint from there, and what hangs on it moves along, rigidly unless it closes a loop.
// With `fix_start` joints that are beyond their limits begin at them.
#pragma once

#include "plumb/model/model.h"
#include "plumb/system/system.h"

namespace plumb {

// Changes the start of a system, with its unwound angles and places on curves. `system` is the model with every body for
// itself. Throws InputError where the joints do not let a coordinate get there.
void pose_start(const Model& model, System& system);

// A coordinate beyond its limit at a start.
struct BrokenLimit {
  int limit;  // in System::limits
  double value;
};
std::vector<BrokenLimit> broken_limits(const System& system, const double* y);

}  // namespace plumb
