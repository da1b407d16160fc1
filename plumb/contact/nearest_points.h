// Nearest points of points, segments, polygons and polyhedra (C. Ericson, Real-Time Collision Detection, 2005, chapter
// 5): a on the first, b on the second.
#pragma once

#include "plumb/contact/solid.h"

namespace plumb {

struct NearestPoints {
  Vec3 a, b;
  double square() const { return (b - a).squaredNorm(); }
};

NearestPoints nearest_points(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1);  // segments
Vec3 nearest_on_segment(const Vec3& x, const Vec3& a, const Vec3& b);
// x must lie outside.
Vec3 nearest_on_polyhedron(const PlacedSolid& solid, const Vec3& x);

// How far the foot of x on a face lies outside of it; negative inside. `out` is where to, across the edge.
double outside_face(const PlacedSolid& solid, int face, const Vec3& x);

}  // namespace plumb
