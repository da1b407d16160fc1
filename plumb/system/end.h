// One end of a joint or a force: a point fixed to a body or to the ground.
//
// On a rigid body with mass centre x, attitude R and body angular velocity w the point s of body axes has
//   p = x + R s,   p' = v + R (w x s),   p'' = v' + R (w' x s + w x (w x s)).
// A moving anchor s(t) adds R s' to p' and R (s'' + 2 w x s') to p''.
//
// The functions are templates of the kind of end, so that a loop over ends of one kind has no branches;
// `EndKind::any` decides at run time.
#pragma once

#include <cstdint>

#include "plumb/spatial/kernel.h"

namespace plumb {

enum class BodyKind : std::uint8_t { ground, point, rigid };

struct End {
  BodyKind kind = BodyKind::ground;
  int body = -1;     // as in System::bodies
  int q = 0, v = 0;  // first coordinate and velocity
  int frame = 0;     // rotation matrix
  int anchor = 0;    // s
  int motion = -1;   // s' and s'' of a moving anchor
};

enum class EndKind { ground, point, rigid, any };

template <EndKind K>
PLUMB_INLINE bool is_ground(const End& e) {
  return K == EndKind::any ? e.kind == BodyKind::ground : K == EndKind::ground;
}
template <EndKind K>
PLUMB_INLINE bool is_rigid(const End& e) {
  return K == EndKind::any ? e.kind == BodyKind::rigid : K == EndKind::rigid;
}
template <EndKind K>
PLUMB_INLINE bool is_moving(const End& e) {
  return K == EndKind::any && e.motion >= 0;
}

// Where everything is: what `Dynamics::place` computes and the parts read. Matrices 9, vectors 3 doubles each.
struct Placement {
  const double* q = nullptr;
  const double* v = nullptr;
  const double* frames = nullptr;
  const double* anchors = nullptr;
  const double* anchor_rates = nullptr;
  const double* anchor_accelerations = nullptr;
  const double* drivers = nullptr;           // value, rate, acceleration of each driver
  const double* turns = nullptr;             // last unwound value of each angle measure
  const double* curve_parameters = nullptr;  // last place on each curve

  const double* frame(const End& e) const { return frames + 9 * e.frame; }
  const double* anchor(const End& e) const { return anchors + 3 * e.anchor; }
  const double* omega(const End& e) const { return v + e.v + 3; }
};

template <EndKind K = EndKind::any>
PLUMB_INLINE void position(const Placement& at, const End& e, double* p) {
  if (is_ground<K>(e)) return kernel::copy(p, at.anchor(e));
  if (!is_rigid<K>(e)) return kernel::copy(p, at.q + e.q);
  kernel::rotate(at.frame(e), at.anchor(e), p);
  kernel::add(p, at.q + e.q);
}

// The part of p' that the anchor's own motion makes.
template <EndKind K = EndKind::any>
PLUMB_INLINE void anchor_velocity(const Placement& at, const End& e, double* pd) {
  if (!is_moving<K>(e))
    pd[0] = pd[1] = pd[2] = 0;
  else if (is_ground<K>(e))
    kernel::copy(pd, at.anchor_rates + 3 * e.motion);
  else
    kernel::rotate(at.frame(e), at.anchor_rates + 3 * e.motion, pd);
}

template <EndKind K = EndKind::any>
PLUMB_INLINE void velocity(const Placement& at, const End& e, double* pd) {
  if (is_ground<K>(e)) return anchor_velocity<K>(at, e, pd);
  kernel::copy(pd, at.v + e.v);
  if (!is_rigid<K>(e)) return;
  double u[3];
  kernel::cross(at.omega(e), at.anchor(e), u);
  if (is_moving<K>(e)) kernel::add(u, at.anchor_rates + 3 * e.motion);
  kernel::rotate(at.frame(e), u, u);
  kernel::add(pd, u);
}

// Whether p'' may have terms besides those in v' and w'.
template <EndKind K>
constexpr bool has_bias = K == EndKind::rigid || K == EndKind::any;

// p'' without the terms in v' and w'.
template <EndKind K = EndKind::any>
PLUMB_INLINE void acceleration_bias(const Placement& at, const End& e, double* c) {
  if (!is_rigid<K>(e)) {
    if (is_moving<K>(e))
      kernel::copy(c, at.anchor_accelerations + 3 * e.motion);
    else
      c[0] = c[1] = c[2] = 0;
    return;
  }
  double u[3];
  kernel::centripetal(at.omega(e), at.anchor(e), u);
  if (is_moving<K>(e)) {
    double coriolis[3];
    kernel::cross(at.omega(e), at.anchor_rates + 3 * e.motion, coriolis);
    kernel::add_scaled(u, 2, coriolis);
    kernel::add(u, at.anchor_accelerations + 3 * e.motion);
  }
  kernel::rotate(at.frame(e), u, c);
}

// A direction fixed to the end's body (`local` in its axes, world axes on the ground) in world axes.
template <EndKind K = EndKind::any>
PLUMB_INLINE void direction(const Placement& at, const End& e, const double* local, double* d) {
  if (is_rigid<K>(e))
    kernel::rotate(at.frame(e), local, d);
  else
    kernel::copy(d, local);
}

// World angular velocity of the end's body.
template <EndKind K = EndKind::any>
PLUMB_INLINE void angular_velocity(const Placement& at, const End& e, double* w) {
  if (is_rigid<K>(e))
    kernel::rotate(at.frame(e), at.omega(e), w);
  else
    w[0] = w[1] = w[2] = 0;
}

// A world direction in body axes, written as one row of the angular Jacobian where the body rotates.
template <EndKind K = EndKind::any>
PLUMB_INLINE void angular_row(const Placement& at, const End& e, double sign, const double* d, double* row) {
  if (!is_rigid<K>(e)) return;
  kernel::rotate_back(at.frame(e), d, row);
  for (int i = 0; i < 3; ++i) row[i] *= sign;
}

// p_to - p_from
template <EndKind From = EndKind::any, EndKind To = EndKind::any>
PLUMB_INLINE void span(const Placement& at, const End& from, const End& to, double* d) {
  double p[3];
  position<To>(at, to, d);
  position<From>(at, from, p);
  kernel::subtract(d, p);
}

// Its rate
template <EndKind From = EndKind::any, EndKind To = EndKind::any>
PLUMB_INLINE void span_rate(const Placement& at, const End& from, const End& to, double* d) {
  double p[3];
  if (From == EndKind::ground) return velocity<To>(at, to, d);
  velocity<To>(at, to, d);
  velocity<From>(at, from, p);
  kernel::subtract(d, p);
}

// n.(c_to - c_from), the bias of a difference of points along n
template <EndKind From, EndKind To>
PLUMB_INLINE double span_bias(const Placement& at, const End& from, const End& to, const double* n) {
  double c[3], sum = 0;
  if constexpr (has_bias<To>) acceleration_bias<To>(at, to, c), sum += kernel::dot(n, c);
  if constexpr (has_bias<From>) acceleration_bias<From>(at, from, c), sum -= kernel::dot(n, c);
  return sum;
}

}  // namespace plumb
