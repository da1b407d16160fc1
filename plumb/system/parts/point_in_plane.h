// A point of `to` keeps its height over a plane carried by `from`: g = n.d - h(t), d = p_to - p_from (1 row).
//   L = n,  A_to = s_to x (R_toᵀ n),  A_from = (R_fromᵀ n) x (R_fromᵀ (p_to - x_from))
//   gamma = n.(c_to - c_from) + 2 (w x n).d' + (w x (w x n)).d - h'',   w of `from`, d' as the bodies move
#pragma once

#include "plumb/system/parts/row_place.h"

namespace plumb {

struct PointInPlane {
  End from, to;
  RowPlace place;
  double normal[3];  // in the axes of `from`
  int driver = -1;   // h(t)

  static constexpr int rows = 1;

  void span(const Placement& at, double* d) const {
    double p[3];
    position(at, to, d);
    position(at, from, p);
    kernel::subtract(d, p);
  }

  void residual(const Placement& at, double* g) const {
    double n[3], d[3];
    direction(at, from, normal, n);
    span(at, d);
    g[0] = kernel::dot(n, d) - (driver < 0 ? 0 : at.drivers[3 * driver]);
  }

  void jacobian(const Placement& at, const Jacobian& J) const {
    double* const n = J.linear + place.linear;
    direction(at, from, normal, n);
    if (to.kind == BodyKind::rigid) {
      double local[3];
      kernel::rotate_back(at.frame(to), n, local);
      kernel::cross(at.anchor(to), local, J.angular + place.to);
    }
    if (from.kind == BodyKind::rigid) {
      double arm[3];
      position(at, to, arm);
      kernel::subtract(arm, at.q + from.q);
      kernel::rotate_back(at.frame(from), arm, arm);
      kernel::cross(normal, arm, J.angular + place.from);
    }
  }

  void bias(const Placement& at, double* gamma) const {
    double n[3], d[3], dd[3], c[3], u[3], w[3];
    direction(at, from, normal, n);
    acceleration_bias(at, to, c);
    acceleration_bias(at, from, u);
    kernel::subtract(c, u);
    gamma[0] = kernel::dot(n, c);
    if (driver >= 0) gamma[0] -= at.drivers[3 * driver + 2];
    if (from.kind != BodyKind::rigid) return;
    span(at, d);
    plumb::velocity(at, to, dd);
    plumb::velocity(at, from, u);
    kernel::subtract(dd, u);
    angular_velocity(at, from, w);
    kernel::cross(w, n, u);
    gamma[0] += 2 * kernel::dot(u, dd);
    kernel::centripetal(w, n, u);
    gamma[0] += kernel::dot(u, d);
  }

  void drive(const Placement& at, double* g_t) const {
    double n[3], u[3], w[3];
    direction(at, from, normal, n);
    anchor_velocity(at, to, u);
    anchor_velocity(at, from, w);
    kernel::subtract(u, w);
    g_t[0] = kernel::dot(n, u) - (driver < 0 ? 0 : at.drivers[3 * driver + 1]);
  }
};

}  // namespace plumb
