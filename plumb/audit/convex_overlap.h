// How deep two convex bodies overlap, from nothing but their supporting points. Shares no code with the search for
// contacts, which it is there to check.
//
// The bodies overlap if the origin lies in the difference of their point sets; how deep, is its least distance from the
// boundary of that set. For every direction n the difference reaches h(n) = max n.(a - b) that way, so that no depth is
// larger than any h(n): what is reported is the least h(n) found and errs, if at all, on the side of too much.
// Cores that are apart: E. G. Gilbert, D. W. Johnson, S. S. Keerthi, IEEE J. Robotics Automat. 4 (1988) 193-203.
// Cores that overlap: a polytope inside the difference grows where it is nearest to the origin (G. van den Bergen,
// Collision Detection in Interactive 3D Environments, 2003, 4.3.8).
#pragma once

#include <vector>

#include "plumb/spatial/rotation.h"

namespace plumb {

// A convex body in the world: the hull of points, or of two discs; around it everything within `round`.
struct ConvexBody {
  std::vector<Vec3> points;
  Vec3 axis = Vec3::UnitZ();  // of the discs about the points
  double disc = 0;            // their radius; 0: none
  double round = 0;
  Vec3 middle = Vec3::Zero();  // of a ball around it
  double reach = 0;            // its radius

  // The point of it, without `round`, that is farthest along n.
  Vec3 farthest(const Vec3& n) const;
};

// 0 where they do not overlap.
double overlap_depth(const ConvexBody& a, const ConvexBody& b);

}  // namespace plumb
