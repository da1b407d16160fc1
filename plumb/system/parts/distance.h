// Two points keep a distance l, which may be driven: g = (|d|² - l²)/(2 l0), d = p_to - p_from (1 row).
// Quadratic, hence smooth everywhere, and divided by l0 = l(0) so that g is the error in metres near zero.
//   L = d/l0,  gamma = (|d'|² + d.(c_to - c_from) - l'² - l l'')/l0
#pragma once

#include "plumb/system/parts/row_place.h"

namespace plumb {

struct Distance {
  End from, to;
  RowPlace place;
  double length = 1;  // l0
  double inverse_length = 1;
  int driver = -1;  // l(t)

  static constexpr int rows = 1;
  static constexpr LinearForm linear_form = LinearForm::general;

  template <EndKind F, EndKind T>
  PLUMB_INLINE void residual(const Placement& at, double* g) const {
    double d[3];
    span<F, T>(at, from, to, d);
    const double l = driver < 0 ? length : at.drivers[3 * driver];
    g[0] = (kernel::dot(d, d) - l * l) * (inverse_length / 2);
  }

  template <EndKind F, EndKind T>
  PLUMB_INLINE void jacobian(const Placement& at, const Jacobian& J) const {
    double n[3], local[3];
    span<F, T>(at, from, to, n);
    for (int i = 0; i < 3; ++i) n[i] *= inverse_length;
    kernel::copy(J.linear + place.linear, n);
    // A linear row n acts on a rotation about the mass centre by s x (Rᵀ n).
    if (is_rigid<T>(to)) {
      kernel::rotate_back(at.frame(to), n, local);
      kernel::cross(at.anchor(to), local, J.angular + place.to);
    }
    if (is_rigid<F>(from)) {
      kernel::rotate_back(at.frame(from), n, local);
      kernel::cross(local, at.anchor(from), J.angular + place.from);
    }
  }

  template <EndKind F, EndKind T>
  PLUMB_INLINE void bias(const Placement& at, const Jacobian& J, double* gamma) const {
    double d[3];
    span_rate<F, T>(at, from, to, d);
    double s = kernel::dot(d, d);
    if (driver >= 0) {
      const double* const l = at.drivers + 3 * driver;
      s -= l[1] * l[1] + l[0] * l[2];
    }
    gamma[0] = s * inverse_length;
    if (has_bias<F> || has_bias<T>) gamma[0] += span_bias<F, T>(at, from, to, J.linear + place.linear);
  }

  bool is_driven() const { return driver >= 0 || from.motion >= 0 || to.motion >= 0; }

  void drive(const Placement& at, const Jacobian& J, double* g_t) const {
    double u[3], w[3];
    anchor_velocity(at, to, u);
    anchor_velocity(at, from, w);
    kernel::subtract(u, w);
    g_t[0] = kernel::dot(J.linear + place.linear, u);
    if (driver >= 0) g_t[0] -= at.drivers[3 * driver] * at.drivers[3 * driver + 1] * inverse_length;
  }
};

}  // namespace plumb
