// Two points keep a distance l, which may be driven: g = (|d|² - l²)/(2 l0), d = p_to - p_from (1 row).
// Quadratic, hence smooth everywhere, and divided by l0 = l(0) so that g is the error in metres near zero.
//   L = d/l0,  gamma = (|d'|² + d.(c_to - c_from) - l'² - l l'')/l0
#pragma once

#include <cmath>

#include "plumb/system/parts/row_place.h"

namespace plumb {

struct Distance {
  End from, to;
  RowPlace place;
  double length = 1;  // l0
  int driver = -1;    // l(t)

  static constexpr int rows = 1;

  void span(const Placement& at, double* d) const {
    double p[3];
    position(at, to, d);
    position(at, from, p);
    kernel::subtract(d, p);
  }

  void residual(const Placement& at, double* g) const {
    double d[3];
    span(at, d);
    const double l = driver < 0 ? length : at.drivers[3 * driver];
    // (|d| - l)(|d| + l) without the cancellation of the squares.
    const double s = std::sqrt(kernel::dot(d, d));
    g[0] = (s - l) * (s + l) / (2 * length);
  }

  void jacobian(const Placement& at, const Jacobian& J) const {
    double* const n = J.linear + place.linear;
    span(at, n);
    for (int i = 0; i < 3; ++i) n[i] /= length;
    // A linear row n acts on a rotation about the mass centre by s x (Rᵀ n).
    if (to.kind == BodyKind::rigid) {
      double local[3];
      kernel::rotate_back(at.frame(to), n, local);
      kernel::cross(at.anchor(to), local, J.angular + place.to);
    }
    if (from.kind == BodyKind::rigid) {
      double local[3];
      kernel::rotate_back(at.frame(from), n, local);
      kernel::cross(local, at.anchor(from), J.angular + place.from);
    }
  }

  void bias(const Placement& at, double* gamma) const {
    double d[3], dd[3], c[3], u[3];
    span(at, d);
    plumb::velocity(at, to, dd);
    plumb::velocity(at, from, u);
    kernel::subtract(dd, u);
    acceleration_bias(at, to, c);
    acceleration_bias(at, from, u);
    kernel::subtract(c, u);
    double s = kernel::dot(dd, dd) + kernel::dot(d, c);
    if (driver >= 0) {
      const double* const l = at.drivers + 3 * driver;
      s -= l[1] * l[1] + l[0] * l[2];
    }
    gamma[0] = s / length;
  }

  void drive(const Placement& at, double* g_t) const {
    double d[3], u[3], w[3];
    span(at, d);
    anchor_velocity(at, to, u);
    anchor_velocity(at, from, w);
    kernel::subtract(u, w);
    double s = kernel::dot(d, u);
    if (driver >= 0) s -= at.drivers[3 * driver] * at.drivers[3 * driver + 1];
    g_t[0] = s / length;
  }
};

}  // namespace plumb
