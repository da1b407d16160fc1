// One end of a joint or a force: a point fixed to a body or to the ground.
//
// On a rigid body with mass centre x, attitude R and body angular velocity w the point s of body axes has
//   p = x + R s,   p' = v + R (w x s),   p'' = v' + R (w' x s + w x (w x s)).
// A moving anchor s(t) adds R s' to p' and R (s'' + 2 w x s') to p''.
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

// Where everything is: what `Dynamics::place` computes and the parts read. Matrices 9, vectors 3 doubles each.
struct Placement {
  const double* q = nullptr;
  const double* v = nullptr;
  const double* frames = nullptr;
  const double* anchors = nullptr;
  const double* anchor_rates = nullptr;
  const double* anchor_accelerations = nullptr;
  const double* drivers = nullptr;  // value, rate, acceleration of each driver

  const double* frame(const End& e) const { return frames + 9 * e.frame; }
  const double* anchor(const End& e) const { return anchors + 3 * e.anchor; }
  const double* omega(const End& e) const { return v + e.v + 3; }
};

inline void position(const Placement& at, const End& e, double* p) {
  if (e.kind == BodyKind::ground) return kernel::copy(p, at.anchor(e));
  if (e.kind == BodyKind::point) return kernel::copy(p, at.q + e.q);
  kernel::rotate(at.frame(e), at.anchor(e), p);
  kernel::add(p, at.q + e.q);
}

// The part of p' that the anchor's own motion makes.
inline void anchor_velocity(const Placement& at, const End& e, double* pd) {
  if (e.motion < 0) pd[0] = pd[1] = pd[2] = 0;
  else if (e.kind == BodyKind::ground) kernel::copy(pd, at.anchor_rates + 3 * e.motion);
  else kernel::rotate(at.frame(e), at.anchor_rates + 3 * e.motion, pd);
}

inline void velocity(const Placement& at, const End& e, double* pd) {
  if (e.kind == BodyKind::point) return kernel::copy(pd, at.v + e.v);
  anchor_velocity(at, e, pd);
  if (e.kind == BodyKind::ground) return;
  double u[3];
  kernel::cross(at.omega(e), at.anchor(e), u);
  kernel::rotate(at.frame(e), u, u);
  kernel::add(pd, u);
  kernel::add(pd, at.v + e.v);
}

// p'' without the terms in v' and w'.
inline void acceleration_bias(const Placement& at, const End& e, double* c) {
  if (e.kind != BodyKind::rigid) {
    if (e.motion >= 0) kernel::copy(c, at.anchor_accelerations + 3 * e.motion);
    else c[0] = c[1] = c[2] = 0;
    return;
  }
  double u[3];
  kernel::centripetal(at.omega(e), at.anchor(e), u);
  if (e.motion >= 0) {
    double coriolis[3];
    kernel::cross(at.omega(e), at.anchor_rates + 3 * e.motion, coriolis);
    kernel::add_scaled(u, 2, coriolis);
    kernel::add(u, at.anchor_accelerations + 3 * e.motion);
  }
  kernel::rotate(at.frame(e), u, c);
}

// A direction fixed to the end's body (`local` in its axes, world axes on the ground) in world axes.
inline void direction(const Placement& at, const End& e, const double* local, double* d) {
  if (e.kind == BodyKind::rigid) kernel::rotate(at.frame(e), local, d);
  else kernel::copy(d, local);
}

// World angular velocity of the end's body.
inline void angular_velocity(const Placement& at, const End& e, double* w) {
  if (e.kind == BodyKind::rigid) kernel::rotate(at.frame(e), at.omega(e), w);
  else w[0] = w[1] = w[2] = 0;
}

// A world direction in body axes, written as one row of the angular Jacobian (zero where nothing rotates).
inline void angular_row(const Placement& at, const End& e, double sign, const double* d, double* row) {
  if (e.kind != BodyKind::rigid) return;
  kernel::rotate_back(at.frame(e), d, row);
  for (int i = 0; i < 3; ++i) row[i] *= sign;
}

}  // namespace plumb
