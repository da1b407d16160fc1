// An axis a of `from` stays perpendicular to an axis b of `to`: g = a.b (1 row, no linear part).
//   A_from = R_fromᵀ (a x b),  A_to = -R_toᵀ (a x b)
//   gamma = (w_f x (w_f x a)).b + 2 (w_f x a).(w_t x b) + a.(w_t x (w_t x b))
#pragma once

#include "plumb/system/parts/row_place.h"

namespace plumb {

struct PerpendicularAxes {
  End from, to;
  RowPlace place;
  double a[3], b[3];  // in the axes of their bodies

  static constexpr int rows = 1;
  static constexpr LinearForm linear_form = LinearForm::none;

  template <EndKind F, EndKind T>
  PLUMB_INLINE void residual(const Placement& at, double* g) const {
    double u[3], w[3];
    direction<F>(at, from, a, u);
    direction<T>(at, to, b, w);
    g[0] = kernel::dot(u, w);
  }

  template <EndKind F, EndKind T>
  PLUMB_INLINE void jacobian(const Placement& at, const Jacobian& J) const {
    double u[3], w[3], n[3];
    direction<F>(at, from, a, u);
    direction<T>(at, to, b, w);
    kernel::cross(u, w, n);
    angular_row<F>(at, from, 1, n, J.angular + place.from);
    angular_row<T>(at, to, -1, n, J.angular + place.to);
  }

  template <EndKind F, EndKind T>
  PLUMB_INLINE void bias(const Placement& at, const Jacobian&, double* gamma) const {
    double u[3], w[3], wf[3], wt[3], cu[3], cw[3], du[3], dw[3];
    direction<F>(at, from, a, u);
    direction<T>(at, to, b, w);
    angular_velocity<F>(at, from, wf);
    angular_velocity<T>(at, to, wt);
    kernel::centripetal(wf, u, cu);
    kernel::centripetal(wt, w, cw);
    kernel::cross(wf, u, du);
    kernel::cross(wt, w, dw);
    gamma[0] = kernel::dot(cu, w) + 2 * kernel::dot(du, dw) + kernel::dot(u, cw);
  }

  bool is_driven() const { return false; }

  void drive(const Placement&, const Jacobian&, double* g_t) const { g_t[0] = 0; }
};

}  // namespace plumb
