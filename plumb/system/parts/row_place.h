// Where the rows of a constraint part stand: in g and lambda, and in the blocks of the Jacobian.
//
// The Jacobian of a joint with m rows is kept as  G = [-L  A_from | +L  A_to]:  every part depends on the
// positions only through p_to - p_from, so one linear block L (m x 3, world axes) serves both ends. The
// angular blocks (m x 3) are in the axes of their bodies.
#pragma once

#include "plumb/system/end.h"

namespace plumb {

struct RowPlace {
  int row = 0;      // in g, gamma, lambda
  int linear = 0;   // offset of the part's first row of L
  int from = 0;     // offset of its first row of A_from
  int to = 0;       // of A_to
  int joint = 0;
};

// What a part writes: g, G, the bias gamma = G' v + d/dt(g_t), and g_t.
struct Jacobian {
  double* linear;
  double* angular;
};

}  // namespace plumb
