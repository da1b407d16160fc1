// Mass and inertia of rigid bodies, about the mass centre.
#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "plumb/spatial/rotation.h"

namespace plumb {

struct Box {
  Vec3 size;  // full edge lengths
};
struct Sphere {
  double radius;
};
struct Cylinder {  // axis z
  double radius, height;
};
struct Capsule {  // axis z; `height` is that of the cylindrical part, without the two caps
  double radius, height;
};
struct Hull {  // the convex hull of points in body coordinates; their own origin need not be its centre
  std::vector<Vec3> points;
};
using Shape = std::variant<Box, Sphere, Cylinder, Capsule, Hull>;

double volume(const Shape& shape);
Vec3 centroid(const Shape& shape);  // in body coordinates

// Moments [xx, yy, zz] and products [xy, xz, yz] of the inertia matrix, which is
//   [xx xy xz; xy yy yz; xz yz zz].
struct Inertia {
  Vec3 moments = Vec3::Zero();
  Vec3 products = Vec3::Zero();

  Mat3 matrix() const;
};

// Of the homogeneous solid of mass 1 about its centroid.
Inertia unit_inertia(const Shape& shape);

// Empty when a body can have this inertia; otherwise what is wrong with it.
std::string inertia_fault(const Inertia& inertia);

// Principal moments and the principal axes' attitude in the body frame, R_BP.
// A diagonal matrix keeps its own axes, so that nothing is rounded.
struct PrincipalInertia {
  Vec3 moments;
  Quaternion axes;
};
PrincipalInertia principal(const Inertia& inertia);

}  // namespace plumb
