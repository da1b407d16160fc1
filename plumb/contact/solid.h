// A convex solid that takes part in contacts: a polyhedron, a segment or a point, rounded by a radius; fixed to a body
// or to the ground. Spheres are rounded points, capsules rounded segments, rectangles polyhedra with two faces.
#pragma once

#include "plumb/spatial/polyhedron.h"
#include "plumb/system/end.h"

namespace plumb {

struct Solid {
  End end;           // its anchor is not used
  Polyhedron shape;  // principal axes from the mass centre; world coordinates on the ground
  double radius = 0;
  Vec3 middle = Vec3::Zero();  // of a ball around it, of radius `reach`
  double reach = 0;

  Vec3 to_world(const Placement& at, const Vec3& local) const;
  Vec3 to_local(const Placement& at, const Vec3& world) const;
  Vec3 direction_to_local(const Placement& at, const Vec3& world) const;
  Vec3 direction_to_world(const Placement& at, const Vec3& local) const;
};

// Sets the ball around the shape.
void enclose(Solid& solid);

// The point of the (not rounded) shape nearest to x, in its own coordinates.
struct Nearest {
  double distance;  // negative inside
  Vec3 foot;
  Vec3 normal;               // from the foot to x
  int face = -1;             // that the foot lies on; -1: an edge or a corner
  Vec3 edge = Vec3::Zero();  // direction of the edge it lies on; zero: a corner
};
// `face`, if not negative, says on which face to look. Otherwise, where x is inside or within rounding of several
// faces: the one it leaves, if its velocity u (relative to the solid) points out of one; else the one most separated
// from all of the other solid.
Nearest nearest_point(const Placement& at, const Solid& solid, const Vec3& x, const Vec3& u, const Solid& other,
                      int face = -1);
// How far the foot of x on a face lies outside of it; negative inside.
double outside_face(const Polyhedron& shape, int face, const Vec3& x);

// Separation of the shapes along the face normals of both: the largest. Positive if one of these separates them.
double face_separation(const Placement& at, const Solid& a, const Solid& b);

// Two edges, world coordinates: the points where their lines come nearest, a + alpha e_a and b + beta e_b.
struct EdgePair {
  Vec3 a, b;      // starts
  Vec3 e_a, e_b;  // to their ends
  Vec3 near_a, near_b;
  Vec3 normal;      // unit, perpendicular to both, from a to b
  double distance;  // along it, of the lines
  double gap;       // of the solids, if these edges are what meets; a distance that is larger otherwise
  bool meets;       // the lines come nearest inside both edges
  bool doubtful;    // they overlap, and one of the edges ends within the overlap
  double overrun;   // how far outside they do
};
EdgePair edge_pair(const Placement& at, const Solid& a, int edge_a, const Solid& b, int edge_b);

}  // namespace plumb
