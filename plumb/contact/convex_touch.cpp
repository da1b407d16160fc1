// Convex solids against each other: corners against solids, edges against edges. What these leave out (a corner that
// meets a corner or an edge, all sharp) happens only by accident and is met a rounding error later by one of them.
//
// Both kinds have a normal n, nearest points f (of the solid that carries n) and x, and a distance D = n.(x - f). With
// u = v_x - v_f, all velocities of points fixed to the bodies,
//   corner   n turns with the solid and, on an edge or a corner, around it: n' = w x n + K u, K the curvature of the
//            distance; D'' = n.(a_x - a_solid(x)) - 2 n.(w x u) + u.K u with u relative to the solid at x
//   edges    n = e_a x e_b/|.|;  D'' = n.(a_x - a_f) + 2 n'.u - |n'|² D
// The points of contact wander over the bodies; that is part of the rate of u.
#include <cmath>

#include "plumb/contact/touch.h"

namespace plumb {
namespace {

Vec3 vec(const double* x) { return Vec3(x[0], x[1], x[2]); }

void store(double* out, const Vec3& v) {
  for (int i = 0; i < 3; ++i) out[i] = v[i];
}

// The motion of a body as seen from a contact.
struct Carrier {
  Vec3 centre = Vec3::Zero(), v = Vec3::Zero(), w = Vec3::Zero();

  Carrier(const Placement& at, const End& e) {
    if (e.kind == BodyKind::ground) return;
    centre = vec(at.q + e.q);
    v = vec(at.v + e.v);
    angular_velocity(at, e, w.data());
  }
  Vec3 velocity(const Vec3& p) const { return v + w.cross(p - centre); }
  Vec3 centripetal(const Vec3& p) const { return w.cross(w.cross(p - centre)); }
  // Rate of the velocity of whatever point of the body is at a place that moves with p'; without v' and w'.
  Vec3 wandering(const Vec3& p_rate) const { return w.cross(p_rate - v); }
};

struct End3 {  // the point of contact on one side
  Vec3 point, rate;
};

// n from `from` to `to`.
Touch make_touch(const Carrier& from, const Carrier& to, const End3& on_from, const End3& on_to, const Vec3& n,
                 double gap, double normal_bias) {
  Touch t{};
  t.gap = gap;
  store(t.normal, n);
  store(t.point, on_to.point);
  store(t.arm_from, on_from.point - from.centre);
  store(t.arm_to, on_to.point - to.centre);
  store(t.velocity, to.velocity(on_to.point) - from.velocity(on_from.point));
  store(t.bias, to.wandering(on_to.rate) - from.wandering(on_from.rate));
  t.normal_bias = normal_bias;
  return t;
}

}  // namespace

struct Candidates::Sides {
  const Solid &cornered, &faced;
  int corner;
};

Candidates::Sides Candidates::sides(const Candidate& c) const {
  const Solid &from = solids_[pairs_[c.pair].from], &to = solids_[pairs_[c.pair].to];
  return c.corner_of_from ? Sides{from, to, c.feature_from} : Sides{to, from, c.feature_to};
}

int Candidates::add_solid(const Model& model, const System& system, int body) {
  const SystemBody& b = system.bodies[body];
  const Body& given = model.bodies[body];
  Solid s;
  s.end.kind = b.kind;
  s.end.body = body;
  s.end.q = b.q, s.end.v = b.v, s.end.frame = b.frame;
  s.shape.corners = {b.mass_center};
  if (given.shape) {
    if (const auto* box = std::get_if<Box>(&*given.shape)) s.shape = box_polyhedron(box->size);
    if (const auto* hull = std::get_if<Hull>(&*given.shape)) s.shape = convex_hull(hull->points);
    if (const auto* ball = std::get_if<Sphere>(&*given.shape))
      s.shape.corners = {Vec3::Zero()}, s.radius = ball->radius;
    if (const auto* pill = std::get_if<Capsule>(&*given.shape)) {
      s.shape.corners = {Vec3(0, 0, -pill->height / 2), Vec3(0, 0, pill->height / 2)};
      s.shape.edges = {{0, 1, {-1, -1}}};
      s.radius = pill->radius;
    }
  }
  const Mat3 R = b.axes.matrix().transpose();
  for (Vec3& c : s.shape.corners) c = R * (c - b.mass_center);
  for (Polyhedron::Face& f : s.shape.faces) {
    f.offset -= f.normal.dot(b.mass_center);
    f.normal = R * f.normal;
    f.middle = R * (f.middle - b.mass_center);
  }
  enclose(s);
  solids_.push_back(std::move(s));
  return static_cast<int>(solids_.size()) - 1;
}

int Candidates::add_wall_solid(const WallSurface& wall) {
  const Candidate c = wall_candidate(wall);
  std::vector<Vec3> corners;
  for (const auto& [x, y] : {std::pair(-1, -1), std::pair(1, -1), std::pair(1, 1), std::pair(-1, 1)})
    corners.push_back(vec(c.point) + x * c.half[0] * vec(c.across[0]) + y * c.half[1] * vec(c.across[1]));
  Solid s;
  s.shape = polyhedron(std::move(corners), {{0, 1, 2, 3}, {3, 2, 1, 0}});
  enclose(s);
  solids_.push_back(std::move(s));
  return static_cast<int>(solids_.size()) - 1;
}

void Candidates::add_features(int contact, int from, int to, std::vector<Candidate>& list) {
  const Solid &a = solids_[from], &b = solids_[to];
  Candidate c;
  c.contact = contact;
  c.from = a.end, c.to = b.end;
  c.radius_from = a.radius, c.radius_to = b.radius;
  c.pair = static_cast<int>(pairs_.size());
  pairs_.push_back({from, to});
  c.kind = Candidate::Kind::corner;
  for (std::size_t i = 0; !a.shape.edges.empty() && i < b.shape.corners.size(); ++i) {
    c.feature_to = static_cast<int>(i);
    list.push_back(c);
  }
  c.corner_of_from = true;
  for (std::size_t i = 0; !b.shape.edges.empty() && i < a.shape.corners.size(); ++i) {
    c.feature_from = static_cast<int>(i);
    list.push_back(c);
  }
  c.corner_of_from = false;
  c.kind = Candidate::Kind::edges;
  for (std::size_t i = 0; i < a.shape.edges.size(); ++i)
    for (std::size_t j = 0; j < b.shape.edges.size(); ++j) {
      c.feature_from = static_cast<int>(i);
      c.feature_to = static_cast<int>(j);
      list.push_back(c);
    }
}

// The corners of the solid against the wall are there already, and know on which side of it they are.
void Candidates::add_wall_features(int contact, int wall, int solid) {
  std::vector<Candidate> all;
  add_features(contact, wall, solid, all);
  for (const Candidate& c : all)
    if (c.kind == Candidate::Kind::edges || c.corner_of_from) list_.push_back(c);
}

double Candidates::apart(const Placement& at, const Pair& pair) const {
  const Solid &a = solids_[pair.from], &b = solids_[pair.to];
  return (a.to_world(at, a.middle) - b.to_world(at, b.middle)).norm() - a.reach - b.reach;
}

// `overrun`: the end of a capsule that comes nearest with its very end to something is met as a corner of that, or by
// the other capsule's end; here it is pushed away by as much as the foot lies beyond the end.
Nearest Candidates::nearest_to_corner(const Placement& at, const Candidate& c, double& overrun) const {
  const Sides s = sides(c);
  const Vec3 corner = s.cornered.to_world(at, s.cornered.shape.corners[s.corner]);
  const Vec3 u = Carrier(at, s.cornered.end).velocity(corner) - Carrier(at, s.faced.end).velocity(corner);
  const Vec3 x = s.faced.to_local(at, corner);
  const Nearest n = nearest_point(at, s.faced, x, s.faced.direction_to_local(at, u), s.cornered, c.held);
  overrun = 0;
  const bool is_segment = s.faced.shape.faces.empty();
  if (is_segment && n.edge.isZero(0) && (c.corner_of_from || !s.cornered.shape.faces.empty())) {
    const Vec3 e = (s.faced.shape.corners[1] - s.faced.shape.corners[0]).normalized();
    overrun = std::abs(e.dot(x - n.foot));
  }
  return n;
}

double Candidates::convex_gap(const Placement& at, const Candidate& c) const {
  if (c.kind == Candidate::Kind::edges)
    return edge_pair(at, solids_[pairs_[c.pair].from], c.feature_from, solids_[pairs_[c.pair].to], c.feature_to).gap;
  double overrun;
  const Nearest n = nearest_to_corner(at, c, overrun);
  return n.distance - c.radius_from - c.radius_to + overrun;
}

bool Candidates::applies(const Placement& at, const Candidate& c) const {
  if (c.pair < 0) return true;
  if (c.kind == Candidate::Kind::edges) {
    const EdgePair p =
        edge_pair(at, solids_[pairs_[c.pair].from], c.feature_from, solids_[pairs_[c.pair].to], c.feature_to);
    return p.meets && !p.doubtful;
  }
  double overrun;
  const Nearest n = nearest_to_corner(at, c, overrun);
  // Sharp corners meet faces.
  return overrun == 0 && (n.face >= 0 || c.radius_from + c.radius_to > 0);
}

void Candidates::hold(const Placement& at, int candidate, bool closed) {
  Candidate& c = list_[candidate];
  if (c.kind != Candidate::Kind::corner || c.radius_from + c.radius_to > 0) return;
  if (closed == (c.held >= 0)) return;
  c.held = -1;
  double overrun;
  if (closed) c.held = nearest_to_corner(at, c, overrun).face;
}

double Candidates::slid_off_by(const Placement& at, int candidate) const {
  const Candidate& c = list_[candidate];
  if (c.kind == Candidate::Kind::edges)
    return edge_pair(at, solids_[pairs_[c.pair].from], c.feature_from, solids_[pairs_[c.pair].to], c.feature_to)
        .overrun;
  if (c.kind != Candidate::Kind::corner || c.held < 0) return 0;
  const Sides s = sides(c);
  const Vec3 x = s.faced.to_local(at, s.cornered.to_world(at, s.cornered.shape.corners[s.corner]));
  return std::max(0.0, outside_face(s.faced.shape, c.held, x) - 4e-9 * s.faced.reach);
}

Touch Candidates::look_corner(const Placement& at, const Candidate& c) const {
  const Sides s = sides(c);
  const Carrier solid(at, s.faced.end), corner(at, s.cornered.end);
  const Vec3 x = s.cornered.to_world(at, s.cornered.shape.corners[s.corner]);
  double overrun;
  const Nearest near = nearest_to_corner(at, c, overrun);
  const Vec3 n = s.faced.direction_to_world(at, near.normal), u = corner.velocity(x) - solid.velocity(x);
  Vec3 around = Vec3::Zero();  // K u
  if (near.face < 0) {
    const Vec3 e = s.faced.direction_to_world(at, near.edge);
    around = (u - n * n.dot(u) - e * e.dot(u)) / near.distance;
  }
  const Vec3 turning = solid.w.cross(n) + around;
  const double r = s.cornered.radius, r_solid = s.faced.radius, D = near.distance;
  const double bias = n.dot(corner.centripetal(x) - solid.centripetal(x)) - 2 * n.dot(solid.w.cross(u)) + u.dot(around);
  const Vec3 x_rate = corner.velocity(x);
  const End3 on_corner{x - r * n, x_rate - r * turning};
  const End3 on_solid{x - (D - r_solid) * n, x_rate - n.dot(u) * n - (D - r_solid) * turning};
  const double gap = D - r - r_solid;
  if (c.corner_of_from) return make_touch(corner, solid, on_corner, on_solid, -n, gap, bias);
  return make_touch(solid, corner, on_solid, on_corner, n, gap, bias);
}

Touch Candidates::look_edges(const Placement& at, const Candidate& c) const {
  const Carrier from(at, c.from), to(at, c.to);
  const EdgePair p =
      edge_pair(at, solids_[pairs_[c.pair].from], c.feature_from, solids_[pairs_[c.pair].to], c.feature_to);
  const Vec3 &n = p.normal, &e = p.e_a, &f = p.e_b;
  const double D = p.distance, size = n.dot(e.cross(f));  // |e x f|, with the sign of n
  const Vec3 v_from = from.velocity(p.near_a), v_to = to.velocity(p.near_b), u = v_to - v_from;
  Vec3 n_rate = Vec3::Zero();
  double a = 0, b = 0;
  if (std::abs(size) > 1e-6 * e.norm() * f.norm()) {
    const Vec3 m_rate = from.w.cross(e).cross(f) + e.cross(to.w.cross(f));
    n_rate = (m_rate - n * n.dot(m_rate)) / size;
    // The nearest points wander along the edges: v_to + b f - v_from - a e = D' n + D n'.
    const Vec3 across = u - n * n.dot(u) - D * n_rate;
    a = across.dot(f.cross(n)) / e.dot(f.cross(n));
    b = -across.dot(e.cross(n)) / f.dot(e.cross(n));
  }
  const double bias =
      n.dot(to.centripetal(p.near_b) - from.centripetal(p.near_a)) + 2 * n_rate.dot(u) - n_rate.squaredNorm() * D;
  const End3 on_from{p.near_a + c.radius_from * n, v_from + a * e + c.radius_from * n_rate};
  const End3 on_to{p.near_b - c.radius_to * n, v_to + b * f - c.radius_to * n_rate};
  return make_touch(from, to, on_from, on_to, n, D - c.radius_from - c.radius_to, bias);
}

}  // namespace plumb
