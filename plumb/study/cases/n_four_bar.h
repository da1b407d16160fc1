// IFToMM A02 for any N: N + 1 upright bars on ground pins at (i, 0), N couplers along their upper ends B_i; bars of 1 m
// and 1 kg; v(B0) = (1, 0) at the start.
#pragma once

#include "plumb/model/model.h"

namespace plumb {

Model n_four_bar(int n, double duration);

}  // namespace plumb
