#include "plumb/contact/solid.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumb {
namespace {

// Lateral distance, as a part of the solid's size, that counts as rounding.
constexpr double rounding = 1e-9;

double square(double x) { return x * x; }

// Of the other solid's corners above a face.
double separation(const Placement& at, const Solid& solid, int face, const Solid& other) {
  double least = std::numeric_limits<double>::infinity();
  for (const Vec3& corner : other.shape.corners)
    least = std::min(least, solid.shape.separation(face, solid.to_local(at, other.to_world(at, corner))));
  return least;
}

double most_separated(const Placement& at, const Solid& solid, const Solid& other) {
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < solid.shape.faces.size(); ++f)
    most = std::max(most, separation(at, solid, static_cast<int>(f), other));
  return most;
}

Nearest on_face(const Polyhedron& shape, int face, const Vec3& x) {
  const double d = shape.separation(face, x);
  return {d, x - d * shape.faces[face].normal, shape.faces[face].normal, face, Vec3::Zero()};
}

Nearest on_edges(const Polyhedron& shape, const Vec3& x) {
  Nearest best;
  best.distance = std::numeric_limits<double>::infinity();
  const auto consider = [&](const Vec3& foot, const Vec3& edge) {
    const double d = (x - foot).norm();
    if (d >= best.distance) return;
    best = {d, foot, d > 0 ? Vec3((x - foot) / d) : Vec3::UnitZ(), -1, edge};
  };
  if (shape.edges.empty()) consider(shape.corners[0], Vec3::Zero());
  for (const Polyhedron::Edge& e : shape.edges) {
    const Vec3 along = shape.corners[e.to] - shape.corners[e.from];
    const double s = along.dot(x - shape.corners[e.from]) / along.squaredNorm();
    const bool inside = s > 0 && s < 1;
    consider(shape.corners[e.from] + std::clamp(s, 0.0, 1.0) * along, inside ? along.normalized() : Vec3::Zero());
  }
  return best;
}

// Distance of two segments a + s e, b + t f (C. Ericson, Real-Time Collision Detection, 2005, section 5.1.9).
double segment_distance(const Vec3& a, const Vec3& e, const Vec3& b, const Vec3& f) {
  const Vec3 r = a - b;
  const double ee = e.squaredNorm(), ff = f.squaredNorm(), ef = e.dot(f), er = e.dot(r), fr = f.dot(r);
  const double denominator = ee * ff - ef * ef;
  double s = denominator > 0 ? std::clamp((ef * fr - er * ff) / denominator, 0.0, 1.0) : 0;
  const double t = std::clamp((ef * s + fr) / ff, 0.0, 1.0);
  s = std::clamp((ef * t - er) / ee, 0.0, 1.0);
  return (a + s * e - b - t * f).norm();
}

// Whether n points away from both faces that meet at the edge, or the solid has none.
bool in_normal_cone(const Placement& at, const Solid& solid, const Polyhedron::Edge& e, const Vec3& middle,
                    const Vec3& n) {
  for (int face : e.faces)
    if (face >= 0 && n.dot(solid.to_world(at, solid.shape.faces[face].middle) - middle) > rounding * solid.reach)
      return false;
  return true;
}

}  // namespace

Vec3 Solid::direction_to_world(const Placement& at, const Vec3& local) const {
  Vec3 d;
  direction(at, end, local.data(), d.data());
  return d;
}

Vec3 Solid::to_world(const Placement& at, const Vec3& local) const {
  if (end.kind == BodyKind::ground) return local;
  return direction_to_world(at, local) + Eigen::Map<const Vec3>(at.q + end.q);
}

Vec3 Solid::to_local(const Placement& at, const Vec3& world) const {
  if (end.kind == BodyKind::ground) return world;
  return direction_to_local(at, world - Eigen::Map<const Vec3>(at.q + end.q));
}

Vec3 Solid::direction_to_local(const Placement& at, const Vec3& world) const {
  Vec3 d = world;
  if (end.kind == BodyKind::rigid) kernel::rotate_back(at.frame(end), d.data(), d.data());
  return d;
}

void enclose(Solid& solid) {
  solid.middle = Vec3::Zero();
  for (const Vec3& c : solid.shape.corners) solid.middle += c / static_cast<double>(solid.shape.corners.size());
  solid.reach = 0;
  for (const Vec3& c : solid.shape.corners) solid.reach = std::max(solid.reach, (c - solid.middle).norm());
  solid.reach += solid.radius;
}

double outside_face(const Polyhedron& shape, int face, const Vec3& x) {
  const Polyhedron::Face& f = shape.faces[face];
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < f.loop.size(); ++i) {
    const Vec3& a = shape.corners[f.loop[i]];
    const Vec3 out = (shape.corners[f.loop[(i + 1) % f.loop.size()]] - a).cross(f.normal).normalized();
    most = std::max(most, out.dot(x - a));
  }
  return most;
}

Nearest nearest_point(const Placement& at, const Solid& solid, const Vec3& x, const Vec3& u, const Solid& other,
                      int face) {
  const Polyhedron& shape = solid.shape;
  if (face >= 0) return on_face(shape, face, x);
  if (shape.faces.empty()) return on_edges(shape, x);
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < shape.faces.size(); ++f)
    if (const double s = shape.separation(static_cast<int>(f), x); s > most) most = s, face = static_cast<int>(f);
  // A corner inside by little, or at an edge within rounding: over the edge it leaves, or else it belongs to the face
  // that the other solid as a whole stands on, not to the side that happens to be nearest.
  const double slack = rounding * solid.reach + 10 * std::max(0.0, -most);
  if (solid.radius + other.radius == 0 && most < slack) {
    double apart = -std::numeric_limits<double>::infinity(), leaving = 1e-9 + 1e-6 * u.norm();
    int near = 0, left = -1;
    for (int f = 0; f < static_cast<int>(shape.faces.size()); ++f) {
      if (shape.separation(f, x) <= most - slack) continue;
      ++near;
      if (const double out = shape.faces[f].normal.dot(u); out > leaving) leaving = out, left = f;
    }
    for (int f = 0; near > 1 && left < 0 && f < static_cast<int>(shape.faces.size()); ++f) {
      if (shape.separation(f, x) <= most - slack) continue;
      if (const double s = separation(at, solid, f, other); s > apart) apart = s, face = f;
    }
    if (near > 1 && left >= 0) face = left;
  }
  if (most <= 0 || outside_face(shape, face, x) <= rounding * solid.reach) return on_face(shape, face, x);
  return on_edges(shape, x);
}

double face_separation(const Placement& at, const Solid& a, const Solid& b) {
  return std::max(most_separated(at, a, b), most_separated(at, b, a));
}

EdgePair edge_pair(const Placement& at, const Solid& a, int edge_a, const Solid& b, int edge_b) {
  const Polyhedron::Edge &on_a = a.shape.edges[edge_a], &on_b = b.shape.edges[edge_b];
  EdgePair p;
  p.a = a.to_world(at, a.shape.corners[on_a.from]);
  p.b = b.to_world(at, b.shape.corners[on_b.from]);
  p.e_a = a.to_world(at, a.shape.corners[on_a.to]) - p.a;
  p.e_b = b.to_world(at, b.shape.corners[on_b.to]) - p.b;
  const Vec3 r = p.b - p.a, m = p.e_a.cross(p.e_b);
  const double length_a = p.e_a.norm(), length_b = p.e_b.norm(), rounded = a.radius + b.radius;
  p.meets = p.doubtful = false;
  if (m.squaredNorm() < 1e-12 * square(length_a * length_b)) {
    // Parallel: corners meet edges or faces then, not edges edges.
    p.normal = Vec3::UnitZ();
    p.near_a = p.a, p.near_b = p.b;
    p.distance = segment_distance(p.a, p.e_a, p.b, p.e_b);
    p.overrun = std::min(length_a, length_b);
    p.gap = p.distance - rounded + p.overrun;
    return p;
  }
  const double alpha = r.cross(p.e_b).dot(m) / m.squaredNorm(), beta = r.cross(p.e_a).dot(m) / m.squaredNorm();
  p.near_a = p.a + alpha * p.e_a;
  p.near_b = p.b + beta * p.e_b;
  const auto beyond = [](double s, double length, double inset) {
    return std::max({0.0, inset - s * length, inset - (1 - s) * length});
  };
  const double inset_a = rounding * length_a, inset_b = rounding * length_b;
  p.overrun = beyond(alpha, length_a, inset_a) + beyond(beta, length_b, inset_b);
  p.meets = p.overrun == 0;
  p.normal = m.normalized();
  const Vec3 middle_a = p.a + p.e_a / 2, middle_b = p.b + p.e_b / 2;
  if (rounded > 0) {
    if (p.normal.dot(r) < 0) p.normal = -p.normal;
  } else {
    // Out of both solids.
    const Vec3 outward = (middle_a - a.to_world(at, a.middle)) - (middle_b - b.to_world(at, b.middle));
    if (p.normal.dot(outward) < 0) p.normal = -p.normal;
  }
  p.distance = p.normal.dot(r);
  if (!p.meets) {
    p.gap = segment_distance(p.a, p.e_a, p.b, p.e_b) - rounded + p.overrun;
    return p;
  }
  p.gap = p.distance - rounded;
  if (rounded > 0) return p;
  p.meets = in_normal_cone(at, a, on_a, middle_a, p.normal) && in_normal_cone(at, b, on_b, middle_b, -p.normal);
  if (p.meets && p.distance < 0) {
    // Overlapping: only if no face separates the solids better.
    const double faces = face_separation(at, a, b), size = std::min(a.reach, b.reach);
    p.meets = faces <= p.distance + rounding * size;
    // Where a face nearly does (they lie flat on each other), an edge that ends within that overlap may only seem to
    // meet the other.
    const double depth = -faces < 0.01 * size ? 4 * std::max(0.0, -faces) : 0;
    p.doubtful = beyond(alpha, length_a, depth) + beyond(beta, length_b, depth) > 0;
  }
  if (!p.meets) p.gap = std::abs(p.distance);
  return p;
}

}  // namespace plumb
