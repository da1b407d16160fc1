// The contact problem of cone_complementarity.h by Newton's method on
//   p_n - max(0, p_n - r u_n) = 0,   p_t - project(p_t - r u_t onto the disc of radius mu (p_n + offset)) = 0
// (P. Alart, A. Curnier, Comput. Methods Appl. Mech. Engrg. 92 (1991) 353-375). Fast near a solution and lost far from
// one; redundant contacts are no obstacle, since the shortest step is taken.
#pragma once

#include "plumb/solver/cone_complementarity.h"

namespace plumb {

// True, with p replaced, if the equations come to hold within `tolerance` (of an impulse); otherwise p is untouched.
bool newton_on_cones(const ConeProblem& problem, double* p, double tolerance);

}  // namespace plumb
