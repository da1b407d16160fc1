// Two shafts that meet at an angle turn equally fast: the rotation of `to` against `from` has no part about the
// direction of the shafts (1 row). With two directions a_i across the shaft of `from` and b_i across that of `to`,
// which coincide when the shafts are in line,
//   g = (a_1.b_2 - a_2.b_1)/2,
// which is -2 q_w q_z of the relative quaternion. Jacobian and bias are differences of those of perpendicular axes.
#pragma once

#include "plumb/system/parts/perpendicular_axes.h"

namespace plumb {

struct EqualSpin {
  End from, to;
  RowPlace place;
  double a[2][3];  // in the axes of `from`
  double b[2][3];  // in the axes of `to`

  static constexpr int rows = 1;
  static constexpr bool rare = true;
  static constexpr LinearForm linear_form = LinearForm::none;

  template <EndKind F, EndKind T>
  PLUMB_INLINE void residual(const Placement& at, double* g) const {
    double other[1];
    pair(0, 1).template residual<F, T>(at, g);
    pair(1, 0).template residual<F, T>(at, other);
    g[0] = (g[0] - other[0]) / 2;
  }

  template <EndKind F, EndKind T>
  PLUMB_INLINE void jacobian(const Placement& at, const Jacobian& J) const {
    double rows_of[2][6] = {};
    for (int k = 0; k < 2; ++k) {
      PerpendicularAxis p = pair(k, 1 - k);
      p.place = {0, 0, 0, 3, 0};
      p.template jacobian<F, T>(at, {nullptr, rows_of[k]});
    }
    for (int i = 0; i < 3; ++i) {
      if (is_rigid<F>(from)) J.angular[place.from + i] = (rows_of[0][i] - rows_of[1][i]) / 2;
      if (is_rigid<T>(to)) J.angular[place.to + i] = (rows_of[0][3 + i] - rows_of[1][3 + i]) / 2;
    }
  }

  template <EndKind F, EndKind T>
  PLUMB_INLINE void bias(const Placement& at, const Jacobian& J, double* gamma) const {
    double other[1];
    pair(0, 1).template bias<F, T>(at, J, gamma);
    pair(1, 0).template bias<F, T>(at, J, other);
    gamma[0] = (gamma[0] - other[0]) / 2;
  }

  bool is_driven() const { return false; }
  void drive(const Placement&, const Jacobian&, double* g_t) const { g_t[0] = 0; }

 private:
  PerpendicularAxis pair(int i, int j) const {
    PerpendicularAxis p{from, to, place, {}, {}};
    kernel::copy(p.a, a[i]);
    kernel::copy(p.b[0], b[j]);
    return p;
  }
};

}  // namespace plumb
