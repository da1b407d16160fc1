// A contact that is closed, and how: part of the state of a run.
#pragma once

#include <cstdint>
#include <span>
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
  // Slips slowly, but is turned and stopped rather than taken along: it does not creep before it has been at rest.
  bool is_turning = false;
  int island = 0;  // contacts of different ones do not act on each other; those of one stand together
};

// The contacts of each island in turn: f(first, contacts).
template <class F>
void for_each_island(std::span<const ClosedContact> closed, const F& f) {
  for (std::size_t first = 0, last; first < closed.size(); first = last) {
    for (last = first + 1; last < closed.size() && closed[last].island == closed[first].island;) ++last;
    f(first, closed.subspan(first, last - first));
  }
}

}  // namespace plumb
