// The contact problem of cone_complementarity.h by a sequence of convex ones.
//
// If u_n is raised by mu |u_t| the impulses are the least of ½ p.D p + (b + s).p over the cones |p_t| <= mu p_n, s_n
// being that shift: a convex problem, which an interior point method solves whatever D is (Nesterov-Todd scaling and
// Mehrotra's predictor; Y. Nesterov, M. Todd, Math. Oper. Res. 22 (1997) 1-42). With the u so found the shift is
// renewed until it stands still (V. Acary, F. Cadoux, C. Lemarechal, J. Malick, Z. Angew. Math. Mech. 91 (2011)
// 155-175), or until Newton's method takes over.
#pragma once

#include "plumb/solver/cone_complementarity.h"

namespace plumb {

// True, with p replaced, if the law comes to hold within `tolerance` (of an impulse); otherwise p is untouched. Not for
// problems with an offset.
bool solve_from_inside(const ConeProblem& problem, double* p, double tolerance);

// The least of ½ p.D p + b.p over the cones, with friction at rest: whether there are impulses within the cones that do
// what others outside of them do (b = -D p of those) is seen from what is left of D p + b. False: none was found.
bool least_within_cones(const ConeProblem& problem, double* p);

}  // namespace plumb
