// A convex solid that takes part in contacts, fixed to a body or to the ground.
//
//   point       a mass point; with a radius a sphere
//   segment     with a radius: a capsule
//   polyhedron  a box, a convex hull; a rectangle, as a box without thickness
//   cylinder    its axis as a segment, and a radius
//   plane       everything on one side of it
#pragma once

#include <cstdint>
#include <vector>

#include "plumb/contact/feature.h"
#include "plumb/model/model.h"
#include "plumb/spatial/polyhedron.h"
#include "plumb/system/system.h"

namespace plumb {

struct Solid {
  enum class Kind : std::uint8_t { point, segment, polyhedron, cylinder, plane };
  Kind kind = Kind::point;
  End end;           // its anchor is not used
  int member = -1;   // the body of the model; -1: a surface
  Polyhedron shape;  // in the principal axes of what carries it, from its mass centre; world coordinates on the ground
  double radius = 0;
  bool is_flat = false;        // a rectangle
  Vec3 middle = Vec3::Zero();  // of a ball around it, of radius `reach`
  double reach = 0;

  Vec3 axis() const { return (shape.corners[1] - shape.corners[0]).normalized(); }  // of a segment or cylinder
  double rounding() const { return kind == Kind::cylinder ? 0 : radius; }
};

Solid body_solid(const Body& body, const System& system, int member);
Solid plane_solid(const PlaneSurface& plane);
Solid wall_solid(const WallSurface& wall);

// A solid where it is now: its corners and the normals of its faces in the world.
struct PlacedSolid {
  const Solid* solid = nullptr;
  std::vector<Vec3> corners, normals;
  std::vector<double> offsets;  // normal.x of the points of each face
  Vec3 middle = Vec3::Zero();
  Vec3 origin = Vec3::Zero(), v = Vec3::Zero(), w = Vec3::Zero();  // mass centre, its velocity, angular velocity
  Mat3 R = Mat3::Identity();

  // Takes the memory it will need.
  explicit PlacedSolid(const Solid& s);
  void place(const Placement& at);

  Vec3 direction_to_world(const Vec3& local) const { return R * local; }
  Vec3 direction_to_local(const Vec3& d) const { return R.transpose() * d; }
  Vec3 to_local(const Vec3& x) const { return R.transpose() * (x - origin); }
  Vec3 velocity(const Vec3& x) const { return v + w.cross(x - origin); }
  Vec3 edge(int i) const { return corners[solid->shape.edges[i].to] - corners[solid->shape.edges[i].from]; }
};

}  // namespace plumb
