// One-sided joints as contacts: least and largest angle, displacement or distance, and taut ropes.
//
//   angle         gap = ±(theta - limit), the row turns `to` against `from` about ±a; no linear part
//   displacement  gap = ±(s - limit), s = a.d; the row pushes along ±a at the anchor of `to`
//   distance      gap = ±(|d| - limit), the row pushes along ±e, e = d/|d|, at the two anchors;
//                 gap'' bias = ±((|d'|² - (e.d')²)/|d| + e.(c_to - c_from))
// Friction in a joint acts along the same rows. Neither has friction across them; tangents of an angle are the other
// two rotations, which nobody pushes along.
#include <algorithm>
#include <cmath>

#include "plumb/contact/touch.h"
#include "plumb/system/parts/point_in_plane.h"

namespace plumb {
namespace {

double unwound(const Placement& at, const AngleMeasure& m, int index) {
  const double last = at.turns[index];
  return last + wrap_angle(m.angle(at) - last);
}

}  // namespace

static double gap_of(const System& system, const Placement& at, const SystemLimit& l) {
  const SystemJoint& j = system.joints[l.joint];
  const double sign = l.is_least() ? 1 : -1;
  if (l.is_angle()) return sign * (unwound(at, system.angles[j.angle], j.angle) - l.value);
  if (!l.is_distance()) return sign * (system.displacements[j.displacement].value(at) - l.value);
  double d[3];
  span(at, j.from, j.to, d);
  return sign * (std::sqrt(kernel::dot(d, d)) - l.value);
}

// Seen from `to`, which must be a body: of a joint that ends at the ground the roles are exchanged.
static Touch touch_of(const System& system, const Placement& at, const SystemLimit& l) {
  const SystemJoint& j = system.joints[l.joint];
  const double sign = l.is_least() ? 1 : -1;
  const bool exchanged = j.to.kind == BodyKind::ground;
  const End &from = exchanged ? j.to : j.from, &to = exchanged ? j.from : j.to;
  const double side = exchanged ? -1 : 1;
  Touch t{};
  t.gap = gap_of(system, at, l);
  t.turns = l.is_angle();
  position(at, to, t.point);
  double n[3], relative[3];
  if (l.is_angle()) {
    const AngleMeasure& m = system.angles[j.angle];
    double wf[3], wt[3], turn[3];
    direction(at, m.from, m.axis, n);
    angular_velocity(at, m.from, wf);
    angular_velocity(at, m.to, wt);
    kernel::subtract(wt, wf);
    kernel::cross(wf, n, turn);
    t.normal_bias = sign * kernel::dot(turn, wt);
    for (int i = 0; i < 3; ++i) t.normal[i] = sign * side * n[i], t.velocity[i] = side * wt[i];
    return t;
  }
  span_rate(at, j.from, j.to, relative);
  double p_from[3], p_to[3];
  position(at, j.from, p_from);
  position(at, j.to, p_to);
  if (l.is_distance()) {
    double e[3];
    kernel::copy(e, p_to);
    kernel::subtract(e, p_from);
    const double length = std::sqrt(kernel::dot(e, e));
    // Ends in one place have no direction between them, and are far from taut.
    if (length == 0) {
      t.normal[2] = 1;
      return t;
    }
    for (double& x : e) x /= length;
    const double along = kernel::dot(e, relative);
    t.normal_bias = sign * ((kernel::dot(relative, relative) - along * along) / length +
                            span_bias<EndKind::any, EndKind::any>(at, j.from, j.to, e));
    for (int i = 0; i < 3; ++i) n[i] = sign * e[i];
  } else {
    const DisplacementMeasure& m = system.displacements[j.displacement];
    PointInPlane plane{m.from, m.to, {}, {}, -1};
    kernel::copy(plane.normal, m.axis);
    direction(at, m.from, m.axis, n);
    plane.bias<EndKind::any, EndKind::any>(at, {n, nullptr}, &t.normal_bias);
    t.normal_bias *= sign;
    for (double& x : n) x *= sign;
    // Seen from `from`, which turns: what counts is the place of `to` on it.
    kernel::copy(p_from, p_to);
    if (m.from.kind == BodyKind::rigid) {
      double w[3], d[3], turn[3];
      angular_velocity(at, m.from, w);
      span(at, m.from, m.to, d);
      kernel::cross(w, d, turn);
      kernel::subtract(relative, turn);
    }
  }
  for (int i = 0; i < 3; ++i) t.normal[i] = side * n[i], t.velocity[i] = side * relative[i];
  const double* const of_to = side > 0 ? p_to : p_from;
  const double* const of_from = side > 0 ? p_from : p_to;
  kernel::copy(t.arm_to, of_to);
  kernel::subtract(t.arm_to, at.q + to.q);
  if (from.kind == BodyKind::ground) return t;
  kernel::copy(t.arm_from, of_from);
  kernel::subtract(t.arm_from, at.q + from.q);
  return t;
}

double limit_gap(const System& system, const Placement& at, int limit) {
  return gap_of(system, at, system.limits[limit]);
}

Touch limit_touch(const System& system, const Placement& at, int limit) {
  return touch_of(system, at, system.limits[limit]);
}

Touch friction_touch(const System& system, const Placement& at, int friction) {
  SystemLimit coordinate;
  coordinate.joint = system.frictions[friction].joint;
  const bool turns = system.joints[coordinate.joint].angle >= 0;
  coordinate.kind = turns ? SystemLimit::Kind::least_angle : SystemLimit::Kind::least_displacement;
  Touch t = touch_of(system, at, coordinate);
  t.gap = 0;
  return t;
}

}  // namespace plumb
