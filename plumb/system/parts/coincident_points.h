// Two points are one: g = p_to - p_from (3 rows).
//   L = 1,  A_to = -R_to [s_to]x,  A_from = R_from [s_from]x,  gamma = c_to - c_from
// with c the centripetal acceleration of each point. L is constant and written once.
#pragma once

#include "plumb/system/parts/row_place.h"

namespace plumb {

struct CoincidentPoints {
  End from, to;
  RowPlace place;

  static constexpr int rows = 3;
  static constexpr LinearForm linear_form = LinearForm::identity;

  template <EndKind F, EndKind T>
  PLUMB_INLINE void residual(const Placement& at, double* g) const {
    span<F, T>(at, from, to, g);
  }

  template <EndKind F, EndKind T>
  PLUMB_INLINE void jacobian(const Placement& at, const Jacobian& J) const {
    // Row r of R [s]x is (row r of R) x s.
    if (is_rigid<T>(to))
      for (int r = 0; r < 3; ++r) kernel::cross(at.anchor(to), at.frame(to) + 3 * r, J.angular + place.to + 3 * r);
    if (is_rigid<F>(from))
      for (int r = 0; r < 3; ++r)
        kernel::cross(at.frame(from) + 3 * r, at.anchor(from), J.angular + place.from + 3 * r);
  }

  template <EndKind F, EndKind T>
  PLUMB_INLINE void bias(const Placement& at, const Jacobian&, double* gamma) const {
    double c[3];
    acceleration_bias<T>(at, to, gamma);
    if (!has_bias<F>) return;
    acceleration_bias<F>(at, from, c);
    kernel::subtract(gamma, c);
  }

  bool is_driven() const { return from.motion >= 0 || to.motion >= 0; }

  void drive(const Placement& at, const Jacobian&, double* g_t) const {
    double u[3];
    anchor_velocity(at, to, g_t);
    anchor_velocity(at, from, u);
    kernel::subtract(g_t, u);
  }
};

}  // namespace plumb
