// Named quantities of a running system: `bob.x`, `bar.wz`, `hinge.angle`, `rod.fx`, `energy.total`, …
//
// Channels of motion depend on (t, q, v) only and may appear in forces; the others need accelerations and
// multipliers and may appear in events and in the results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

struct System;

struct Channel {
  enum class Kind : std::uint8_t {
    time,
    position,          // x y z
    velocity,          // vx vy vz
    attitude,          // qw qx qy qz
    angular_velocity,  // wx wy wz, world axes
    joint_angle,       // angle (unwound)
    joint_rate,        // rate
    displacement,      // displacement
    slide_rate,        // rate of a prismatic joint
    energy,            // kinetic potential total work dissipated drift
    violation,         // position velocity acceleration
    reaction_force,    // fx fy fz
    reaction_moment,   // tx ty tz
    contact_force,     // fx fy fz, on the bodies
    contact_gap,       // gap, the smallest
    momentum,          // x y z
    angular_momentum,  // x y z, about the origin
    quantity           // of a model given as equations
  };
  Kind kind = Kind::time;
  int index = 0;  // body or joint
  int component = 0;
  std::string name;

  bool is_motion() const { return kind <= Kind::slide_rate; }
};

// "m", "rad/s", "N m"; empty for numbers without one. Violations mix metres and radians: "m, rad".
std::string unit(const Channel& channel);

// All channels in the order of the columns of a trajectory, beginning with t.
std::vector<Channel> all_channels(const System& system);

// The channel that is the time derivative of a position, an angle or a displacement.
Channel rate_of(const Channel& channel);

std::optional<Channel> find_channel(const System& system, std::string_view name);

}  // namespace plumb
