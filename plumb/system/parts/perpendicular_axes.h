// An axis a of `from` stays perpendicular to axes b of `to`: g = a.b, one row for each b, no linear part.
// One b leaves two rotations free; two different b make a parallel to their common normal and leave one.
//   A_from = R_fromᵀ (a x b) = a x (R_fromᵀ b),  A_to = -R_toᵀ (a x b) = b x (R_toᵀ a)   (each in its own axes)
//   gamma = b.h,  h = w_f x (w_f x a) + 2 (w_f x a) x w_t + w_t x (w_t x a)
#pragma once

#include "plumb/system/parts/row_place.h"

namespace plumb {

template <int Rows>
struct PerpendicularAxes {
  End from, to;
  RowPlace place;
  double a[3];        // in the axes of `from`
  double b[Rows][3];  // in the axes of `to`

  static constexpr int rows = Rows;
  static constexpr LinearForm linear_form = LinearForm::none;

  template <EndKind F, EndKind T>
  PLUMB_INLINE void residual(const Placement& at, double* g) const {
    double u[3];
    axis_in_to<F, T>(at, u);
    for (int r = 0; r < Rows; ++r) g[r] = kernel::dot(u, b[r]);
  }

  template <EndKind F, EndKind T>
  PLUMB_INLINE void jacobian(const Placement& at, const Jacobian& J) const {
    double u[3];
    if (is_rigid<T>(to)) {
      axis_in_to<F, T>(at, u);
      for (int r = 0; r < Rows; ++r) kernel::cross(b[r], u, J.angular + place.to + 3 * r);
    }
    if (is_rigid<F>(from))
      for (int r = 0; r < Rows; ++r) {
        direction<T>(at, to, b[r], u);
        kernel::rotate_back(at.frame(from), u, u);
        kernel::cross(a, u, J.angular + place.from + 3 * r);
      }
  }

  template <EndKind F, EndKind T>
  PLUMB_INLINE void bias(const Placement& at, const Jacobian&, double* gamma) const {
    double u[3], wf[3], wt[3], turn[3], h[3], w[3];
    direction<F>(at, from, a, u);
    angular_velocity<F>(at, from, wf);
    angular_velocity<T>(at, to, wt);
    kernel::centripetal(wf, u, h);
    kernel::centripetal(wt, u, w);
    kernel::add(h, w);
    kernel::cross(wf, u, turn);
    kernel::cross(turn, wt, turn);
    kernel::add_scaled(h, 2, turn);
    if (is_rigid<T>(to)) kernel::rotate_back(at.frame(to), h, h);
    for (int r = 0; r < Rows; ++r) gamma[r] = kernel::dot(h, b[r]);
  }

  bool is_driven() const { return false; }

  void drive(const Placement&, const Jacobian&, double* g_t) const {
    for (int r = 0; r < Rows; ++r) g_t[r] = 0;
  }

 private:
  // R_toᵀ a
  template <EndKind F, EndKind T>
  PLUMB_INLINE void axis_in_to(const Placement& at, double* u) const {
    direction<F>(at, from, a, u);
    if (is_rigid<T>(to)) kernel::rotate_back(at.frame(to), u, u);
  }
};

using PerpendicularAxis = PerpendicularAxes<1>;
using ParallelAxis = PerpendicularAxes<2>;

}  // namespace plumb
