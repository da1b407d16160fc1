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
  Grip grip = Grip::slip;         // without friction it slips
  Vec3 direction = Vec3::Zero();  // of slip, world axes
};

}  // namespace plumb
