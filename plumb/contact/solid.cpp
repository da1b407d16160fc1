#include "plumb/contact/solid.h"

#include <algorithm>
#include <limits>

namespace plumb {
namespace {

void enclose(Solid& s) {
  s.middle = Vec3::Zero();
  for (const Vec3& c : s.shape.corners) s.middle += c / static_cast<double>(s.shape.corners.size());
  s.reach = 0;
  for (const Vec3& c : s.shape.corners) s.reach = std::max(s.reach, (c - s.middle).norm());
  // The rim of a cylinder is farther out than its axis; a radius around the axis is never less than that.
  s.reach = s.kind == Solid::Kind::cylinder ? std::hypot(s.reach, s.radius) : s.reach + s.radius;
}

void make_segment(Solid& s, Solid::Kind kind, double height, double radius) {
  s.kind = kind;
  s.shape.corners = {Vec3(0, 0, -height / 2), Vec3(0, 0, height / 2)};
  s.shape.edges = {{0, 1, {-1, -1}}};
  s.radius = radius;
}

void take_shape(Solid& s, const Shape& shape) {
  if (const auto* box = std::get_if<Box>(&shape)) {
    s.kind = Solid::Kind::polyhedron;
    s.shape = box_polyhedron(box->size);
  } else if (const auto* hull = std::get_if<Hull>(&shape)) {
    s.kind = Solid::Kind::polyhedron;
    s.shape = convex_hull(hull->points);
  } else if (const auto* ball = std::get_if<Sphere>(&shape)) {
    s.shape.corners = {Vec3::Zero()};
    s.radius = ball->radius;
  } else if (const auto* pill = std::get_if<Capsule>(&shape)) {
    make_segment(s, Solid::Kind::segment, pill->height, pill->radius);
  } else if (const auto* roller = std::get_if<Cylinder>(&shape)) {
    make_segment(s, Solid::Kind::cylinder, roller->height, roller->radius);
  }
}

}  // namespace

Solid body_solid(const Body& body, const System& system, int member) {
  const SystemMember& m = system.members[member];
  Solid s;
  s.end = m.end;
  s.member = member;
  s.shape.corners = {m.mass_center};
  if (body.shape) take_shape(s, *body.shape);
  // From its own coordinates to those of what carries it.
  const Mat3 R = m.to_carrier();
  const Vec3 place = Eigen::Map<const Vec3>(system.anchors.data() + 3 * m.end.anchor);
  for (Vec3& c : s.shape.corners) c = R * (c - m.mass_center) + place;
  for (Polyhedron::Face& f : s.shape.faces) {
    f.offset -= f.normal.dot(m.mass_center);
    f.normal = R * f.normal;
    f.offset += f.normal.dot(place);
    f.middle = R * (f.middle - m.mass_center) + place;
  }
  enclose(s);
  return s;
}

Solid plane_solid(const PlaneSurface& plane) {
  Solid s;
  s.kind = Solid::Kind::plane;
  s.shape.corners = {plane.point};
  const Vec3 n = plane.normal.normalized();
  s.shape.faces = {{n, n.dot(plane.point), {}, plane.point}};
  s.middle = plane.point;
  s.reach = std::numeric_limits<double>::infinity();
  return s;
}

// A box without thickness: two faces with a loop, four sides without, and every edge twice, once with each face.
Solid wall_solid(const WallSurface& w) {
  const Vec3 n = w.normal.normalized();
  Vec3 along = w.along - n * n.dot(w.along);
  if (along.norm() <= 1e-12 * w.along.norm()) along = complete_frame(n).first;
  along.normalize();
  const Vec3 across = n.cross(along);
  std::vector<Vec3> corners;
  for (const auto& [x, y] : {std::pair(-1, -1), std::pair(1, -1), std::pair(1, 1), std::pair(-1, 1)})
    corners.push_back(w.center + x * w.width / 2 * along + y * w.height / 2 * across);
  Solid s;
  s.kind = Solid::Kind::polyhedron;
  s.is_flat = true;
  s.shape = polyhedron(std::move(corners), {{0, 1, 2, 3}, {3, 2, 1, 0}});
  const std::vector<Polyhedron::Edge> rim = s.shape.edges;
  s.shape.edges.clear();
  for (const Polyhedron::Edge& e : rim) {
    const Vec3 middle = (s.shape.corners[e.from] + s.shape.corners[e.to]) / 2, out = (middle - w.center).normalized();
    const int side = static_cast<int>(s.shape.faces.size());
    s.shape.faces.push_back({out, out.dot(middle), {}, middle});
    for (int face : e.faces) s.shape.edges.push_back({e.from, e.to, {face, side}});
  }
  enclose(s);
  return s;
}

PlacedSolid::PlacedSolid(const Solid& s)
    : solid(&s), corners(s.shape.corners), normals(s.shape.faces.size()), offsets(s.shape.faces.size()) {
  middle = s.middle;
  for (std::size_t i = 0; i < normals.size(); ++i) {
    normals[i] = s.shape.faces[i].normal;
    offsets[i] = s.shape.faces[i].offset;
  }
}

void PlacedSolid::place(const Placement& at) {
  const End& e = solid->end;
  if (e.kind == BodyKind::ground) return;  // as it was made
  origin = Eigen::Map<const Vec3>(at.q + e.q);
  v = Eigen::Map<const Vec3>(at.v + e.v);
  if (e.kind == BodyKind::point) {
    for (std::size_t i = 0; i < corners.size(); ++i) corners[i] = origin + solid->shape.corners[i];
    middle = origin + solid->middle;
    return;
  }
  R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(at.frame(e));
  w = R * Eigen::Map<const Vec3>(at.omega(e));
  for (std::size_t i = 0; i < corners.size(); ++i) corners[i] = origin + R * solid->shape.corners[i];
  middle = origin + R * solid->middle;
  for (std::size_t i = 0; i < normals.size(); ++i) {
    normals[i] = R * solid->shape.faces[i].normal;
    offsets[i] = solid->shape.faces[i].offset + normals[i].dot(origin);
  }
}

}  // namespace plumb
