#include "plumb/contact/touch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/model/check.h"

namespace plumb {
namespace {

void store(double* out, const Vec3& v) {
  for (int i = 0; i < 3; ++i) out[i] = v[i];
}

// Centres and radius of the balls that carry a shape; corners are balls of radius zero.
std::vector<Vec3> ball_centres(const Shape& shape, double& radius) {
  radius = 0;
  if (const auto* s = std::get_if<Sphere>(&shape)) {
    radius = s->radius;
    return {Vec3::Zero()};
  }
  if (const auto* c = std::get_if<Capsule>(&shape)) {
    radius = c->radius;
    return {Vec3(0, 0, -c->height / 2), Vec3(0, 0, c->height / 2)};
  }
  if (const auto* b = std::get_if<Box>(&shape)) return box_polyhedron(b->size).corners;
  if (const auto* h = std::get_if<Hull>(&shape)) return convex_hull(h->points).corners;
  return {};
}

// True for what a single ball describes completely: a mass point or a sphere.
bool is_ball(const Body& b) { return b.is_point() || (b.shape && std::holds_alternative<Sphere>(*b.shape)); }

}  // namespace

Candidates::Candidates(const Model& model, const System& system, Pairs pairs)
    : model_(model), own_contacts_(static_cast<int>(model.contacts.size())) {
  const BodyLookup lookup(model);
  for (std::size_t k = 0; k < model.contacts.size(); ++k) {
    const Contact& contact = model.contacts[k];
    const int index = static_cast<int>(k);
    std::vector<int> bodies;
    if (const auto& named = contact.between ? contact.between : contact.bodies)
      for (const std::string& name : *named)
        bodies.push_back(lookup.index(name, contact.source, contact.name, "bodies"));
    else
      for (std::size_t i = 0; i < model.bodies.size(); ++i) bodies.push_back(static_cast<int>(i));
    if (contact.between) {
      add_pairs(model, system, contact, index, bodies, pairs);
      continue;
    }
    int wall = -1;
    for (int body : bodies) {
      for (const Ball& ball : balls_of(model, system, body)) add_surface(contact, index, ball);
      if (!contact.wall || is_ball(model.bodies[body])) continue;
      if (wall < 0) wall = add_wall_solid(*contact.wall);
      add_wall_features(index, wall, add_solid(model, system, body));
    }
  }
  add_limits(system);
  listed_pairs_ = pairs_.size();
}

void Candidates::add_pairs(const Model& model, const System& system, const Contact& contact, int index,
                           const std::vector<int>& bodies, Pairs pairs) {
  Group group{index, {}};
  double smallest = std::numeric_limits<double>::infinity();
  for (int body : bodies) {
    const Body& given = model.bodies[body];
    const int solid = add_solid(model, system, body);
    const bool ball = is_ball(given);
    if (ball && !(solids_[solid].radius + smallest > 0))
      throw InputError(
          contact.source, fmt::format("contact '{}'", contact.name),
          fmt::format("'{}' and another body are both points and can never touch; give one of them a sphere",
                      given.name));
    if (ball) smallest = std::min(smallest, solids_[solid].radius);
    group.members.push_back({solid, ball ? balls_of(model, system, body)[0] : Ball{}, ball});
  }
  if (pairs == Pairs::grouped) return groups_.push_back(std::move(group));
  for (std::size_t i = 0; i < group.members.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Member &from = group.members[j], &to = group.members[i];
      if (from.is_ball && to.is_ball)
        list_.push_back(pair(index, from.ball, to.ball));
      else
        add_features(index, from.solid, to.solid, list_);
    }
}

Candidate Candidates::pair(int contact, const Ball& from, const Ball& to) {
  Candidate c;
  c.contact = contact;
  c.kind = Candidate::Kind::ball;
  c.from = from.end, c.to = to.end;
  c.radius_from = from.radius, c.radius_to = to.radius;
  return c;
}

std::vector<Candidates::Ball> Candidates::balls_of(const Model& model, const System& system, int body) {
  const SystemBody& b = system.bodies[body];
  const Body& given = model.bodies[body];
  End e;
  e.kind = b.kind;
  e.body = body;
  e.q = b.q, e.v = b.v, e.frame = b.frame;
  double radius = 0;
  std::vector<Vec3> centres = {b.mass_center};
  if (given.shape) centres = ball_centres(*given.shape, radius);
  std::vector<Ball> balls;
  for (const Vec3& c : centres) {
    e.anchor = static_cast<int>(anchors_.size() / 3);
    const Vec3 s = b.axes.matrix().transpose() * (c - b.mass_center);  // in principal axes, from the mass centre
    for (double x : s) anchors_.push_back(x);
    balls.push_back({e, radius});
  }
  return balls;
}

void Candidates::add_surface(const Contact& contact, int index, const Ball& ball) {
  Candidate c = contact.wall ? wall_candidate(*contact.wall) : Candidate{};
  c.contact = index;
  c.to = ball.end;
  c.radius_to = ball.radius;
  if (contact.plane) {
    c.kind = Candidate::Kind::plane;
    store(c.point, contact.plane->point);
    store(c.normal, contact.plane->normal.normalized());
  }
  list_.push_back(c);
}

Candidate Candidates::wall_candidate(const WallSurface& w) {
  const Vec3 n = w.normal.normalized();
  Vec3 along = w.along - n * n.dot(w.along);
  if (w.along.isZero(0)) along = complete_frame(n).first;
  along.normalize();
  Candidate c;
  c.kind = Candidate::Kind::wall;
  store(c.point, w.center);
  store(c.normal, n);
  store(c.across[0], along);
  store(c.across[1], n.cross(along));
  c.half[0] = w.width / 2;
  c.half[1] = w.height / 2;
  c.side = 0;  // not known yet
  return c;
}

Placement Candidates::with_anchors(const Placement& at) const {
  Placement own = at;
  own.anchors = anchors_.data();
  return own;
}

bool Candidates::is_over(const Candidate& c, const double* centre) {
  double d[3];
  kernel::copy(d, centre);
  kernel::subtract(d, c.point);
  return std::abs(kernel::dot(d, c.across[0])) <= c.half[0] && std::abs(kernel::dot(d, c.across[1])) <= c.half[1];
}

void Candidates::nearest(const Candidate& c, const double* centre, const double* v, double* point, double* rate) {
  double d[3];
  kernel::copy(d, centre);
  kernel::subtract(d, c.point);
  kernel::copy(point, c.point);
  for (int i = 0; i < 3; ++i) rate[i] = 0;
  for (int k = 0; k < 2; ++k) {
    const double along = kernel::dot(d, c.across[k]);
    kernel::add_scaled(point, std::clamp(along, -c.half[k], c.half[k]), c.across[k]);
    if (std::abs(along) < c.half[k]) kernel::add_scaled(rate, kernel::dot(v, c.across[k]), c.across[k]);
  }
}

double Candidates::gap(const Placement& at, const Candidate& c) const {
  if (c.limit >= 0) return limit_gap(at, c);
  if (c.pair >= 0) return convex_gap(at, c);
  const Placement own = with_anchors(at);
  double centre[3], other[3], none[3] = {};
  position(own, c.to, centre);
  if (c.kind == Candidate::Kind::ball) {
    position(own, c.from, other);
    kernel::subtract(centre, other);
    return std::sqrt(kernel::dot(centre, centre)) - c.radius_from - c.radius_to;
  }
  if (c.kind == Candidate::Kind::plane || is_over(c, centre)) {
    kernel::subtract(centre, c.point);
    return c.side * kernel::dot(c.normal, centre) - c.radius_to;
  }
  double rate[3];
  nearest(c, centre, none, other, rate);
  kernel::subtract(centre, other);
  return std::sqrt(kernel::dot(centre, centre)) - c.radius_to;
}

Touch Candidates::look(const Placement& at, const Candidate& c) const {
  if (c.limit >= 0) return look_limit(at, c);
  if (c.kind == Candidate::Kind::corner) return look_corner(at, c);
  if (c.kind == Candidate::Kind::edges) return look_edges(at, c);
  const Placement own = with_anchors(at);
  Touch t{};
  double centre[3], v[3], c_bias[3], from_bias[3] = {}, w_to[3], w_from[3];
  position(own, c.to, centre);
  velocity(own, c.to, v);
  acceleration_bias(own, c.to, c_bias);
  angular_velocity(own, c.to, w_to);
  angular_velocity(own, c.from, w_from);
  double turning[3] = {};  // n'
  bool curved = c.kind == Candidate::Kind::ball;
  double other[3], other_v[3] = {};
  if (c.kind == Candidate::Kind::ball) {
    position(own, c.from, other);
    velocity(own, c.from, other_v);
    acceleration_bias(own, c.from, from_bias);
  } else if (c.kind == Candidate::Kind::wall && !is_over(c, centre)) {
    nearest(c, centre, v, other, other_v);
    curved = true;
  }
  double relative[3];  // velocity of the centres
  kernel::copy(relative, v);
  kernel::subtract(relative, other_v);
  if (curved) {
    kernel::copy(t.normal, centre);
    kernel::subtract(t.normal, other);
    const double distance = std::sqrt(kernel::dot(t.normal, t.normal));
    for (double& x : t.normal) x /= distance;
    t.gap = distance - c.radius_from - c.radius_to;
    kernel::copy(turning, relative);
    kernel::add_scaled(turning, -kernel::dot(t.normal, relative), t.normal);
    for (double& x : turning) x /= distance;
  } else {
    double d[3];
    kernel::copy(d, centre);
    kernel::subtract(d, c.point);
    for (int i = 0; i < 3; ++i) t.normal[i] = c.side * c.normal[i];
    t.gap = kernel::dot(t.normal, d) - c.radius_to;
  }
  kernel::copy(t.point, centre);
  kernel::add_scaled(t.point, -c.radius_to, t.normal);
  kernel::copy(t.arm_to, t.point);
  kernel::subtract(t.arm_to, at.q + c.to.q);
  double slip[3];
  kernel::copy(t.velocity, v);
  kernel::cross(t.normal, w_to, slip);  // -w x n
  kernel::add_scaled(t.velocity, c.radius_to, slip);
  kernel::copy(t.bias, c_bias);
  kernel::subtract(t.bias, from_bias);
  t.normal_bias = kernel::dot(t.normal, t.bias) + kernel::dot(turning, relative);
  // u' also has -(r w + r' w') x n'
  double spin[3];
  for (int i = 0; i < 3; ++i) spin[i] = c.radius_to * w_to[i] + c.radius_from * w_from[i];
  kernel::cross(spin, turning, slip);
  kernel::subtract(t.bias, slip);
  if (c.from.kind != BodyKind::ground) {
    kernel::copy(t.arm_from, other);
    kernel::add_scaled(t.arm_from, c.radius_from, t.normal);
    kernel::subtract(t.arm_from, at.q + c.from.q);
    kernel::cross(w_from, t.normal, slip);
    kernel::subtract(t.velocity, other_v);
    kernel::add_scaled(t.velocity, -c.radius_from, slip);
  }
  return t;
}

void Candidates::note_sides(const Placement& at) {
  const Placement own = with_anchors(at);
  for (Candidate& c : list_) {
    if (c.kind != Candidate::Kind::wall) continue;
    double centre[3];
    position(own, c.to, centre);
    // Over the rectangle the side is remembered: a ball never passes through.
    if (is_over(c, centre) && c.side != 0) continue;
    kernel::subtract(centre, c.point);
    c.side = kernel::dot(centre, c.normal) >= 0 ? 1 : -1;
  }
}

}  // namespace plumb
