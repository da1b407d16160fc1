// The motion at a place of contact: how fast the gap changes, how the points that touch move past each other, and how
// both change at constant velocities of the bodies.
//
//   gap'  = normal row . v            gap''  = normal row . v' + normal_bias
//   u     = velocity of the point of `to` relative to that of `from`;   u' = rows . v' + bias
//
// The points that touch wander over the bodies. With the places x(t), x'(t) from jets (contact/feature.h) the velocity
// of whatever point of a body is at x changes by w x (x' - v), besides v' and w'.
#pragma once

#include "plumb/contact/scene.h"

namespace plumb {

struct Touch {
  double gap = 0;
  double normal[3] = {};                    // from `from` to `to`; of the limit of an angle its axis
  double arm_from[3] = {}, arm_to[3] = {};  // from the mass centres to the point of contact, world axes
  double point[3] = {};                     // of `to`, world coordinates
  double velocity[3] = {};                  // u
  double normal_bias = 0;
  double bias[3] = {};
  bool turns = false;  // the limit of an angle: rows turn the bodies against each other
};

double gap(const Scene& scene, const Placement& at, const ContactPlace& place);
Touch touch(const Scene& scene, const Placement& at, const ContactPlace& place);
// The same without the biases.
Touch touch_now(const Scene& scene, const Placement& at, const ContactPlace& place);

// Limits of joints (contact/limits.cpp).
double limit_gap(const System& system, const Placement& at, int limit);
Touch limit_touch(const System& system, const Placement& at, int limit);
// Along the coordinate of a joint with friction: its rate is normal.velocity; the gap is always 0.
Touch friction_touch(const System& system, const Placement& at, int friction);

}  // namespace plumb
