// A point of `to` keeps its height over a plane carried by `from`: g = n.d - h(t), d = p_to - p_from (1 row).
//   L = n,  A_to = s_to x (R_toᵀ n),  A_from = (R_fromᵀ n) x (R_fromᵀ (p_to - x_from))
//   gamma = n.(c_to - c_from) + 2 (w x n).d' + (w x (w x n)).d - h'',   w of `from`
#pragma once

#include "plumb/system/parts/row_place.h"

namespace plumb {

struct PointInPlane {
  End from, to;
  RowPlace place;
  double normal[3];            // in the axes of `from`
  int driver = -1;             // h(t)
  bool velocity_only = false;  // the driver gives the rate; g is not kept

  static constexpr int rows = 1;
  static constexpr LinearForm linear_form = LinearForm::general;

  template <EndKind F, EndKind T>
  PLUMB_INLINE void residual(const Placement& at, double* g) const {
    double n[3], d[3];
    g[0] = 0;
    if (velocity_only) return;
    direction<F>(at, from, normal, n);
    span<F, T>(at, from, to, d);
    g[0] = kernel::dot(n, d) - (driver < 0 ? 0 : at.drivers[3 * driver]);
  }

  template <EndKind F, EndKind T>
  PLUMB_INLINE void jacobian(const Placement& at, const Jacobian& J) const {
    double* const n = J.linear + place.linear;
    direction<F>(at, from, normal, n);
    if (is_rigid<T>(to)) {
      double local[3];
      kernel::rotate_back(at.frame(to), n, local);
      kernel::cross(at.anchor(to), local, J.angular + place.to);
    }
    if (is_rigid<F>(from)) {
      double arm[3];
      position<T>(at, to, arm);
      kernel::subtract(arm, at.q + from.q);
      kernel::rotate_back(at.frame(from), arm, arm);
      kernel::cross(normal, arm, J.angular + place.from);
    }
  }

  template <EndKind F, EndKind T>
  PLUMB_INLINE void bias(const Placement& at, const Jacobian& J, double* gamma) const {
    const double* const n = J.linear + place.linear;
    double d[3], u[3], w[3];
    gamma[0] = span_bias<F, T>(at, from, to, n);
    if (driver >= 0) gamma[0] -= at.drivers[3 * driver + 2];
    if (!is_rigid<F>(from)) return;
    angular_velocity<F>(at, from, w);
    span_rate<F, T>(at, from, to, d);
    kernel::cross(w, n, u);
    gamma[0] += 2 * kernel::dot(u, d);
    span<F, T>(at, from, to, d);
    kernel::centripetal(w, n, u);
    gamma[0] += kernel::dot(u, d);
  }

  bool is_driven() const { return driver >= 0 || from.motion >= 0 || to.motion >= 0; }

  void drive(const Placement& at, const Jacobian& J, double* g_t) const {
    double u[3], w[3];
    anchor_velocity(at, to, u);
    anchor_velocity(at, from, w);
    kernel::subtract(u, w);
    g_t[0] = kernel::dot(J.linear + place.linear, u) - (driver < 0 ? 0 : at.drivers[3 * driver + 1]);
  }
};

}  // namespace plumb
