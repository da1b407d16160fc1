// Coordinates of other joints (angles, displacements) are coupled: g = sum phi_k(q_k) - c (1 row). Gears and racks are
// the linear case; a cam is q_1 - f(q_2).
//   G = sum phi_k' dq_k/dv,   gamma = sum phi_k' (bias of q_k) + phi_k'' q_k'²
// A coupler holds as many bodies as its joints do, each with a linear and an angular block of its own.
#pragma once

#include <vector>

#include "plumb/expression/expression.h"
#include "plumb/system/parts/driven_angle.h"

namespace plumb {

// A distance along an axis, for prismatic joints.
struct DisplacementMeasure {
  End from, to;
  double axis[3];  // in the axes of `from`

  double value(const Placement& at) const;
  double rate(const Placement& at) const;
};

struct CouplerTerm {
  AngleMeasure angle;                  // if turns >= 0
  DisplacementMeasure slide;           // otherwise
  int turns = -1;                      // in Placement::turns: the angle's last unwound value
  double coefficient = 1;              // phi(q) = coefficient q,
  std::vector<Expression> function{};  // or phi(q) = coefficient function(q), one element
  int from = -1, to = -1;              // which of the coupler's bodies; -1: ground
};

struct Coupler {
  int joint = 0, row = 0;
  double constant = 0;
  std::vector<CouplerTerm> terms;
  std::vector<End> bodies;      // each once
  int linear = 0, angular = 0;  // offsets of the blocks of the first body
};

}  // namespace plumb
