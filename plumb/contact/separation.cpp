#include "plumb/contact/separation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "plumb/contact/nearest_points.h"

namespace plumb {
namespace {

using Kind = Solid::Kind;

constexpr double infinity = std::numeric_limits<double>::infinity();

// The point of a solid farthest along n.
Vec3 support(const PlacedSolid& s, const Vec3& n) {
  const Vec3* best = &s.corners[0];
  double most = n.dot(*best);
  for (const Vec3& c : s.corners)
    if (const double d = n.dot(c); d > most) {
      most = d;
      best = &c;
    }
  if (s.solid->kind != Kind::cylinder) return *best + s.solid->radius * n;
  const Vec3 axis = (s.corners[1] - s.corners[0]).normalized();
  Vec3 out = n - axis * axis.dot(n);
  if (!(out.norm() > 1e-14)) return *best;
  out.normalize();  // of an n along the axis what is left is rounding: it need not point across
  out -= axis * axis.dot(out);
  return *best + s.solid->radius * out.normalized();
}

double apart_along(const PlacedSolid& a, const PlacedSolid& b, const Vec3& n) {
  return -farthest(b, -n) - farthest(a, n);
}

// ---- sharp solids: every direction that can be the best

// Whether two edges, with the normals of their faces, can touch with their insides: the arcs of their normals cross on
// the unit sphere (D. Gregorius, Robust Contact Creation for Physics Simulations, 2015).
bool arcs_cross(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 ba = b.cross(a), dc = d.cross(c);
  const double cba = c.dot(ba), dba = d.dot(ba), adc = a.dot(dc), bdc = b.dot(dc);
  return cba * dba < 0 && adc * bdc < 0 && cba * bdc > 0;
}

template <class Visit>
void faces(const PlacedSolid& a, const PlacedSolid& b, int facing, double sign, Visit& visit) {
  for (std::size_t f = 0; f < a.normals.size(); ++f) {
    if (a.solid->is_flat && facing >= 0 && static_cast<int>(f) == 1 - facing) continue;
    visit(-farthest(b, -a.normals[f]) - a.offsets[f], Vec3(sign * a.normals[f]), true);
  }
}

template <class Visit>
void edges(const PlacedSolid& a, const PlacedSolid& b, Visit& visit) {
  const Polyhedron &p = a.solid->shape, &q = b.solid->shape;
  for (std::size_t i = 0; i < p.edges.size(); ++i) {
    const int* const f = p.edges[i].faces;
    const Vec3 e = a.edge(static_cast<int>(i));
    for (std::size_t j = 0; j < q.edges.size(); ++j) {
      const int* const g = q.edges[j].faces;
      if (!arcs_cross(a.normals[f[0]], a.normals[f[1]], -b.normals[g[0]], -b.normals[g[1]])) continue;
      Vec3 n = e.cross(b.edge(static_cast<int>(j)));
      const double length = n.norm();
      if (!(length > 0)) continue;
      n *= (n.dot(a.normals[f[0]] + a.normals[f[1]]) < 0 ? -1 : 1) / length;
      visit(apart_along(a, b, n), n, false);
    }
  }
}

// The direction between two unit vectors, from `c` to `d`, in which a and b are farthest apart; nothing if that is one
// of the two. The slope of s along the arc is that of the difference of the supporting points.
template <class Visit>
void best_on_arc(const PlacedSolid& a, const PlacedSolid& b, const Vec3& c, const Vec3& d, Visit&& visit) {
  const Vec3 across = (d - c * c.dot(d)).normalized();
  const double angle = std::atan2(across.dot(d), c.dot(d));
  if (!(angle > 0)) return;
  const auto direction = [&](double t) { return Vec3(std::cos(t) * c + std::sin(t) * across); };
  const auto slope = [&](double t) {
    const Vec3 n = direction(t);
    return (support(b, -n) - support(a, n)).dot(std::cos(t) * across - std::sin(t) * c);
  };
  double low = 0, high = angle;
  if (!(slope(low) > 0 && slope(high) < 0)) return;
  while (high - low > 1e-15) {
    const double middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    (slope(middle) > 0 ? low : high) = middle;
  }
  const Vec3 n = direction((low + high) / 2);
  visit(apart_along(a, b, n), n, false);
}

// Where `cylinder` is b: the side against corners and edges, the rims against edges. `sign` turns the normal if the
// roles are exchanged.
template <class Visit>
void against_cylinder(const PlacedSolid& a, const PlacedSolid& cylinder, double sign, Visit& visit) {
  const auto seen = [&](double value, const Vec3& n, bool is_face) { visit(value, Vec3(sign * n), is_face); };
  // For the normals n of an edge s(n) is at most n.d, from the edge to the middle of the cylinder, less the radius of a
  // ball in it.
  const double ball = std::min(cylinder.solid->radius, 0.5 * (cylinder.corners[1] - cylinder.corners[0]).norm());
  const auto most_on_arc = [&](const Vec3& edge, const Vec3& c, const Vec3& d) {
    const Vec3 way = cylinder.middle - edge, across = c.cross(d);
    const Vec3 flat = way - across * (across.dot(way) / across.squaredNorm());
    const bool is_inside = across.dot(c.cross(flat)) > 0 && across.dot(flat.cross(d)) > 0;
    return (is_inside ? flat.norm() : std::max(c.dot(way), d.dot(way))) - ball;
  };
  const Vec3 axis = (cylinder.corners[1] - cylinder.corners[0]).normalized();
  for (const Vec3& cap : {axis, Vec3(-axis)}) seen(apart_along(a, cylinder, -cap), -cap, true);
  const auto radial = [&](const Vec3& x) {
    const Vec3 d = cylinder.corners[0] - x, n = d - axis * axis.dot(d);
    if (n.norm() > 0) seen(apart_along(a, cylinder, n.normalized()), n.normalized(), false);
  };
  for (const Vec3& corner : a.corners) radial(corner);
  for (const Polyhedron::Edge& e : a.solid->shape.edges) {
    if (e.faces[0] < 0 || e.faces[1] < 0) continue;
    const Vec3 &c = a.normals[e.faces[0]], &d = a.normals[e.faces[1]];
    if (visit.wants(most_on_arc(a.corners[e.from], c, d))) best_on_arc(a, cylinder, c, d, seen);
  }
}

struct Rim {
  Vec3 centre, axis;
  double radius;

  Vec3 nearest(const Vec3& x) const {
    const Vec3 d = x - centre, out = d - axis * axis.dot(d);
    return out.norm() > 0 ? Vec3(centre + radius * out.normalized()) : centre;
  }
  Feature feature() const { return {Feature::Kind::circle, centre, axis, radius, 0}; }
  double angle(const Vec3& x) const {
    const Complement c = complete_frame(axis);
    return std::atan2(c.second.dot(x - centre), c.first.dot(x - centre));
  }
};

// Across both rims, where they are nearest about x and y.
template <class Visit>
void between_rims(const PlacedSolid& a, const PlacedSolid& b, const Rim& from, const Rim& to, const Vec3& x,
                  const Vec3& y, Visit& visit) {
  static const Placement nowhere{};
  const Meeting m{from.feature(), to.feature(), 1, from.angle(x), to.angle(y)};
  const Nearness<double> near = nearness(m, Frame<double>(nowhere, {}), Frame<double>(nowhere, {}));
  Vec3 n(near.normal.x, near.normal.y, near.normal.z);
  if (!n.allFinite()) return;
  if (n.dot(b.middle - a.middle) < 0) n = -n;
  visit(apart_along(a, b, n), n, false);
}

// All of s(n) over n perpendicular to the axis of a, by the arcs of a hexagon; rims by the directions in which two
// circles are nearest.
template <class Visit>
void two_cylinders(const PlacedSolid& a, const PlacedSolid& b, Visit& visit) {
  Separation best{-infinity, Vec3::UnitZ()};
  auto seen = [&](double value, const Vec3& n, bool is_face) {
    if (value > best.value) best = {value, n};
    visit(value, n, is_face);
  };
  const Vec3 axis[2] = {(a.corners[1] - a.corners[0]).normalized(), (b.corners[1] - b.corners[0]).normalized()};
  for (const Vec3& k : axis)
    for (double sign : {1.0, -1.0}) seen(apart_along(a, b, sign * k), Vec3(sign * k), true);
  if (const Vec3 m = axis[0].cross(axis[1]); m.norm() > 1e-12)
    for (double sign : {1.0, -1.0}) seen(apart_along(a, b, sign * m.normalized()), Vec3(sign * m.normalized()), false);
  for (const Vec3& k : axis) {
    const Complement c = complete_frame(k);
    Vec3 last = c.first;
    for (int i = 1; i <= 6; ++i) {
      const double t = std::numbers::pi / 3 * i;
      const Vec3 next = std::cos(t) * c.first + std::sin(t) * c.second;
      best_on_arc(a, b, last, next, seen);
      last = next;
    }
    const Vec3 between = (b.middle - a.middle), out = between - k * k.dot(between);
    if (out.norm() > 0) seen(apart_along(a, b, out.normalized()), out.normalized(), false);
  }
  for (const Vec3& p : a.corners)
    for (const Vec3& q : b.corners) {
      // To and fro, then Newton (contact/feature.cpp).
      const Rim from{p, axis[0], a.solid->radius}, to{q, axis[1], b.solid->radius};
      Vec3 x = from.nearest(q), y = to.nearest(x);
      for (int i = 0; i < 8; ++i) {
        x = from.nearest(y);
        y = to.nearest(x);
      }
      between_rims(a, b, from, to, x, y, seen);
    }
  // Once more from where the best direction leads to.
  for (int i = 0; i < 2; ++i) {
    const Vec3 n = best.normal, x = support(a, n), y = support(b, -n);
    const Rim from{a.corners[axis[0].dot(n) > 0], axis[0], a.solid->radius},
        to{b.corners[axis[1].dot(n) < 0], axis[1], b.solid->radius};
    between_rims(a, b, from, to, x, y, seen);
  }
}

template <class Visit>
void for_each_direction(const PlacedSolid& a, const PlacedSolid& b, int facing, Visit& visit) {
  const bool round_a = a.solid->kind == Kind::cylinder, round_b = b.solid->kind == Kind::cylinder;
  faces(a, b, facing, 1, visit);
  faces(b, a, facing, -1, visit);
  if (round_a && round_b)
    two_cylinders(a, b, visit);
  else if (round_b)
    against_cylinder(a, b, 1, visit);
  else if (round_a)
    against_cylinder(b, a, -1, visit);
  else
    edges(a, b, visit);
}

// Of directions that differ by rounding the first is kept: faces come before edges.
struct BestDirection {
  double rounding;
  Separation best{-infinity, Vec3::UnitZ()};

  bool wants(double most) const { return !(most < best.value); }
  void operator()(double value, const Vec3& n, bool) {
    if (value > best.value + rounding) best = {value, n};
  }
};

Separation of_sharp(const PlacedSolid& a, const PlacedSolid& b, int facing) {
  BestDirection found{1e-15 * (a.solid->reach + b.solid->reach + a.middle.norm())};
  for_each_direction(a, b, facing, found);
  return found.best;
}

// ---- rounded solids: distances of cores

Vec3 nearest_on_cylinder(const PlacedSolid& c, const Vec3& x) {
  const Vec3 foot = nearest_on_segment(x, c.corners[0], c.corners[1]);
  const Vec3 axis = (c.corners[1] - c.corners[0]).normalized(), d = x - foot, out = d - axis * axis.dot(d);
  const double length = out.norm();
  return foot + (length > c.solid->radius ? c.solid->radius / length : 1) * out;
}

// The derivative of the distance along the segment rises: its root by halving.
NearestPoints segment_and_cylinder(const PlacedSolid& s, const PlacedSolid& c) {
  const Vec3 e = s.corners[1] - s.corners[0];
  double low = 0, high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    const Vec3 x = s.corners[0] + middle * e, d = x - nearest_on_cylinder(c, x);
    if (d.isZero(0)) return {x, x};
    (d.dot(e) < 0 ? low : high) = middle;
  }
  // An end that is nearest, exactly.
  const double at = low == 0 ? 0 : high == 1 ? 1 : (low + high) / 2;
  const Vec3 x = s.corners[0] + at * e;
  return {x, nearest_on_cylinder(c, x)};
}

NearestPoints segment_and_polyhedron(const PlacedSolid& s, const PlacedSolid& p) {
  NearestPoints best{s.corners[0], nearest_on_polyhedron(p, s.corners[0])};
  const auto consider = [&](const NearestPoints& n) {
    if (n.square() < best.square()) best = n;
  };
  consider({s.corners[1], nearest_on_polyhedron(p, s.corners[1])});
  for (const Polyhedron::Edge& e : p.solid->shape.edges)
    consider(nearest_points(s.corners[0], s.corners[1], p.corners[e.from], p.corners[e.to]));
  return best;
}

// How deep a core of one or two corners lies in a polyhedron; positive if it does not.
double core_separation(const PlacedSolid& core, const PlacedSolid& p) {
  double most = -infinity;
  const auto lowest = [&](const Vec3& n) {
    double least = infinity;
    for (const Vec3& c : core.corners) least = std::min(least, n.dot(c));
    return least;
  };
  for (std::size_t f = 0; f < p.normals.size(); ++f) most = std::max(most, lowest(p.normals[f]) - p.offsets[f]);
  if (core.corners.size() < 2) return most;
  const Vec3 e = core.corners[1] - core.corners[0];
  for (std::size_t j = 0; j < p.solid->shape.edges.size(); ++j) {
    const Vec3 m = p.edge(static_cast<int>(j)).cross(e);
    if (!(m.squaredNorm() > 1e-24 * e.squaredNorm())) continue;
    for (const Vec3& n : {Vec3(m.normalized()), Vec3(-m.normalized())}) {
      double highest = -infinity;
      for (const Vec3& c : p.corners) highest = std::max(highest, n.dot(c));
      most = std::max(most, lowest(n) - highest);
    }
  }
  return most;
}

// Nearest points of the core of `a` (a point or a segment) and of `b`, and how deep they are where they overlap.
struct Cores {
  NearestPoints points;
  double depth = 0;
};

Cores cores(const PlacedSolid& a, const PlacedSolid& b) {
  const bool is_point = a.solid->kind == Kind::point;
  const Vec3& x = a.corners[0];
  switch (b.solid->kind) {
    case Kind::point:
      return {is_point ? NearestPoints{x, b.corners[0]}
                       : NearestPoints{nearest_on_segment(b.corners[0], a.corners[0], a.corners[1]), b.corners[0]}};
    case Kind::segment:
      return {is_point ? NearestPoints{x, nearest_on_segment(x, b.corners[0], b.corners[1])}
                       : nearest_points(a.corners[0], a.corners[1], b.corners[0], b.corners[1])};
    case Kind::cylinder:
      if (!is_point) return {segment_and_cylinder(a, b)};
      return {{x, nearest_on_cylinder(b, x)}};
    default: {
      if (const double s = core_separation(a, b); s <= 0) return {{x, x}, -s};
      return {is_point ? NearestPoints{x, nearest_on_polyhedron(b, x)} : segment_and_polyhedron(a, b)};
    }
  }
}

Separation of_rounded(const PlacedSolid& a, const PlacedSolid& b) {
  const double radii = a.solid->rounding() + b.solid->rounding();
  const bool swap = a.solid->kind == Kind::polyhedron || a.solid->kind == Kind::cylinder;
  const Cores c = swap ? cores(b, a) : cores(a, b);
  const Vec3 d = swap ? Vec3(c.points.a - c.points.b) : Vec3(c.points.b - c.points.a);
  const double distance = d.norm();
  if (distance > 0) return {distance - radii, d / distance};
  const Vec3 between = b.middle - a.middle;
  return {-c.depth - radii, between.norm() > 0 ? Vec3(between.normalized()) : Vec3::UnitZ()};
}

}  // namespace

double farthest(const PlacedSolid& s, const Vec3& n) {
  double most = -infinity;
  for (const Vec3& c : s.corners) most = std::max(most, n.dot(c));
  if (s.solid->kind != Kind::cylinder) return most + s.solid->radius;
  const Vec3 axis = (s.corners[1] - s.corners[0]).normalized();
  return most + s.solid->radius * (n - axis * axis.dot(n)).norm();
}

Separation separation(const PlacedSolid& a, const PlacedSolid& b, int facing) {
  if (a.solid->kind == Kind::plane) return {-farthest(b, -a.normals[0]) - a.offsets[0], a.normals[0]};
  if (b.solid->kind == Kind::plane) return {-farthest(a, -b.normals[0]) - b.offsets[0], -b.normals[0]};
  return a.solid->rounding() + b.solid->rounding() > 0 ? of_rounded(a, b) : of_sharp(a, b, facing);
}

double ball_separation(const PlacedSolid& a, const PlacedSolid& b) {
  if (a.solid->kind == Kind::plane) return a.normals[0].dot(b.middle) - a.offsets[0] - b.solid->reach;
  if (b.solid->kind == Kind::plane) return ball_separation(b, a);
  return (a.middle - b.middle).norm() - a.solid->reach - b.solid->reach;
}

void nearly_best(const PlacedSolid& a, const PlacedSolid& b, int facing, double slack, std::vector<Separation>& found) {
  found.clear();
  struct Near {
    double least;
    std::vector<Separation>& found;
    bool want_faces;

    bool wants(double most) const { return !(most < least); }
    void operator()(double value, const Vec3& n, bool is_face) {
      if (is_face != want_faces || value < least) return;
      const auto same = [&](const Separation& s) { return s.normal.dot(n) > 1 - 1e-12; };
      if (std::ranges::none_of(found, same)) found.push_back({value, n});
    }
  };
  const double least = of_sharp(a, b, facing).value - slack;
  for (const bool want_faces : {true, false}) {
    Near near{least, found, want_faces};
    for_each_direction(a, b, facing, near);
  }
}

}  // namespace plumb
