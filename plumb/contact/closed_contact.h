// A contact that is closed, and how: part of the state of a run.
#pragma once

#include <cstdint>
#include <vector>

#include "plumb/contact/scene.h"

namespace plumb {

// How a closed contact holds tangentially. Slipping slowly, friction turns the velocity into its own direction at the
// rate (mu p_n/m)/u, faster than anything else happens: then the contact creeps. It keeps its direction, sideways it is
// held, and friction of size mu p_n points wherever that takes. Coulomb's law does the same, only stiffly.
enum class Grip : std::uint8_t { stick, creep, slip };

struct ClosedContact {
  ContactPlace place;
  Grip grip = Grip::slip;  // without friction it slips
  // Of slip, world axes. Of corners of one patch that creep together: as fast as they do beside each other.
  Vec3 direction = Vec3::Zero();
  double sense = 0;  // of a joint that rubs and is not stuck: the sign of its rate, or of the rate it is about to have
};

}  // namespace plumb
