// Convex polyhedra: corners, faces, edges; and the mass properties of the homogeneous solid.
#pragma once

#include <vector>

#include "plumb/spatial/rotation.h"

namespace plumb {

struct Polyhedron {
  struct Face {
    Vec3 normal;            // outward
    double offset;          // normal.x of its points
    std::vector<int> loop;  // corners, counterclockwise from outside
    Vec3 middle;
  };
  struct Edge {
    int from, to;
    int faces[2];  // on its two sides; -1: none
  };
  std::vector<Vec3> corners;
  std::vector<Face> faces;
  std::vector<Edge> edges;

  double separation(int face, const Vec3& x) const { return faces[face].normal.dot(x) - faces[face].offset; }
};

// From corners and the loops of its faces; edges are where two loops meet.
Polyhedron polyhedron(std::vector<Vec3> corners, std::vector<std::vector<int>> loops);
Polyhedron box_polyhedron(const Vec3& size);

// The convex hull of points; coplanar pieces of its surface are joined to one face. Throws std::invalid_argument for
// points that enclose no volume.
Polyhedron convex_hull(const std::vector<Vec3>& points);

// Of mass 1.
struct SolidProperties {
  double volume;
  Vec3 centroid;
  Mat3 inertia;  // about the centroid
};
SolidProperties solid_properties(const Polyhedron& p);

}  // namespace plumb
