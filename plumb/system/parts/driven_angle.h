// The angle of `to` against `from` about a common axis follows phi(t): g = wrap(theta - phi) (1 row).
//   A_to = R_toᵀ a,  A_from = -R_fromᵀ a,  gamma = (w_f x a).(w_t - w_f) - phi''
// exact while the axes coincide, which the other rows of the joint see to. Driven at velocity level only phi' is given.
#pragma once

#include <cmath>
#include <numbers>

#include "plumb/system/parts/row_place.h"

namespace plumb {

// An angle reduced to (-pi, pi].
inline double wrap_angle(double angle) { return std::remainder(angle, 2 * std::numbers::pi); }

// The angle about an axis between a direction on `from` and one on `to`, both perpendicular to the axis.
struct AngleMeasure {
  End from, to;
  double axis[3];       // in the axes of `from`
  double reference[3];  // direction on `from`, zero of the angle
  double pointer[3];    // direction on `to`

  double angle(const Placement& at) const {
    double a[3], u[3], w[3], n[3];
    direction(at, from, axis, a);
    direction(at, from, reference, u);
    direction(at, to, pointer, w);
    kernel::cross(u, w, n);
    return std::atan2(kernel::dot(n, a), kernel::dot(u, w));
  }

  double rate(const Placement& at) const {
    double a[3], wf[3], wt[3];
    direction(at, from, axis, a);
    angular_velocity(at, from, wf);
    angular_velocity(at, to, wt);
    kernel::subtract(wt, wf);
    return kernel::dot(a, wt);
  }
};

struct DrivenAngle {
  End from, to;  // as in the measure
  RowPlace place;
  AngleMeasure measure;
  int driver = 0;              // phi(t)
  bool velocity_only = false;  // the driver gives the rate; g is not kept

  static constexpr int rows = 1;
  static constexpr LinearForm linear_form = LinearForm::none;

  template <EndKind F, EndKind T>
  PLUMB_INLINE void residual(const Placement& at, double* g) const {
    g[0] = velocity_only ? 0 : wrap_angle(measure.angle(at) - at.drivers[3 * driver]);
  }

  template <EndKind F, EndKind T>
  PLUMB_INLINE void jacobian(const Placement& at, const Jacobian& J) const {
    double a[3];
    direction<F>(at, from, measure.axis, a);
    angular_row<F>(at, from, -1, a, J.angular + place.from);
    angular_row<T>(at, to, 1, a, J.angular + place.to);
  }

  template <EndKind F, EndKind T>
  PLUMB_INLINE void bias(const Placement& at, const Jacobian&, double* gamma) const {
    double a[3], wf[3], wt[3];
    direction<F>(at, from, measure.axis, a);
    angular_velocity<F>(at, from, wf);
    angular_velocity<T>(at, to, wt);
    kernel::subtract(wt, wf);
    kernel::cross(wf, a, a);
    gamma[0] = kernel::dot(a, wt) - at.drivers[3 * driver + 2];
  }

  bool is_driven() const { return true; }

  void drive(const Placement& at, const Jacobian&, double* g_t) const { g_t[0] = -at.drivers[3 * driver + 1]; }
};

}  // namespace plumb
