#include "plumb/contact/manifold.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/contact/nearest_points.h"
#include "plumb/contact/tolerances.h"

namespace plumb {
namespace {

using Kind = Part::Kind;

Vec3 cylinder_axis(const PlacedSolid& s) { return (s.corners[1] - s.corners[0]).normalized(); }

// Sine of the angle by which the discs of a cylinder are tilted against the plane of this normal. Where the sides of
// the rim differ in height by less than so many times the slack the disc lies flat; a rim that gets nearer than half of
// that is left. In between a rim on its way to either is followed.
double tilt(const PlacedSolid& s, const Vec3& n) {
  const Vec3 axis = cylinder_axis(s);
  return (n - axis * axis.dot(n)).norm();
}
constexpr double flat_found = 4, flat_left = 2;

}  // namespace

// ---- the normal

// A direction d within the cone of the given ones, or the nearest in it: sum of c_k n_k with c >= 0 and least distance
// from d, one coefficient after the other.
static Vec3 nearest_in_cone(const Vec3& d, const std::vector<Separation>& directions) {
  std::vector<double> c(directions.size(), 0.0);
  Vec3 sum = Vec3::Zero();
  for (int sweep = 0; sweep < 200; ++sweep) {
    double change = 0;
    for (std::size_t k = 0; k < c.size(); ++k) {
      const Vec3& n = directions[k].normal;
      const double next = std::max(0.0, c[k] + n.dot(d - sum));
      sum += (next - c[k]) * n;
      change = std::max(change, std::abs(next - c[k]));
      c[k] = next;
    }
    if (change < 1e-15) break;
  }
  return sum;
}

Vec3 ManifoldFinder::choose_normal(const PlacedSolid& a, const PlacedSolid& b, const Separation& s, int facing,
                                   double slack) {
  const bool is_sharp = a.solid->rounding() + b.solid->rounding() == 0;
  const bool is_plane = a.solid->kind == Solid::Kind::plane || b.solid->kind == Solid::Kind::plane;
  if (!is_sharp || is_plane) return s.normal;
  nearly_best(a, b, facing, slack, ties_);
  if (ties_.size() < 2) return ties_.empty() ? s.normal : ties_[0].normal;
  // Directions that differ by rounding are one.
  const Vec3 first = ties_[0].normal;
  if (std::ranges::all_of(ties_, [&](const Separation& t) { return t.normal.dot(first) > 1 - 1e-9; })) return first;
  // Where they touch, roughly: all ties agree there.
  begin(a, b, first, slack);
  const Vec3 place = lift(a_.places.empty() ? Flat{} : a_.places[0]);
  const Vec3 u = b.velocity(place) - a.velocity(place);
  const double speed = u.norm();
  const auto rate = [&](const Separation& t) { return t.normal.dot(u); };
  // The gap is the largest of their distances: it changes as the one does that grows fastest. Of equal ones a face.
  const double most = rate(*std::ranges::max_element(ties_, {}, rate)), slow = tolerance::parting * speed;
  const auto best = std::ranges::find_if(ties_, [&](const Separation& t) { return rate(t) >= most - slow; });
  if (!(most < -slow)) return best->normal;
  const Vec3 n = nearest_in_cone(-u / speed, ties_);
  return n.norm() > 1e-6 ? Vec3(n.normalized()) : best->normal;
}

// ---- what the solids show

void ManifoldFinder::show_cylinder(const PlacedSolid& s, const Vec3& n, double slack, Shown& out) const {
  const Vec3 axis = cylinder_axis(s);
  const double along = axis.dot(n), radius = s.solid->radius;
  const Vec3 across = n - axis * along;
  const int top = along > 0 ? 1 : 0;
  if (2 * radius * across.norm() <= flat_found * slack) {
    out.kind = Shown::Kind::disc;
    out.whole = {Kind::cap, top};
    out.edges = {{Kind::rim, top}};
    out.places = {project(s.corners[top])};
    out.radius = radius;
    return;
  }
  const Vec3 outward = radius * across.normalized();
  const bool lies = std::abs(n.dot(s.corners[1] - s.corners[0])) <= slack;
  out.kind = lies ? Shown::Kind::segment : Shown::Kind::point;
  out.whole = lies ? Part{Kind::side, 0} : Part{Kind::rim, top};
  for (int end = 0; end < 2; ++end) {
    if (!lies && end != top) continue;
    out.corners.push_back({Kind::rim, end});
    out.places.push_back(project(s.corners[end] + outward));
  }
  if (lies) out.edges = {{Kind::side, 0}};
}

void ManifoldFinder::show(const PlacedSolid& s, double sign, double slack, Shown& out) const {
  const Vec3 n = sign * n_;
  out.corners.clear();
  out.edges.clear();
  out.places.clear();
  out.radius = 0;
  const Polyhedron& shape = s.solid->shape;
  if (s.solid->kind == Solid::Kind::plane) {
    out.kind = Shown::Kind::everything;
    out.whole = {Kind::plane, 0};
    return;
  }
  if (s.solid->kind == Solid::Kind::cylinder) return show_cylinder(s, n, slack, out);
  double most = -std::numeric_limits<double>::infinity();
  for (const Vec3& c : s.corners) most = std::max(most, n.dot(c));
  const auto is_near = [&](int corner) { return n.dot(s.corners[corner]) >= most - slack; };
  int face = -1, edge = -1, corner = 0;
  double best = 0;
  for (std::size_t f = 0; f < shape.faces.size(); ++f)
    if (const double d = s.normals[f].dot(n); d > best && !shape.faces[f].loop.empty()) {
      best = d;
      face = static_cast<int>(f);
    }
  if (face >= 0 && std::ranges::all_of(shape.faces[face].loop, is_near)) {
    out.kind = Shown::Kind::polygon;
    out.whole = {Kind::face, face};
    const std::vector<int>& loop = shape.faces[face].loop;
    const auto edge_between = [&](int i, int j) {
      const auto joins = [&](const Polyhedron::Edge& e) {
        return (e.from == i && e.to == j) || (e.from == j && e.to == i);
      };
      return static_cast<int>(std::ranges::find_if(shape.edges, joins) - shape.edges.begin());
    };
    const int m = static_cast<int>(loop.size());
    // Loops turn counterclockwise as seen from outside; all areas are to turn so seen against n_.
    for (int i = 0; i < m; ++i) {
      const int here = loop[sign > 0 ? i : m - 1 - i], there = loop[sign > 0 ? (i + 1) % m : (2 * m - 2 - i) % m];
      out.corners.push_back({Kind::corner, here});
      out.edges.push_back({Kind::edge, edge_between(here, there)});
      out.places.push_back(project(s.corners[here]));
    }
    return;
  }
  double height = -std::numeric_limits<double>::infinity();
  for (std::size_t e = 0; e < shape.edges.size(); ++e) {
    const int i = shape.edges[e].from, j = shape.edges[e].to;
    if (!is_near(i) || !is_near(j)) continue;
    if (const double h = n.dot(s.corners[i] + s.corners[j]); h > height) {
      height = h;
      edge = static_cast<int>(e);
    }
  }
  if (edge >= 0) {
    out.kind = Shown::Kind::segment;
    out.whole = {Kind::edge, edge};
    out.edges = {out.whole};
    for (int i : {shape.edges[edge].from, shape.edges[edge].to}) {
      out.corners.push_back({Kind::corner, i});
      out.places.push_back(project(s.corners[i]));
    }
    return;
  }
  for (std::size_t i = 0; i < s.corners.size(); ++i)
    if (n.dot(s.corners[i]) == most) corner = static_cast<int>(i);
  out.kind = Shown::Kind::point;
  out.whole = {Kind::corner, corner};
  out.corners = {out.whole};
  out.places = {project(s.corners[corner])};
}

void ManifoldFinder::begin(const PlacedSolid& a, const PlacedSolid& b, const Vec3& n, double slack) {
  from_ = &a;
  to_ = &b;
  n_ = n;
  const Complement across = complete_frame(n);
  t1_ = across.first;
  t2_ = across.second;
  const bool a_is_plane = a.solid->kind == Solid::Kind::plane;
  origin_ = a_is_plane ? b.middle : a.middle;
  const auto reach = [](const PlacedSolid& s) { return std::isfinite(s.solid->reach) ? s.solid->reach : 0.0; };
  lateral_ = tolerance::lateral * (reach(a) + reach(b));
  show(a, 1, slack, a_);
  show(b, -1, slack, b_);
}

// ---- the area they have in common

// The part of the polygon to the left of the side from `from` to `to`, its points included.
void ManifoldFinder::clip(const Flat& from, const Flat& to, int side) {
  const double ex = to.x - from.x, ey = to.y - from.y, length = std::hypot(ex, ey);
  next_.clear();
  const auto left = [&](const Flat& p) { return (ex * (p.y - from.y) - ey * (p.x - from.x)) / length; };
  const auto between = [](const Flat& p, const Flat& q, double s) {
    return Flat{p.x + s * (q.x - p.x), p.y + s * (q.y - p.y)};
  };
  for (std::size_t i = 0; i < polygon_.size(); ++i) {
    const Corner &here = polygon_[i], &there = polygon_[(i + 1) % polygon_.size()];
    const double d = left(here.place), e = left(there.place);
    const bool in = d >= -lateral_, out = e < -lateral_;
    if (in) next_.push_back(here);
    if (in != out || std::abs(d - e) <= lateral_) continue;
    // What lies within rounding of the side is on it: then there is no crossing of its own.
    if (in && d <= lateral_) {
      next_.back().next = ~side;
      continue;
    }
    if (!in && e <= lateral_) continue;
    const Flat crossing = between(here.place, there.place, d / (d - e));
    next_.push_back({crossing, -1, in ? ~side : here.next});
  }
  polygon_.swap(next_);
}

void ManifoldFinder::cut_polygon(const Shown& cutting, const Shown& subject, bool swapped) {
  const int m = static_cast<int>(cutting.places.size()), k = static_cast<int>(subject.places.size());
  polygon_.clear();
  for (int i = 0; i < k; ++i) polygon_.push_back({subject.places[i], i, i});
  for (int i = 0; i < m && !polygon_.empty(); ++i) clip(cutting.places[i], cutting.places[(i + 1) % m], i);
  const int n = static_cast<int>(polygon_.size());
  for (int i = 0; i < n; ++i) {
    const Corner& c = polygon_[i];
    const int last = polygon_[(i + n - 1) % n].next;
    if (c.corner >= 0)
      add(swapped, cutting.whole, subject.corners[c.corner], c.place);
    else if (last >= 0 && c.next < 0)
      add(swapped, cutting.edges[~c.next], subject.edges[last], c.place);
    else if (last < 0 && c.next >= 0)
      add(swapped, cutting.edges[~last], subject.edges[c.next], c.place);
    else if (last < 0 && c.next < 0)
      add(swapped, cutting.corners[(~last + 1) % m == ~c.next ? ~c.next : ~last], subject.whole, c.place);
  }
}

void ManifoldFinder::cut_segment(const Shown& cutting, const Shown& subject, bool swapped) {
  const Flat &p = subject.places[0], &q = subject.places[1];
  const auto at = [&](double s) { return Flat{p.x + s * (q.x - p.x), p.y + s * (q.y - p.y)}; };
  double low = 0, high = 1;
  int low_side = -1, high_side = -1;
  const double length = std::hypot(q.x - p.x, q.y - p.y);
  if (cutting.kind == Shown::Kind::polygon) {
    const int m = static_cast<int>(cutting.places.size());
    for (int i = 0; i < m; ++i) {
      const Flat &a = cutting.places[i], &b = cutting.places[(i + 1) % m];
      const double ex = b.x - a.x, ey = b.y - a.y, size = std::hypot(ex, ey);
      const double d = (ex * (p.y - a.y) - ey * (p.x - a.x)) / size, e = (ex * (q.y - a.y) - ey * (q.x - a.x)) / size;
      if (d < -lateral_ && e < -lateral_) return;
      if (d < -lateral_ && d / (d - e) > low) {
        low = d / (d - e);
        low_side = i;
      }
      if (e < -lateral_ && d / (d - e) < high) {
        high = d / (d - e);
        high_side = i;
      }
    }
  } else if (cutting.kind == Shown::Kind::disc) {
    const Flat& c = cutting.places[0];
    const double ux = (q.x - p.x) / length, uy = (q.y - p.y) / length;
    const double along = ux * (c.x - p.x) + uy * (c.y - p.y), off = ux * (c.y - p.y) - uy * (c.x - p.x);
    const double half = cutting.radius * cutting.radius - off * off;
    if (half < 0 && std::abs(off) > cutting.radius + lateral_) return;
    const double root = std::sqrt(std::max(0.0, half));
    if (along - root > lateral_) {
      low = (along - root) / length;
      low_side = 0;
    }
    if (along + root < length - lateral_) {
      high = (along + root) / length;
      high_side = 0;
    }
  }
  if (low > high + lateral_ / length) return;
  const auto end = [&](double s, int side, int corner) {
    if (side < 0)
      add(swapped, cutting.whole, subject.corners[corner], at(s));
    else
      add(swapped, cutting.edges[side], subject.edges[0], at(s));
  };
  end(low, low_side, 0);
  if ((high - low) * length > lateral_) end(high, high_side, 1);
}

bool ManifoldFinder::is_inside(const Shown& s, const Flat& p) const {
  if (s.kind == Shown::Kind::everything) return true;
  if (s.kind == Shown::Kind::disc) return std::hypot(p.x - s.places[0].x, p.y - s.places[0].y) <= s.radius + lateral_;
  const std::size_t m = s.places.size();
  for (std::size_t i = 0; i < m; ++i) {
    const Flat &a = s.places[i], &b = s.places[(i + 1) % m];
    const double ex = b.x - a.x, ey = b.y - a.y;
    if ((ex * (p.y - a.y) - ey * (p.x - a.x)) / std::hypot(ex, ey) < -lateral_) return false;
  }
  return true;
}

// A disc on something wide: four points of its rim where they lie on it, what crosses the rim, and corners within it.
void ManifoldFinder::cut_disc(const Shown& cutting, const Shown& disc, bool swapped) {
  const Flat c = disc.places[0];
  for (const auto& [x, y] : {std::pair(1, 0), std::pair(0, 1), std::pair(-1, 0), std::pair(0, -1)}) {
    const Flat p{c.x + x * disc.radius, c.y + y * disc.radius};
    if (is_inside(cutting, p)) add(swapped, cutting.whole, {Kind::spot, disc.whole.index}, p);
  }
  if (cutting.kind != Shown::Kind::polygon) return;
  const int m = static_cast<int>(cutting.places.size());
  for (int i = 0; i < m; ++i) {
    const Flat &p = cutting.places[i], &q = cutting.places[(i + 1) % m];
    if (std::hypot(p.x - c.x, p.y - c.y) < disc.radius - lateral_) add(swapped, cutting.corners[i], disc.whole, p);
    const double length = std::hypot(q.x - p.x, q.y - p.y), ux = (q.x - p.x) / length, uy = (q.y - p.y) / length;
    const double along = ux * (c.x - p.x) + uy * (c.y - p.y), off = ux * (c.y - p.y) - uy * (c.x - p.x);
    const double half = disc.radius * disc.radius - off * off;
    if (half <= 0) continue;
    for (double s : {along - std::sqrt(half), along + std::sqrt(half)})
      if (s > lateral_ && s < length - lateral_)
        add(swapped, cutting.edges[i], disc.edges[0], {p.x + s * ux, p.y + s * uy});
  }
}

void ManifoldFinder::meet_discs(const Shown& a, const Shown& b, bool swapped) {
  const Flat p = a.places[0], q = b.places[0];
  const double dx = q.x - p.x, dy = q.y - p.y, d = std::hypot(dx, dy);
  const auto lie = [&](bool b_on_a) { b_on_a ? cut_disc(a, b, swapped) : cut_disc(b, a, !swapped); };
  const bool b_is_smaller = b.radius <= a.radius;
  lie(b_is_smaller);
  if (d <= std::abs(a.radius - b.radius) + lateral_ || d >= a.radius + b.radius - lateral_) return;
  lie(!b_is_smaller);
  const double along = (d * d + a.radius * a.radius - b.radius * b.radius) / (2 * d);
  const double half = std::sqrt(std::max(0.0, a.radius * a.radius - along * along));
  for (double side : {1.0, -1.0})
    add(swapped, a.edges[0], b.edges[0],
        {p.x + (along * dx - side * half * dy) / d, p.y + (along * dy + side * half * dx) / d});
}

// Two segments cross, or run along each other; a point is a segment without length.
void ManifoldFinder::cross_segments(const Shown& a, const Shown& b) {
  if (a.kind == Shown::Kind::point || b.kind == Shown::Kind::point) {
    const bool point_is_a = a.kind == Shown::Kind::point;
    const Shown &point = point_is_a ? a : b, &other = point_is_a ? b : a;
    const Flat p = point.places[0];
    // At the end of the other it meets that end.
    for (std::size_t i = 0; i < other.places.size(); ++i)
      if (std::hypot(p.x - other.places[i].x, p.y - other.places[i].y) <= lateral_)
        return add(point_is_a, other.corners[i], point.whole, p);
    return add(point_is_a, other.whole, point.whole, p);
  }
  const Flat &p = a.places[0], &q = a.places[1], &r = b.places[0], &s = b.places[1];
  const double ex = q.x - p.x, ey = q.y - p.y, fx = s.x - r.x, fy = s.y - r.y;
  const double e = std::hypot(ex, ey), f = std::hypot(fx, fy), sine = (ex * fy - ey * fx) / (e * f);
  if (std::abs(sine) > tolerance::parallel) {
    const double t = ((r.x - p.x) * fy - (r.y - p.y) * fx) / (ex * fy - ey * fx);
    const Flat place{p.x + t * ex, p.y + t * ey};
    const double u = ((place.x - r.x) * fx + (place.y - r.y) * fy) / (f * f);
    const auto end = [&](double at, double length) {
      return std::abs(at) * length <= lateral_ ? 0 : std::abs(at - 1) * length <= lateral_ ? 1 : -1;
    };
    const int at_a = end(t, e), at_b = end(u, f);
    return add(false, at_a < 0 ? a.whole : a.corners[at_a], at_b < 0 ? b.whole : b.corners[at_b], place);
  }
  // Along each other: the ends of what they have in common.
  const double ux = ex / e, uy = ey / e;
  const double b0 = ux * (r.x - p.x) + uy * (r.y - p.y), b1 = ux * (s.x - p.x) + uy * (s.y - p.y);
  const auto at = [&](double t) { return Flat{p.x + t * ux, p.y + t * uy}; };
  const auto corner_of_a = [&](double t) { return std::abs(t) <= lateral_ ? 0 : std::abs(t - e) <= lateral_ ? 1 : -1; };
  const auto corner_of_b = [&](double t) {
    return std::abs(t - b0) <= lateral_ ? 0 : std::abs(t - b1) <= lateral_ ? 1 : -1;
  };
  const double low = std::max(0.0, std::min(b0, b1)), high = std::min(e, std::max(b0, b1));
  const auto end = [&](double t) {
    const int i = corner_of_a(t), j = corner_of_b(t);
    add(false, i < 0 ? a.whole : a.corners[i], j < 0 ? b.whole : b.corners[j], at(t));
  };
  end(std::min(low, high));
  if (high - low > lateral_) end(high);
}

// A corner beside an area it touches by rounding: what touches is an edge that leads from it across the border.
void ManifoldFinder::meet_corner(const Shown& cutting, const Shown& subject, bool swapped) {
  const Flat& p = subject.places[0];
  if (subject.whole.kind != Kind::corner || cutting.kind != Shown::Kind::polygon || is_inside(cutting, p))
    return add(swapped, cutting.whole, subject.whole, p);
  const PlacedSolid& solid = swapped ? *from_ : *to_;
  const auto& edges = solid.solid->shape.edges;
  const std::size_t m = cutting.places.size();
  double nearest = std::numeric_limits<double>::infinity();
  Flat place = p;
  Part on_cutting = cutting.whole, on_subject = subject.whole;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (edges[e].from != subject.whole.index && edges[e].to != subject.whole.index) continue;
    const Flat q = project(solid.corners[edges[e].from == subject.whole.index ? edges[e].to : edges[e].from]);
    for (std::size_t i = 0; i < m; ++i) {
      const Flat &a = cutting.places[i], &b = cutting.places[(i + 1) % m];
      const double ex = b.x - a.x, ey = b.y - a.y, size = std::hypot(ex, ey);
      const double d = (ex * (p.y - a.y) - ey * (p.x - a.x)) / size, f = (ex * (q.y - a.y) - ey * (q.x - a.x)) / size;
      if (!(d < 0 && f > 0)) continue;
      const double s = d / (d - f);
      const Flat x{p.x + s * (q.x - p.x), p.y + s * (q.y - p.y)};
      const double way = std::hypot(x.x - p.x, x.y - p.y);
      if (!is_inside(cutting, x) || way >= nearest) continue;
      nearest = way;
      place = x;
      on_cutting = cutting.edges[i];
      on_subject = {Kind::edge, static_cast<int>(e)};
    }
  }
  add(swapped, on_cutting, on_subject, place);
}

void ManifoldFinder::meet(const Shown& cutting, const Shown& subject, bool swapped) {
  using enum Shown::Kind;
  switch (subject.kind) {
    case point: return meet_corner(cutting, subject, swapped);
    case segment: return cut_segment(cutting, subject, swapped);
    case polygon:
      if (cutting.kind == disc) return cut_disc(subject, cutting, !swapped);
      if (cutting.kind == polygon) return cut_polygon(cutting, subject, swapped);
      for (std::size_t i = 0; i < subject.places.size(); ++i)
        add(swapped, cutting.whole, subject.corners[i], subject.places[i]);
      return;
    case disc:
      if (cutting.kind == disc) return meet_discs(cutting, subject, swapped);
      return cut_disc(cutting, subject, swapped);
    case everything: return;
  }
}

// ---- features

Feature ManifoldFinder::feature(const PlacedSolid& s, const Part& part, const Vec3& place) const {
  const Solid& solid = *s.solid;
  const Polyhedron& shape = solid.shape;
  switch (part.kind) {
    case Kind::corner: return {Feature::Kind::point, shape.corners[part.index], Vec3::UnitZ(), 0, solid.rounding()};
    case Kind::edge: {
      const Polyhedron::Edge& e = shape.edges[part.index];
      const Vec3 along = (shape.corners[e.to] - shape.corners[e.from]).normalized();
      return {Feature::Kind::line, shape.corners[e.from], along, 0, solid.rounding()};
    }
    case Kind::face: {
      const Polyhedron::Face& f = shape.faces[part.index];
      return {Feature::Kind::plane, f.normal * f.offset, f.normal, 0, 0};
    }
    case Kind::rim: return {Feature::Kind::circle, shape.corners[part.index], solid.axis(), solid.radius, 0};
    case Kind::side: return {Feature::Kind::line, shape.corners[0], solid.axis(), 0, solid.radius};
    case Kind::cap:
      return {Feature::Kind::plane, shape.corners[part.index], (part.index ? 1 : -1) * solid.axis(), 0, 0};
    case Kind::plane: return {Feature::Kind::plane, shape.corners[0], shape.faces[0].normal, 0, 0};
    case Kind::spot: {
      // On the rim itself, however the disc lies by rounding.
      const Vec3 axis = solid.axis(), d = s.to_local(place) - shape.corners[part.index], out = d - axis * axis.dot(d);
      return {Feature::Kind::point, shape.corners[part.index] + solid.radius * out.normalized(), Vec3::UnitZ(), 0, 0};
    }
    case Kind::free: return {Feature::Kind::point, s.to_local(place), Vec3::UnitZ(), 0, 0};
  }
  return {};
}

void ManifoldFinder::add(bool swapped, Part on_cutting, Part on_subject, const Flat& place) {
  for (const Flat& p : taken_)
    if (std::hypot(p.x - place.x, p.y - place.y) <= lateral_) return;
  taken_.push_back(place);
  Touching t;
  t.from = swapped ? on_subject : on_cutting;
  t.to = swapped ? on_cutting : on_subject;
  const Vec3 flat = lift(place);
  // On the surface of either, along the normal.
  const Vec3 on_from = flat + n_ * (farthest(*from_, n_) - n_.dot(flat)),
             on_to = flat - n_ * (farthest(*to_, -n_) + n_.dot(flat));
  t.meeting.from = feature(*from_, t.from, on_from);
  t.meeting.to = feature(*to_, t.to, on_to);
  const auto is_line = [](const Feature& f) {
    return f.kind == Feature::Kind::line || f.kind == Feature::Kind::circle;
  };
  const bool is_sharp = from_->solid->rounding() + to_->solid->rounding() == 0;
  const auto is_wide = [](const Feature& f) { return f.kind == Feature::Kind::plane; };
  bool needs_normal = false;
  const auto rim_angle = [](const PlacedSolid& s, const Feature& f, const Vec3& x) {
    const Complement c = complete_frame(f.along);
    const Vec3 d = s.to_local(x) - f.place;
    return std::atan2(c.second.dot(d), c.first.dot(d));
  };
  if (t.meeting.from.kind == Feature::Kind::circle) t.meeting.angle_from = rim_angle(*from_, t.meeting.from, on_from);
  if (t.meeting.to.kind == Feature::Kind::circle) t.meeting.angle_to = rim_angle(*to_, t.meeting.to, on_to);
  if (is_line(t.meeting.from) && is_line(t.meeting.to)) {
    // Tangents of what meets; nearly parallel ones have no normal between them.
    const auto tangent = [](const PlacedSolid& s, const Feature& f, double angle) {
      if (f.kind == Feature::Kind::line) return s.direction_to_world(f.along);
      const Complement c = complete_frame(f.along);
      return s.direction_to_world(Vec3(std::cos(angle) * c.second - std::sin(angle) * c.first));
    };
    const Vec3 e = tangent(*from_, t.meeting.from, t.meeting.angle_from),
               f = tangent(*to_, t.meeting.to, t.meeting.angle_to), m = e.cross(f);
    t.meeting.side = m.dot(n_) < 0 ? -1 : 1;
    needs_normal = m.norm() < tolerance::crossing && t.meeting.from.round + t.meeting.to.round == 0;
  } else if (!is_wide(t.meeting.from) && !is_wide(t.meeting.to)) {
    needs_normal = is_sharp && t.meeting.from.round + t.meeting.to.round == 0;
  }
  // A corner on an edge slides along it, on a plane that the edge carries.
  const bool on_edge = t.from.kind == Kind::edge && t.to.kind == Kind::corner;
  if (needs_normal && (on_edge || (t.from.kind == Kind::corner && t.to.kind == Kind::edge))) {
    const PlacedSolid& solid = on_edge ? *from_ : *to_;
    Feature& edge = on_edge ? t.meeting.from : t.meeting.to;
    const Vec3 n = solid.direction_to_local(on_edge ? n_ : Vec3(-n_));
    edge = {Feature::Kind::plane, edge.place, (n - edge.along * edge.along.dot(n)).normalized(), 0, 0};
  } else if (needs_normal) {
    t.from = {Kind::free, t.from.index};
    t.meeting.from = {Feature::Kind::plane, from_->to_local(on_from), from_->direction_to_local(n_), 0, 0};
    t.to = {Kind::free, t.to.index};
    t.meeting.to = {Feature::Kind::point, to_->to_local(on_to), Vec3::UnitZ(), 0, 0};
  }
  found_->push_back(t);
}

void ManifoldFinder::find(const PlacedSolid& a, const PlacedSolid& b, const Separation& s, int facing, double slack,
                          std::vector<Touching>& found) {
  found_ = &found;
  taken_.clear();
  const Vec3 n = choose_normal(a, b, s, facing, slack);
  begin(a, b, n, slack);
  using enum Shown::Kind;
  const std::size_t before = found.size();
  if (a_.kind >= polygon && b_.kind != everything)
    meet(a_, b_, false);
  else if (b_.kind >= polygon)
    meet(b_, a_, true);
  else
    cross_segments(a_, b_);
  // Touching, but beside each other by rounding: where they come nearest.
  if (found.size() == before && !a_.places.empty() && b_.kind != everything) {
    const Flat q = a_.places[0];
    const Flat p =
        *std::ranges::min_element(b_.places, {}, [&](const Flat& x) { return std::hypot(x.x - q.x, x.y - q.y); });
    add(false, {Kind::free, 0}, {Kind::free, 0}, p);
    Touching& t = found.back();
    t.meeting.from = {Feature::Kind::plane, a.to_local(lift(p) + n_ * (farthest(a, n_) - n_.dot(lift(p)))),
                      a.direction_to_local(n_), 0, 0};
  }
}

bool ManifoldFinder::find_spot(const PlacedSolid& a, const PlacedSolid& b, const Separation& s, double slack,
                               const Vec3& direction, std::vector<Touching>& found) {
  begin(a, b, s.normal, slack);
  found_ = &found;
  taken_.clear();
  const double x = t1_.dot(direction), y = t2_.dot(direction), length = std::hypot(x, y);
  if (!(length > 0)) return false;
  const std::size_t before = found.size();
  for (const bool swapped : {false, true}) {
    const Shown &disc = swapped ? a_ : b_, &other = swapped ? b_ : a_;
    if (disc.kind != Shown::Kind::disc || other.kind < Shown::Kind::polygon) continue;
    const Flat p{disc.places[0].x + disc.radius * x / length, disc.places[0].y + disc.radius * y / length};
    if (is_inside(other, p)) add(swapped, other.whole, {Kind::spot, disc.whole.index}, p);
  }
  return found.size() > before;
}

// ---- leaving

namespace {

Vec3 vec(const Triple<double>& t) { return {t.x, t.y, t.z}; }

// How far x has left the part of s that something at x can touch. Of rounded solids a part ends where another is
// nearer.
double beyond(const PlacedSolid& s, const Part& part, const Vec3& x, bool is_rounded) {
  const Polyhedron& shape = s.solid->shape;
  const auto never = -std::numeric_limits<double>::infinity();
  switch (part.kind) {
    case Kind::face: return outside_face(s, part.index, x);
    case Kind::edge: {
      const Polyhedron::Edge& e = shape.edges[part.index];
      const Vec3 &p = s.corners[e.from], along = (s.corners[e.to] - p).normalized();
      double most = std::max(along.dot(p - x), along.dot(x - s.corners[e.to]));
      for (int f : e.faces)
        if (is_rounded && f >= 0 && !shape.faces[f].loop.empty()) {
          const Vec3 in = along.cross(s.normals[f]);
          const Vec3 middle = s.origin + s.direction_to_world(shape.faces[f].middle);
          most = std::max(most, (in.dot(middle - p) < 0 ? -1 : 1) * in.dot(x - p));
        }
      return most;
    }
    case Kind::corner: {
      double most = never;
      if (!is_rounded) return most;
      for (const Polyhedron::Edge& e : shape.edges) {
        if (e.from != part.index && e.to != part.index) continue;
        const Vec3 &p = s.corners[part.index], &q = s.corners[e.from == part.index ? e.to : e.from];
        most = std::max(most, (q - p).normalized().dot(x - p));
      }
      return most;
    }
    case Kind::side: {
      const Vec3 axis = cylinder_axis(s);
      return std::max(axis.dot(s.corners[0] - x), axis.dot(x - s.corners[1]));
    }
    case Kind::cap: {
      const Vec3 axis = cylinder_axis(s), d = x - s.corners[part.index];
      return (d - axis * axis.dot(d)).norm() - s.solid->radius;
    }
    case Kind::rim: {
      if (!is_rounded) return never;
      const Vec3 axis = cylinder_axis(s), d = x - s.corners[part.index];
      const double height = (part.index ? 1 : -1) * axis.dot(d), out = (d - axis * axis.dot(d)).norm();
      return std::max(-height, s.solid->radius - out);
    }
    default: return never;
  }
}

}  // namespace

double overrun(const PlacedSolid& a, const PlacedSolid& b, const Touching& t, const Nearness<double>& near,
               double slack) {
  const Vec3 n = vec(near.normal);
  // Places on the cores: rounded solids touch as far as their radius beyond.
  const Vec3 on_from = vec(near.on_from) - t.meeting.from.round * n, on_to = vec(near.on_to) + t.meeting.to.round * n;
  if (t.from.kind == Kind::free || t.to.kind == Kind::free) {
    const Vec3 place = a.origin + a.direction_to_world(t.meeting.from.place);
    return (on_to - place - n * n.dot(on_to - place)).norm();
  }
  const bool is_rounded = a.solid->rounding() + b.solid->rounding() > 0;
  double most = std::max(beyond(a, t.from, on_to, is_rounded), beyond(b, t.to, on_from, is_rounded));
  // A corner leaves an edge to either side.
  const auto beside = [&](const PlacedSolid& s, int edge, const Vec3& x) {
    const Polyhedron::Edge& e = s.solid->shape.edges[edge];
    const Vec3 along = s.edge(edge).normalized(), d = x - s.corners[e.from];
    return std::abs(along.cross(n).dot(d));
  };
  if (!is_rounded && t.from.kind == Kind::edge && t.to.kind == Kind::corner)
    most = std::max(most, beside(a, t.from.index, on_to));
  if (!is_rounded && t.from.kind == Kind::corner && t.to.kind == Kind::edge)
    most = std::max(most, beside(b, t.to.index, on_from));
  // A rim that comes to lie flat touches all around.
  const auto is_wide = [](const Part& p) {
    return p.kind == Kind::face || p.kind == Kind::plane || p.kind == Kind::cap;
  };
  const auto is_flat = [&](const PlacedSolid& s) { return 2 * s.solid->radius * tilt(s, n) <= flat_left * slack; };
  if ((t.to.kind == Kind::rim && is_wide(t.from) && is_flat(b)) ||
      (t.from.kind == Kind::rim && is_wide(t.to) && is_flat(a)))
    return std::numeric_limits<double>::infinity();
  return most;
}

}  // namespace plumb
