// A system whose drives stand still: for statics.
#pragma once

#include <vector>

#include "plumb/system/system.h"

namespace plumb {

// Everything that joints prescribe as a function of time keeps the value it has at t = 0, without rate or acceleration;
// what prescribes a rate holds the place it has in y.
System hold_drives(System system, const std::vector<double>& y);

}  // namespace plumb
