// A disc or a sphere carried by `to` rolls without slipping on a plane carried by `from` (3 rows): the first keeps it
// on the plane, the other two are nonholonomic and exist at velocity level only.
//
// With the centre c, the normal n and, for a disc, the axle a (unit vectors) the lowest point is P = c + r e,
//   sphere  e = -n          disc  e = -(n - (n.a) a)/k,  k = |n x a|
//   g = (n.(c - p_from) + r n.e,  -,  -)
//   G v = t_i.u,  t_i = n, two tangents fixed to `from`,  u = velocity of `to` at P minus velocity of `from` at P
// (P runs along the rim, but the rim is parallel to the plane at its lowest point, so that n.u is the rate of g.)
//   gamma = t_i.(c_to + w_t x r e' - c_from(P) - w_f x (P' - velocity of from at P)),  since u = 0
#pragma once

#include <cmath>

#include "plumb/system/parts/row_place.h"

namespace plumb {

struct Rolling {
  End from, to;
  RowPlace place;
  double axes[3][3];  // n and two tangents, in the axes of `from`
  double axle[3];     // in the axes of `to`; zero for a sphere
  double radius = 0;
  double height = 0;  // of the plane over the anchor of `from`

  static constexpr int rows = 3;
  static constexpr bool rare = true;
  static constexpr LinearForm linear_form = LinearForm::general;

  template <EndKind F, EndKind T>
  PLUMB_INLINE void residual(const Placement& at, double* g) const {
    double n[3], d[3], e[3];
    direction<F>(at, from, axes[0], n);
    span<F, T>(at, from, to, d);
    downwards<T>(at, n, e);
    g[0] = kernel::dot(n, d) + radius * kernel::dot(n, e) - height;
    g[1] = g[2] = 0;
  }

  template <EndKind F, EndKind T>
  PLUMB_INLINE void jacobian(const Placement& at, const Jacobian& J) const {
    double n[3], e[3], arm_to[3], arm_from[3], local[3];
    direction<F>(at, from, axes[0], n);
    downwards<T>(at, n, e);
    lowest<T>(at, e, arm_to);  // P
    kernel::copy(arm_from, arm_to);
    if (!is_ground<T>(to)) kernel::subtract(arm_to, at.q + to.q);
    if (!is_ground<F>(from)) kernel::subtract(arm_from, at.q + from.q);
    for (int r = 0; r < 3; ++r) {
      double* const t = J.linear + place.linear + 3 * r;
      direction<F>(at, from, axes[r], t);
      if (is_rigid<T>(to)) {
        kernel::cross(arm_to, t, local);
        angular_row<T>(at, to, 1, local, J.angular + place.to + 3 * r);
      }
      if (is_rigid<F>(from)) {
        kernel::cross(arm_from, t, local);
        angular_row<F>(at, from, -1, local, J.angular + place.from + 3 * r);
      }
    }
  }

  template <EndKind F, EndKind T>
  PLUMB_INLINE void bias(const Placement& at, const Jacobian& J, double* gamma) const {
    double n[3], e[3], rate[3], wt[3], wf[3], u[3], c[3];
    direction<F>(at, from, axes[0], n);
    downwards<T>(at, n, e);
    angular_velocity<T>(at, to, wt);
    angular_velocity<F>(at, from, wf);
    downwards_rate<T>(at, n, wt, wf, rate);
    for (double& x : rate) x *= radius;
    acceleration_bias<T>(at, to, c);
    kernel::cross(wt, rate, u);
    kernel::add(c, u);
    if (is_rigid<F>(from)) {
      // d/dt (v_f + w_f x (P - x_f)) = w_f x (P' - v_f) without the accelerations
      double p[3];
      velocity<T>(at, to, p);
      kernel::add(p, rate);
      kernel::subtract(p, at.v + from.v);
      kernel::cross(wf, p, u);
      kernel::subtract(c, u);
    }
    for (int r = 0; r < 3; ++r) gamma[r] = kernel::dot(J.linear + place.linear + 3 * r, c);
  }

  bool is_driven() const { return false; }
  void drive(const Placement&, const Jacobian&, double* g_t) const { g_t[0] = g_t[1] = g_t[2] = 0; }

 private:
  bool is_disc() const { return axle[0] != 0 || axle[1] != 0 || axle[2] != 0; }

  template <EndKind T>
  PLUMB_INLINE void downwards(const Placement& at, const double* n, double* e) const {
    for (int i = 0; i < 3; ++i) e[i] = -n[i];
    if (!is_disc()) return;
    double a[3];
    direction<T>(at, to, axle, a);
    kernel::add_scaled(e, kernel::dot(n, a), a);
    const double k = std::sqrt(kernel::dot(e, e));
    for (int i = 0; i < 3; ++i) e[i] /= k;
  }

  // e' = (f' - e (e.f'))/k with f = (n.a) a - n, n' = w_f x n, a' = w_t x a
  template <EndKind T>
  PLUMB_INLINE void downwards_rate(const Placement& at, const double* n, const double* wt, const double* wf,
                                   double* rate) const {
    double dn[3];
    kernel::cross(wf, n, dn);
    for (int i = 0; i < 3; ++i) rate[i] = -dn[i];
    if (!is_disc()) return;
    double a[3], da[3], f[3], e[3];
    direction<T>(at, to, axle, a);
    kernel::cross(wt, a, da);
    const double along = kernel::dot(n, a), turn = kernel::dot(dn, a) + kernel::dot(n, da);
    for (int i = 0; i < 3; ++i) f[i] = along * a[i] - n[i];
    const double k = std::sqrt(kernel::dot(f, f));
    for (int i = 0; i < 3; ++i) e[i] = f[i] / k;
    for (int i = 0; i < 3; ++i) rate[i] += turn * a[i] + along * da[i];
    const double stretch = kernel::dot(e, rate);
    for (int i = 0; i < 3; ++i) rate[i] = (rate[i] - e[i] * stretch) / k;
  }

  template <EndKind T>
  PLUMB_INLINE void lowest(const Placement& at, const double* e, double* p) const {
    position<T>(at, to, p);
    kernel::add_scaled(p, radius, e);
  }
};

}  // namespace plumb
