#include "plumb/contact/nearest_points.h"

#include <algorithm>
#include <limits>

namespace plumb {

Vec3 nearest_on_segment(const Vec3& x, const Vec3& a, const Vec3& b) {
  const Vec3 e = b - a;
  const double square = e.squaredNorm();
  return a + (square > 0 ? std::clamp(e.dot(x - a) / square, 0.0, 1.0) : 0.0) * e;
}

NearestPoints nearest_points(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  const Vec3 e = a1 - a0, f = b1 - b0, r = a0 - b0;
  const double ee = e.squaredNorm(), ff = f.squaredNorm(), ef = e.dot(f), er = e.dot(r), fr = f.dot(r);
  const double denominator = ee * ff - ef * ef;
  double s = denominator > 1e-24 * ee * ff ? std::clamp((ef * fr - er * ff) / denominator, 0.0, 1.0) : 0;
  const double t = ff > 0 ? std::clamp((ef * s + fr) / ff, 0.0, 1.0) : 0;
  s = ee > 0 ? std::clamp((ef * t - er) / ee, 0.0, 1.0) : 0;
  return {a0 + s * e, b0 + t * f};
}

double outside_face(const PlacedSolid& solid, int face, const Vec3& x) {
  const Polyhedron::Face& f = solid.solid->shape.faces[face];
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < f.loop.size(); ++i) {
    const Vec3& a = solid.corners[f.loop[i]];
    const Vec3 out = (solid.corners[f.loop[(i + 1) % f.loop.size()]] - a).cross(solid.normals[face]).normalized();
    most = std::max(most, out.dot(x - a));
  }
  return most;
}

Vec3 nearest_on_polyhedron(const PlacedSolid& solid, const Vec3& x) {
  const Polyhedron& shape = solid.solid->shape;
  Vec3 best = solid.corners[0];
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&](const Vec3& foot) {
    const double square = (x - foot).squaredNorm();
    if (square >= least) return;
    least = square;
    best = foot;
  };
  for (std::size_t k = 0; k < shape.faces.size(); ++k) {
    const int face = static_cast<int>(k);
    const double height = solid.normals[k].dot(x) - solid.offsets[k];
    if (shape.faces[k].loop.empty() || height < 0 || height * height >= least) continue;
    if (outside_face(solid, face, x) <= 0) consider(x - height * solid.normals[k]);
  }
  for (const Polyhedron::Edge& e : shape.edges)
    consider(nearest_on_segment(x, solid.corners[e.from], solid.corners[e.to]));
  return best;
}

}  // namespace plumb
