#include "plumb/contact/contact_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/contact/tolerances.h"
#include "plumb/contact/touch.h"

namespace plumb {
namespace {

// A ball, or a plane and a ball, touch in one place: nothing to look for.
bool is_simple(const Solid& from, const Solid& to) {
  const auto is_ball = [](const Solid& s) { return s.kind == Solid::Kind::point; };
  return is_ball(to) && (from.kind == Solid::Kind::plane || (is_ball(from) && from.radius + to.radius > 0));
}

Touching simple(const Solid& from, const Solid& to) {
  Touching t;
  const auto ball = [](const Solid& s) {
    return Feature{Feature::Kind::point, s.shape.corners[0], Vec3::UnitZ(), 0, s.radius};
  };
  t.meeting.to = ball(to);
  if (from.kind != Solid::Kind::plane) {
    t.meeting.from = ball(from);
    return t;
  }
  t.from = {Part::Kind::plane, 0};
  t.meeting.from = {Feature::Kind::plane, from.shape.corners[0], from.shape.faces[0].normal, 0, 0};
  return t;
}

}  // namespace

ContactSearch::ContactSearch(const Scene& scene)
    : scene_(scene), placed_(scene.solids().size(), -1), slack_(scene.pairs().size()) {
  for (const Solid& s : scene.solids()) solids_.emplace_back(s);
  for (const SolidPair& p : scene.pairs()) {
    const Solid &from = scene.solids()[p.from], &to = scene.solids()[p.to];
    has_sides_.push_back(from.is_flat && to.kind == Solid::Kind::point && to.radius == 0);
  }
}

void ContactSearch::place(const Placement& at) {
  at_ = at;
  ++now_;
}

const PlacedSolid& ContactSearch::solid(int i) {
  if (placed_[i] != now_) {
    solids_[i].place(at_);
    placed_[i] = now_;
  }
  return solids_[i];
}

int ContactSearch::candidates() const {
  return static_cast<int>(scene_.pairs().size() + scene_.system().limits.size());
}

double ContactSearch::ball_separation(int pair) {
  const SolidPair& p = scene_.pairs()[pair];
  return plumb::ball_separation(solid(p.from), solid(p.to));
}

Separation ContactSearch::separation(int pair, const Facing& facing) {
  const SolidPair& p = scene_.pairs()[pair];
  return plumb::separation(solid(p.from), solid(p.to), facing_of(pair, facing));
}

double ContactSearch::gap(int candidate, const Facing& facing) {
  const int pairs = static_cast<int>(scene_.pairs().size());
  if (candidate < pairs) return separation(candidate, facing).value;
  return limit_gap(scene_.system(), at_, candidate - pairs);
}

double ContactSearch::least_gap(int contact, const Facing& facing) {
  double least = std::numeric_limits<double>::infinity();
  const int pairs = static_cast<int>(scene_.pairs().size());
  if (contact >= scene_.own_contacts()) return gap(pairs + contact - scene_.own_contacts(), facing);
  for (int i = 0; i < pairs; ++i)
    if (scene_.pairs()[i].contact == contact && ball_separation(i) < least) least = std::min(least, gap(i, facing));
  return least;
}

void ContactSearch::find(int candidate, const Facing& facing, double slack, std::vector<ContactPlace>& places) {
  const int pairs = static_cast<int>(scene_.pairs().size());
  ContactPlace place;
  if (candidate >= pairs) {
    place.limit = candidate - pairs;
    place.contact = scene_.own_contacts() + place.limit;
    places.push_back(place);
    return;
  }
  const SolidPair& p = scene_.pairs()[candidate];
  place = {p.contact, candidate, p.from, p.to, -1, {}};
  if (is_simple(scene_.solids()[p.from], scene_.solids()[p.to])) {
    place.touching = simple(scene_.solids()[p.from], scene_.solids()[p.to]);
    places.push_back(place);
    return;
  }
  found_.clear();
  slack_[candidate] = slack;
  manifold_.find(solid(p.from), solid(p.to), separation(candidate, facing), facing_of(candidate, facing), slack,
                 found_);
  for (const Touching& t : found_) {
    place.touching = t;
    places.push_back(place);
  }
}

void ContactSearch::find_between(int contact, int from, int to, double slack, std::vector<ContactPlace>& places) {
  const PlacedSolid &a = solid(from), &b = solid(to);
  const double apart = plumb::ball_separation(a, b);
  if (apart > slack) return;
  ContactPlace place{contact, -1, from, to, -1, {}};
  if (is_simple(*a.solid, *b.solid)) {
    place.touching = simple(*a.solid, *b.solid);
    places.push_back(place);
    return;
  }
  const Separation s = plumb::separation(a, b);
  if (s.value > slack) return;
  found_.clear();
  manifold_.find(a, b, s, -1, slack, found_);
  for (const Touching& t : found_) {
    place.touching = t;
    places.push_back(place);
  }
}

bool ContactSearch::find_spot(int pair, const Facing& facing, const Vec3& direction,
                              std::vector<ContactPlace>& places) {
  const SolidPair& p = scene_.pairs()[pair];
  found_.clear();
  if (!manifold_.find_spot(solid(p.from), solid(p.to), separation(pair, facing), slack_[pair], direction, found_))
    return false;
  places.push_back({p.contact, pair, p.from, p.to, -1, found_[0]});
  return true;
}

double ContactSearch::overrun(const ContactPlace& p, double slack) {
  if (!p.is_between_solids()) return -std::numeric_limits<double>::infinity();
  const Nearness<double> near =
      nearness(p.touching.meeting, Frame<double>(at_, scene_.from(p)), Frame<double>(at_, scene_.to(p)));
  return plumb::overrun(solid(p.from), solid(p.to), p.touching, near, slack);
}

// With d what the normal n has across the axis k: |d|/|d'|, d' = -(n.k')k - (n.k)k' at a normal that turns with its
// solid.
ContactSearch::Tilt ContactSearch::tilt_of(const ContactPlace& p) {
  constexpr double never = std::numeric_limits<double>::infinity();
  const Meeting& m = p.touching.meeting;
  const bool on_to = m.to.kind == Feature::Kind::circle && m.from.kind == Feature::Kind::plane;
  const bool on_from = m.from.kind == Feature::Kind::circle && m.to.kind == Feature::Kind::plane;
  if (!p.is_between_solids() || (!on_to && !on_from)) return {never, never};
  const PlacedSolid &disc = solid(on_to ? p.to : p.from), &plane = solid(on_to ? p.from : p.to);
  const Vec3 k = disc.direction_to_world(on_to ? m.to.along : m.from.along);
  const Vec3 n = plane.direction_to_world(on_to ? m.from.along : m.to.along);
  const Vec3 k_rate = (disc.w - plane.w).cross(k);  // as seen from the plane
  const Vec3 d = n - n.dot(k) * k, rate = -n.dot(k_rate) * k - n.dot(k) * k_rate;
  return {2 * (on_to ? m.to.radius : m.from.radius) * d.norm(), rate.norm() > 0 ? d.norm() / rate.norm() : never};
}

double ContactSearch::whirl(const ContactPlace& p, double soon) {
  const Tilt tilt = tilt_of(p);
  const double low = tolerance::whirl * scene_.size();
  // It does not come from higher up, rocking over to its other side.
  const double speed = tilt.height / tilt.time, slow = std::sqrt(2 * scene_.system().gravity.norm() * low);
  return tilt.time < soon && tilt.height < low && speed < slow ? tilt.height : 0;
}

void ContactSearch::refresh(ContactPlace& p) const {
  Meeting& m = p.touching.meeting;
  if (m.from.kind != Feature::Kind::circle && m.to.kind != Feature::Kind::circle) return;
  const Nearness<double> near = nearness(m, Frame<double>(at_, scene_.from(p)), Frame<double>(at_, scene_.to(p)));
  m.angle_from = near.angle_from;
  m.angle_to = near.angle_to;
}

void ContactSearch::note_sides(double close, Facing& facing) {
  facing.resize(has_sides_.size(), -1);
  for (std::size_t i = 0; i < has_sides_.size(); ++i) {
    if (!has_sides_[i]) continue;
    const SolidPair& p = scene_.pairs()[i];
    const PlacedSolid &wall = solid(p.from), &point = solid(p.to);
    const double height = wall.normals[0].dot(point.corners[0]) - wall.offsets[0];
    // Over the rectangle the side is remembered: a point never passes through.
    bool is_over = true;
    for (std::size_t f = 2; f < wall.normals.size(); ++f)
      is_over = is_over && wall.normals[f].dot(point.corners[0]) - wall.offsets[f] <= close;
    if (is_over && facing[i] >= 0) continue;
    facing[i] = height >= 0 ? 0 : 1;
  }
}

}  // namespace plumb
