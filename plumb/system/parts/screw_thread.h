// Sliding along a common axis goes with turning about it: g = p wrap(s/p - theta), s = a.d (1 row), p the advance per
// radian. Reducing the angle instead of counting turns makes g unique.
//   L = a,  A_to = s_to x (R_toᵀ a) - p R_toᵀ a,  A_from = (R_fromᵀ a) x (R_fromᵀ (p_to - x_from)) + p R_fromᵀ a
//   gamma = that of a point in the plane with normal a, minus p (w_f x a).(w_t - w_f)
// exact while the axes coincide, which the other rows of the joint see to.
#pragma once

#include "plumb/system/parts/driven_angle.h"
#include "plumb/system/parts/point_in_plane.h"

namespace plumb {

struct ScrewThread {
  End from, to;
  RowPlace place;
  AngleMeasure angle;
  double advance = 0;  // m per radian
  double start = 0;    // s at the start

  static constexpr int rows = 1;
  static constexpr bool rare = true;
  static constexpr LinearForm linear_form = LinearForm::general;

  template <EndKind F, EndKind T>
  PLUMB_INLINE void residual(const Placement& at, double* g) const {
    slide().template residual<F, T>(at, g);
    g[0] = advance * wrap_angle((g[0] - start) / advance - angle.angle(at));
  }

  template <EndKind F, EndKind T>
  PLUMB_INLINE void jacobian(const Placement& at, const Jacobian& J) const {
    slide().template jacobian<F, T>(at, J);
    const double* const a = J.linear + place.linear;
    double row[3];
    if (is_rigid<T>(to)) angular_row<T>(at, to, -advance, a, row), kernel::add(J.angular + place.to, row);
    if (is_rigid<F>(from)) angular_row<F>(at, from, advance, a, row), kernel::add(J.angular + place.from, row);
  }

  template <EndKind F, EndKind T>
  PLUMB_INLINE void bias(const Placement& at, const Jacobian& J, double* gamma) const {
    slide().template bias<F, T>(at, J, gamma);
    double a[3], wf[3], wt[3];
    kernel::copy(a, J.linear + place.linear);
    angular_velocity<F>(at, from, wf);
    angular_velocity<T>(at, to, wt);
    kernel::subtract(wt, wf);
    kernel::cross(wf, a, a);
    gamma[0] -= advance * kernel::dot(a, wt);
  }

  bool is_driven() const { return from.motion >= 0 || to.motion >= 0; }
  void drive(const Placement& at, const Jacobian& J, double* g_t) const { slide().drive(at, J, g_t); }

 private:
  PointInPlane slide() const {
    PointInPlane p{from, to, place, {}, -1};
    kernel::copy(p.normal, angle.axis);
    return p;
  }
};

}  // namespace plumb
