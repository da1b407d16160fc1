// Two shafts that meet at an angle turn equally fast: the rotation p of `to` against `from`, as a quaternion in the
// axes of the shafts, has no part about them (1 row).
//   g = 2 p_z,   p = conj(q_from c_from) (q_to c_to)
// With w_A, w_B the angular velocities in the axes of the shafts, p' = (p w_B - w_A p)/2, so that
//   g'    = L(p) := p_w (w_Bz - w_Az) + p_x (w_By + w_Ay) - p_y (w_Bx + w_Ax)
//   gamma = L(p')
// The gradient has length 1 in either body wherever g = 0, also where the shafts are folded back on each other. (The
// same said by directions across the shafts, a_1.b_2 = a_2.b_1, is p_w p_z = 0: there two branches cross.)
#pragma once

#include "plumb/system/parts/row_place.h"

namespace plumb {

struct EqualSpin {
  End from, to;
  RowPlace place;
  // Axes of the shafts in those of their bodies: as quaternions, and the three axes one after the other.
  double c_from[4], c_to[4];
  double axes_from[9], axes_to[9];

  static constexpr int rows = 1;
  static constexpr bool rare = true;
  static constexpr LinearForm linear_form = LinearForm::none;

  template <EndKind F, EndKind T>
  PLUMB_INLINE void residual(const Placement& at, double* g) const {
    double p[4];
    relative<F, T>(at, p);
    g[0] = 2 * p[3];
  }

  template <EndKind F, EndKind T>
  PLUMB_INLINE void jacobian(const Placement& at, const Jacobian& J) const {
    double p[4];
    relative<F, T>(at, p);
    const double on_from[3] = {-p[2], p[1], -p[0]}, on_to[3] = {-p[2], p[1], p[0]};
    for (int i = 0; i < 3; ++i) {
      if (is_rigid<F>(from)) J.angular[place.from + i] = combined(axes_from, on_from, i);
      if (is_rigid<T>(to)) J.angular[place.to + i] = combined(axes_to, on_to, i);
    }
  }

  template <EndKind F, EndKind T>
  PLUMB_INLINE void bias(const Placement& at, const Jacobian&, double* gamma) const {
    double p[4], rate[4], right[4], left[4], a[3] = {}, b[3] = {};
    relative<F, T>(at, p);
    for (int k = 0; k < 3; ++k) {
      if (is_rigid<F>(from)) a[k] = kernel::dot(axes_from + 3 * k, at.omega(from));
      if (is_rigid<T>(to)) b[k] = kernel::dot(axes_to + 3 * k, at.omega(to));
    }
    const double w_a[4] = {0, a[0], a[1], a[2]}, w_b[4] = {0, b[0], b[1], b[2]};
    multiply(p, w_b, right);
    multiply(w_a, p, left);
    for (int i = 0; i < 4; ++i) rate[i] = (right[i] - left[i]) / 2;
    gamma[0] = rate[0] * (b[2] - a[2]) + rate[1] * (b[1] + a[1]) - rate[2] * (b[0] + a[0]);
  }

  bool is_driven() const { return false; }
  void drive(const Placement&, const Jacobian&, double* g_t) const { g_t[0] = 0; }

 private:
  static void multiply(const double* x, const double* y, double* product) {
    product[0] = x[0] * y[0] - x[1] * y[1] - x[2] * y[2] - x[3] * y[3];
    product[1] = x[0] * y[1] + x[1] * y[0] + x[2] * y[3] - x[3] * y[2];
    product[2] = x[0] * y[2] - x[1] * y[3] + x[2] * y[0] + x[3] * y[1];
    product[3] = x[0] * y[3] + x[1] * y[2] - x[2] * y[1] + x[3] * y[0];
  }
  static double combined(const double* axes, const double* weights, int i) {
    return weights[0] * axes[i] + weights[1] * axes[3 + i] + weights[2] * axes[6 + i];
  }

  template <EndKind F, EndKind T>
  PLUMB_INLINE void relative(const Placement& at, double* p) const {
    double a[4] = {c_from[0], c_from[1], c_from[2], c_from[3]}, b[4] = {c_to[0], c_to[1], c_to[2], c_to[3]};
    if (is_rigid<F>(from)) multiply(at.q + from.q + 3, c_from, a);
    if (is_rigid<T>(to)) multiply(at.q + to.q + 3, c_to, b);
    for (int i = 1; i < 4; ++i) a[i] = -a[i];
    multiply(a, b, p);
    const double length = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int i = 0; i < 4; ++i) p[i] /= length;
  }
};

}  // namespace plumb
