// Where the rows of a constraint part stand: in g and lambda, and in the blocks of the Jacobian.
//
// The Jacobian of a joint with m rows is kept as  G = [-L  A_from | +L  A_to]:  every part depends on the
// positions only through p_to - p_from, so one linear block L (m x 3, world axes) serves both ends. The
// angular blocks (m x 3) are in the axes of their bodies.
//
// A part is a struct with `from`, `to`, `place`, its number of `rows`, the form of its linear block, and
// member templates of the kinds of its two ends:
//   residual<F, T>(at, g)       g(t, q)
//   jacobian<F, T>(at, J)       its rows of L, A_from, A_to
//   bias<F, T>(at, J, gamma)    gamma = G' v + d/dt(g_t), after jacobian at the same place
//   drive(at, J, g_t)           the explicit time derivative of g; zero unless is_driven()
#pragma once

#include "plumb/system/end.h"

namespace plumb {

struct RowPlace {
  int row = 0;     // in g, gamma, lambda
  int linear = 0;  // offset of the part's first row of L
  int from = 0;    // offset of its first row of A_from
  int to = 0;      // of A_to
  int joint = 0;
};

enum class LinearForm { identity, general, none };

struct Jacobian {
  double* linear;
  double* angular;
};

}  // namespace plumb
