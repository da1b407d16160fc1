// Two points are one: g = p_to - p_from (3 rows).
//   L = 1,  A_to = -R_to [s_to]x,  A_from = R_from [s_from]x,  gamma = c_to - c_from
// with c the centripetal acceleration of each point. L is constant and written once, by the joint builder.
#pragma once

#include "plumb/system/parts/row_place.h"

namespace plumb {

struct CoincidentPoints {
  End from, to;
  RowPlace place;

  static constexpr int rows = 3;

  void residual(const Placement& at, double* g) const {
    double p[3];
    position(at, to, g);
    position(at, from, p);
    kernel::subtract(g, p);
  }

  void jacobian(const Placement& at, const Jacobian& J) const {
    // Row r of R [s]x is (row r of R) x s.
    if (to.kind == BodyKind::rigid)
      for (int r = 0; r < 3; ++r)
        kernel::cross(at.anchor(to), at.frame(to) + 3 * r, J.angular + place.to + 3 * r);
    if (from.kind == BodyKind::rigid)
      for (int r = 0; r < 3; ++r)
        kernel::cross(at.frame(from) + 3 * r, at.anchor(from), J.angular + place.from + 3 * r);
  }

  void bias(const Placement& at, double* gamma) const {
    double c[3];
    acceleration_bias(at, to, gamma);
    acceleration_bias(at, from, c);
    kernel::subtract(gamma, c);
  }

  void drive(const Placement& at, double* g_t) const {
    double u[3];
    anchor_velocity(at, to, g_t);
    anchor_velocity(at, from, u);
    kernel::subtract(g_t, u);
  }
};

}  // namespace plumb
