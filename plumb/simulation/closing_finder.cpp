#include "plumb/simulation/closing_finder.h"

#include <algorithm>
#include <cmath>

#include "plumb/contact/nearest_points.h"
#include "plumb/contact/tolerances.h"
#include "plumb/contact/touch.h"

namespace plumb {
namespace {

constexpr int most_looks = 1000;    // at one pair in one step; then samples have to do
constexpr double narrowest = 1e-9;  // part of a step that is not halved further

// Where in a bracket a gap is open by more than this: at its beginning or, of what has just been let go, soon after.
std::optional<double> open_place(const StepFunction& gap, const Bracket& bracket, double enough) {
  if (gap(bracket.low) > enough) return bracket.low;
  std::optional<double> best;
  double most = enough;
  for (double part = 0.25 * (bracket.high - bracket.low); part > 1e-9; part /= 4)
    if (const double g = gap(bracket.low + part); g > most) {
      most = g;
      best = bracket.low + part;
    }
  return best;
}

const double* state_at(Step& step, double theta) {
  return theta <= 0 ? step.state() : theta >= 1 ? step.result() : step.at(theta);
}

bool is_flat(const Feature& f) { return f.kind == Feature::Kind::plane; }

}  // namespace

ClosingFinder::ClosingFinder(const Scene& scene, Dynamics& dynamics, ContactSearch& search, const ContactState& state)
    : scene_(scene), dynamics_(dynamics), search_(search), state_(state), motion_(scene.system()) {
  for (std::vector<Vec3>& m : middles_) m.resize(scene.solids().size());
  if (scene.solids().empty()) return;
  const PlacedSolid any(scene.solids()[0]);
  looks_.assign(2, Look{0, any, any});
}

double ClosingFinder::gap(int candidate, double t, const double* y) {
  dynamics_.place(t, y);
  search_.place(dynamics_.placement());
  return search_.gap(candidate, state_.facing);
}

double ClosingFinder::first(Step& step, double depth) {
  const int pairs = static_cast<int>(scene_.pairs().size());
  proves_ = depth == 0;
  slack_ = std::max(depth, touch_distance(scene_, step.state()));
  earliest_ = never;
  if (pairs > 0) look_at_ends(step);
  for (int i = 0; i < search_.candidates(); ++i) {
    if (i < pairs && is_far(i, step.length())) continue;
    const double t = i < pairs ? closing_of_pair(i, step) : closing_by_samples(i, step, 0);
    earliest_ = std::min(earliest_, t);
  }
  return earliest_;
}

// ---- pairs of solids

void ClosingFinder::look_at_ends(Step& step) {
  for (int k = 0; k <= StepMotion::parts; ++k)
    motion_.note(k, state_at(step, static_cast<double>(k) / StepMotion::parts));
  for (int end = 0; end < 2; ++end) {
    dynamics_.place(end ? step.end() : step.begin(), end ? step.result() : step.state());
    search_.place(dynamics_.placement());
    for (std::size_t i = 0; i < middles_[end].size(); ++i) middles_[end][i] = search_.middle(static_cast<int>(i));
  }
}

// The balls around them keep clear during the whole step.
bool ClosingFinder::is_far(int pair, double length) const {
  const SolidPair& p = scene_.pairs()[pair];
  const Solid &a = scene_.solids()[p.from], &b = scene_.solids()[p.to];
  const PlacedSolid &at_a = search_.placed(p.from), &at_b = search_.placed(p.to);
  const bool is_plane = a.kind == Solid::Kind::plane;
  const double sag = motion_.relative_acceleration(at_a, at_b, length) * length * length / 2;
  const double reach = is_plane ? b.reach : a.reach + b.reach;
  for (int end = 0; end < 2; ++end) {
    Vec3 n = is_plane ? at_a.normals[0] : Vec3(middles_[end][p.to] - middles_[end][p.from]);
    if (!(n.norm() > 0)) return false;
    n.normalize();
    const auto apart = [&](int at) { return n.dot(middles_[at][p.to] - middles_[at][p.from]) - reach; };
    if (least_over_chord(apart(0), apart(1), sag) > slack_) return true;
  }
  return false;
}

void ClosingFinder::look(int pair, Step& step, double theta, Look& look) {
  const SolidPair& p = scene_.pairs()[pair];
  dynamics_.place(step.time_at(theta), state_at(step, theta));
  search_.place(dynamics_.placement());
  look.theta = theta;
  look.a = search_.placed_now(p.from);
  look.b = search_.placed_now(p.to);
  if (is_supported_) {
    look.value = support_.is_on_a ? height(look.a, look.b) : height(look.b, look.a);
    return;
  }
  look.separation = search_.separation(pair, state_.facing);
  look.value = look.separation.value;
}

// What the closed places of a pair lie on, if it is flat, and the corners that are on it.
bool ClosingFinder::find_support(int pair) {
  const SolidPair& p = scene_.pairs()[pair];
  is_supported_ = false;
  for (const ClosedContact& c : state_.closed) {
    if (c.place.pair != pair) continue;
    const Meeting& m = c.place.touching.meeting;
    if (!is_flat(m.from) && !is_flat(m.to)) continue;
    support_.is_on_a = is_flat(m.from);
    support_.part = support_.is_on_a ? c.place.touching.from : c.place.touching.to;
    support_.place = support_.is_on_a ? m.from.place : m.to.place;
    support_.normal = support_.is_on_a ? m.from.along : m.to.along;
    is_supported_ = true;
    break;
  }
  // Points of a rim do not stand for the rest of it.
  const auto is_spot = [&](const ClosedContact& c) {
    return c.place.pair == pair &&
           (c.place.touching.from.kind == Part::Kind::spot || c.place.touching.to.kind == Part::Kind::spot);
  };
  is_supported_ = is_supported_ && std::ranges::none_of(state_.closed, is_spot);
  support_.lies_on.assign(scene_.solids()[support_.is_on_a ? p.to : p.from].shape.corners.size(), 0);
  return is_supported_;
}

// Heights over the support of the corners of the other solid; of a cylinder, of its discs.
struct ClosingFinder::Level {
  Vec3 n;
  double height, round;

  Level(const Support& support, const PlacedSolid& carrier, const PlacedSolid& other)
      : n(carrier.direction_to_world(support.normal)),
        height(n.dot(carrier.origin + carrier.direction_to_world(support.place))),
        round(other.solid->rounding()) {
    if (other.solid->kind != Solid::Kind::cylinder) return;
    const Vec3 axis = (other.corners[1] - other.corners[0]).normalized();
    round = other.solid->radius * (n - axis * axis.dot(n)).norm();
  }
  double of(const Vec3& corner) const { return n.dot(corner) - height - round; }
};

// The corners of the other solid that the closed places hold on the support: those on the point, the line or the area
// that these span. Of a cylinder, its discs.
void ClosingFinder::leave_out_what_lies_on_it(int pair, const Look& begin) {
  const PlacedSolid &carrier = support_.is_on_a ? begin.a : begin.b, &other = support_.is_on_a ? begin.b : begin.a;
  support_.lies_on.assign(other.corners.size(), 0);
  held_.clear();
  for (const ClosedContact& c : state_.closed) {
    if (c.place.pair != pair) continue;
    const Touch t = touch_now(scene_, dynamics_.placement(), c.place);
    held_.push_back(Eigen::Map<const Vec3>(t.point));
    const Part& part = support_.is_on_a ? c.place.touching.to : c.place.touching.from;
    if (part.kind == Part::Kind::rim || part.kind == Part::Kind::cap) support_.lies_on[part.index] = 1;
    if (part.kind == Part::Kind::side) std::ranges::fill(support_.lies_on, char{1});
  }
  if (other.solid->kind == Solid::Kind::cylinder) return;
  // Spanned from the first one to that farthest from it, and to that farthest from the line between them.
  const Vec3 n = carrier.direction_to_world(support_.normal), first = held_[0];
  const double near = left_distance(scene_), round = other.solid->rounding();
  const auto away = [&](const Vec3& x) { return (x - first).norm(); };
  const Vec3 along = *std::ranges::max_element(held_, {}, away) - first;
  const auto aside = [&](const Vec3& x) { return std::abs(n.cross(along.normalized()).dot(x - first)); };
  const bool is_point = !(along.norm() > near);
  const bool is_line = !is_point && std::ranges::none_of(held_, [&](const Vec3& x) { return aside(x) > near; });
  const Level level(support_, carrier, other);
  for (std::size_t i = 0; i < other.corners.size(); ++i) {
    const Vec3 lowest = other.corners[i] - round * n;
    if (level.of(other.corners[i]) > 16 * slack_) continue;
    support_.lies_on[i] = is_point ? away(lowest) <= near : !is_line || aside(lowest) <= near;
  }
}

// The least height of the corners that do not lie on the support.
double ClosingFinder::height(const PlacedSolid& carrier, const PlacedSolid& other, int* lowest) const {
  const Level level(support_, carrier, other);
  double least = never;
  for (std::size_t i = 0; i < other.corners.size(); ++i) {
    if (support_.lies_on[i]) continue;
    const double h = level.of(other.corners[i]);
    if (h >= least) continue;
    least = h;
    if (lowest) *lowest = static_cast<int>(i);
  }
  return least;
}

// Beside the face that carries the support, where nothing is to be met.
bool ClosingFinder::lies_beside(const Look& at) const {
  if (support_.part.kind == Part::Kind::plane) return false;
  if (support_.part.kind != Part::Kind::face) return true;  // not known
  const PlacedSolid &carrier = support_.is_on_a ? at.a : at.b, &other = support_.is_on_a ? at.b : at.a;
  int lowest = 0;
  height(carrier, other, &lowest);
  const double round = other.solid->kind == Solid::Kind::cylinder ? other.solid->radius : 0;
  return outside_face(carrier, support_.part.index, other.corners[lowest]) > tolerance::lateral * scene_.size() - round;
}

double ClosingFinder::closing_of_pair(int pair, Step& step) {
  const SolidPair& p = scene_.pairs()[pair];
  const auto is_its = [&](const ClosedContact& c) { return c.place.pair == pair; };
  const bool touches = std::ranges::any_of(state_.closed, is_its);
  const bool is_ball =
      scene_.solids()[p.to].kind == Solid::Kind::point &&
      (scene_.solids()[p.from].kind == Solid::Kind::plane || scene_.solids()[p.from].kind == Solid::Kind::point);
  if (touches && is_ball) return never;
  is_supported_ = false;
  if (touches && !find_support(pair)) return closing_by_samples(pair, step, 0);
  Look& left = looks_[0];
  look(pair, step, 0, left);
  if (touches) {
    leave_out_what_lies_on_it(pair, left);
    look(pair, step, 0, left);
    if (std::ranges::find(support_.lies_on, char{0}) == support_.lies_on.end()) return never;
  }
  const PlacedSolid &carrier = support_.is_on_a ? left.a : left.b, &other = support_.is_on_a ? left.b : left.a;
  const double acceleration = touches ? motion_.acceleration_seen_from(carrier, other, step.length())
                                      : motion_.relative_acceleration(left.a, left.b, step.length());
  return first_below(pair, step, std::min(left.value, 0.0) - slack_, acceleration);
}

// Whether the value stays above the floor between left and right.
bool ClosingFinder::keeps_clear(double floor, double sag) const {
  const Look &l = looks_[0], &r = looks_[1];
  if (is_supported_) return least_over_chord(l.value, r.value, sag) >= floor;
  for (const Look* look : {&l, &r}) {
    const Vec3& n = look->separation.normal;
    const double first = distance_along(l.a, l.b, n), last = distance_along(r.a, r.b, n);
    if (least_over_chord(first, last, sag) >= floor) return true;
  }
  return false;
}

// From left to right, in stretches that are proved to be free, as long as they can be.
double ClosingFinder::first_below(int pair, Step& step, double floor, double acceleration) {
  Look &left = looks_[0], &right = looks_[1];
  const double h = step.length(), last = earliest_ < step.end() ? (earliest_ - step.begin()) / h : 1;
  double end = last, below = never;  // how far there is something to prove; where it is known to be below the floor
  double width = last, open = 0;     // where the gap was open last
  auto value = [&](double theta) {
    look(pair, step, theta, right);
    return right.value - floor;
  };
  for (int looks = 0; left.theta < end; ++looks) {
    if (looks > most_looks) return closing_by_samples(pair, step, left.theta);
    const double at = std::min(left.theta + width, end);
    look(pair, step, at, right);
    if (right.value < floor) {
      below = at;
      end = root_between(StepFunction(value), left.theta, below);
      // On the upper side of the root, if only by rounding.
      look(pair, step, end, right);
      right.value = std::max(right.value, floor);
    }
    const double w = right.theta - left.theta, sag = acceleration * w * w * h * h / 2;
    if (w <= narrowest || !proves_ || keeps_clear(floor - slack_ / 4, sag)) {
      if (right.theta >= end && below < never) break;
      std::swap(left, right);
      if (left.value > 0.5 * slack_) open = left.theta;
      width = 2 * w;
    } else {
      width = w / 2;
    }
  }
  if (below == never) return never;
  if (is_supported_ && lies_beside(right)) return closing_by_samples(pair, step, left.theta);
  return root(pair, step, open, below);
}

// The zero itself between a place where the gap is open, or opens soon after, and one where it is below the floor.
double ClosingFinder::root(int pair, Step& step, double above, double below) {
  const double passed = looks_[1].theta;
  const auto value = [&](double t, const double* y) {
    dynamics_.place(t, y);
    search_.place(dynamics_.placement());
    if (!is_supported_) return search_.gap(pair, state_.facing);
    const SolidPair& p = scene_.pairs()[pair];
    const PlacedSolid &a = search_.placed_now(p.from), &b = search_.placed_now(p.to);
    return support_.is_on_a ? height(a, b) : height(b, a);
  };
  auto on = [&](double theta) { return value(step.time_at(theta), state_at(step, theta)); };
  const StepFunction function(on);
  const std::optional<double> open = open_place(function, {above, passed}, 0.5 * slack_);
  if (!open) return step.time_at(passed);
  const double zero = root_between(function, *open, std::min(passed + narrowest, below));
  return step.refine(value, zero, *open, below);
}

// ---- by samples

// States within a step are interpolated, and what is closed is off there by as much as that is: another place of the
// same pair comes nearer only if it does so beside those that are closed.
double ClosingFinder::held_gap(int candidate) {
  const int pairs = static_cast<int>(scene_.pairs().size());
  double least = never;
  for (const ClosedContact& c : state_.closed) {
    const ContactPlace& p = c.place;
    const bool is_its = candidate < pairs ? p.pair == candidate : p.limit == candidate - pairs;
    if (is_its) least = std::min(least, plumb::gap(scene_, dynamics_.placement(), p));
  }
  return least < never ? least : 0;
}

double ClosingFinder::gap_beside(int candidate, double t, const double* y) {
  const double all = gap(candidate, t, y);
  return all - held_gap(candidate);
}

// Where a gap falls below zero by more than touching is exact: rounding of what touches already, or has just been let
// go, is no closing. The instant itself is that of the zero before, where the gap was open.
double ClosingFinder::closing_by_samples(int candidate, Step& step, double from) {
  const auto gap = [&](double t, const double* y) { return gap_beside(candidate, t, y); };
  const auto gap_on = [&](double theta) { return gap(step.time_at(theta), state_at(step, theta)); };
  const auto place = [&](double part) { return from + (1 - from) * part; };
  const double start = std::min(gap_on(from), 0.0);
  auto watched = [&](double part) { return gap_on(place(part)) - start + slack_; };
  const auto found = first_fall(StepFunction(watched));
  if (!found) return never;
  const Bracket fall{place(found->low), place(found->high)};
  auto plain = [&](double theta) { return gap_on(theta); };
  const StepFunction on(plain);
  const std::optional<double> open = open_place(on, fall, 0.5 * slack_);
  if (!open) return closing_of_another(candidate, step, fall, slack_ - start);
  return step.refine(gap, root_between(on, *open, fall.high), *open, fall.high);
}

// What touches already hides how another place of the same pair comes nearer: the gap of the pair falls below zero only
// when it has passed. There the place is known, and its own gap leads back to the instant.
double ClosingFinder::closing_of_another(int candidate, Step& step, const Bracket& fall, double slack) {
  const auto below = [&](double t, const double* y) { return gap_beside(candidate, t, y) + slack; };
  auto below_on = [&](double theta) { return below(step.time_at(theta), state_at(step, theta)); };
  const double passed = root_between(StepFunction(below_on), fall.low, fall.high);
  gap_beside(candidate, step.time_at(passed), state_at(step, passed));
  places_.clear();
  search_.find(candidate, state_.facing, slack, places_);
  const auto deepest = std::ranges::min_element(
      places_, {}, [&](const ContactPlace& p) { return plumb::gap(scene_, dynamics_.placement(), p); });
  if (deepest == places_.end()) return step.time_at(passed);
  const ContactPlace place = *deepest;
  const auto own = [&](double t, const double* y) {
    dynamics_.place(t, y);
    return plumb::gap(scene_, dynamics_.placement(), place) - held_gap(candidate);
  };
  auto own_on = [&](double theta) { return step.value(own, theta); };
  const StepFunction on(own_on);
  const std::optional<double> open = open_place(on, {fall.low, passed}, 0);
  if (!open || !(own_on(passed) < 0)) return step.time_at(passed);
  return step.refine(own, root_between(on, *open, passed), *open, passed);
}

}  // namespace plumb
