#include "plumb/contact/contact_modes.h"

#include <algorithm>
#include <cmath>

#include "plumb/contact/contact_forces.h"
#include "plumb/contact/tolerances.h"
#include "plumb/solver/cone_complementarity.h"

namespace plumb {
namespace {

double largest(const std::vector<double>& x) {
  double m = 0;
  for (double v : x) m = std::max(m, std::abs(v));
  return m;
}

Vec3 vec(const double* x) { return {x[0], x[1], x[2]}; }

constexpr double onward[2] = {1, 0};  // along the first tangent

}  // namespace

ContactModes::ContactModes(const Scene& scene, Dynamics& dynamics, ContactSearch& search,
                           const Stabilisation& stabilisation, double duration)
    : scene_(scene),
      system_(dynamics.system()),
      dynamics_(dynamics),
      search_(search),
      stabilisation_(stabilisation),
      soon_(tolerance::soon * duration),
      held_(scene, dynamics),
      rate_(system_.size()) {}

// Accelerations without contacts; the dynamics is placed and its joints factored.
void ContactModes::evaluate(double t, const double* y) {
  dynamics_.derivative(t, y, stabilisation_, rate_.data());
  ++evaluations_;
  still_ = rest_speed(system_, y);
  close_ = touch_distance(scene_, y);
  search_.place(dynamics_.placement());
}

// Accelerations that are rounding beside those that were to be undone.
double ContactModes::small() const { return tolerance::force * (1 + largest(b_)); }

void ContactModes::accelerations_after() {
  const int n = held_.size();
  after_.resize(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    double s = b_[i];
    const double* const row = held_.rows().matrix() + static_cast<std::size_t>(i) * n;
    for (int j = 0; j < n; ++j) s += row[j] * p_[j];
    after_[i] = s;
  }
}

// What parts is left out; what moves slips, the rest sticks if it can.
void ContactModes::default_grips(const std::vector<ContactPlace>& touching, std::vector<ClosedContact>& closed) {
  closed.clear();
  for (const ContactPlace& place : touching) {
    const Touch t = touch(scene_, dynamics_.placement(), place);
    const Vec3 n = vec(t.normal), u = vec(t.velocity);
    const double parting = n.dot(u);
    if (parting > 10 * still_) continue;
    const Vec3 across = u - n * parting;
    const bool moves = across.norm() > still_ && place.limit < 0;
    const bool has_friction = scene_.laws()[place.contact].friction > 0;
    closed.push_back({place, has_friction && !moves ? Grip::stick : Grip::slip,
                      has_friction && moves ? Vec3(across.normalized()) : Vec3::Zero()});
  }
}

// Whether p presses everywhere, and holds what sticks within its cone.
bool ContactModes::press_and_stick(const std::vector<ClosedContact>& closed) const {
  const double weak = tolerance::force * (1e-2 + largest(p_));
  for (std::size_t k = 0; k < closed.size(); ++k) {
    const double mu = held_.friction(static_cast<int>(k));
    if (p_[3 * k] < -weak) return false;
    if (closed[k].grip == Grip::stick && std::hypot(p_[3 * k + 1], p_[3 * k + 2]) > mu * p_[3 * k] + weak) return false;
  }
  return true;
}

ContactModes::Decision ContactModes::solve_cones_for(const std::vector<ClosedContact>& closed) {
  ConeProblem problem{static_cast<int>(closed.size()), held_.rows().matrix(), b_.data(), nullptr};
  mu_.clear();
  for (std::size_t k = 0; k < closed.size(); ++k) {
    mu_.push_back(held_.friction(static_cast<int>(k)));
    problem.slip.push_back(moving_[k] ? onward : nullptr);
  }
  problem.mu = mu_.data();
  const ConeSolution solution = solve_cones(problem, p_.data(), 1e-13, 2000);
  accelerations_after();
  // Something still accelerates into the other: no force was found for it.
  const double inward = std::max(small(), 1e3 * solution.change * (1 + largest(b_)));
  for (std::size_t k = 0; k < closed.size(); ++k) {
    if (after_[3 * k] >= -inward) continue;
    worst_ = closed[k].place.contact;
    const int row = 3 * static_cast<int>(k);
    if (held_.rows().entry(row, row) <= tolerance::immovable * held_.rows().free_entry(row)) return Decision::blocked;
    return moving_[k] ? Decision::jammed : Decision::unsolved;
  }
  return solution.converged || solution.change < 1e-6 ? Decision::found : Decision::unsolved;
}

// Open, sticking or beginning to slip, by the accelerations found.
void ContactModes::classify(std::vector<ClosedContact>& closed) {
  const double slow = small();
  std::size_t kept = 0;
  pressed_.resize(closed.size());
  for (std::size_t k = 0; k < closed.size(); ++k) {
    if (after_[3 * k] > slow) continue;
    ClosedContact c = closed[k];
    const Vec3 across = held_.rows().across(static_cast<int>(k), after_.data() + 3 * k);
    if (!moving_[k] && held_.friction(static_cast<int>(k)) > 0) {
      c.grip = across.norm() > slow ? Grip::slip : Grip::stick;
      c.direction = across.norm() > slow ? Vec3(across.normalized()) : Vec3::Zero();
    }
    pressed_[kept] = p_[3 * k];
    closed[kept++] = c;
  }
  closed.resize(kept);
}

// A disc that lies flat touches all around its rim: where the normal acceleration, a linear function over it, is least,
// a point is added.
bool ContactModes::add_spots(const Facing& facing, std::vector<ContactPlace>& touching) {
  bool added = false;
  const int n = held_.rows().contacts();
  for (int i = 0; i < n;) {
    int j = i + 1;
    const ContactPlace& first = trial_[i].place;
    while (j < n && first.pair >= 0 && trial_[j].place.pair == first.pair) ++j;
    const auto is_spot = [&](const ClosedContact& c) {
      return c.place.touching.from.kind == Part::Kind::spot || c.place.touching.to.kind == Part::Kind::spot;
    };
    if (std::any_of(trial_.begin() + i, trial_.begin() + j, is_spot) && j - i >= 3) {
      const Vec3 slope = held_.slope(i, j, after_);
      places_.clear();
      if (slope.norm() * scene_.size() > small() &&
          search_.find_spot(first.pair, facing, 4 * close_, -slope, places_)) {
        const ContactPlace& place = places_[0];
        const Touch t = touch(scene_, dynamics_.placement(), place);
        const double there = after_[3 * i] + slope.dot(vec(t.point) - vec(held_.rows().touch(i).point));
        const bool is_new = std::ranges::none_of(touching, [&](const ContactPlace& p) { return p.is_same(place); });
        if (there < -small() && is_new) {
          touching.push_back(place);
          added = true;
        }
      }
    }
    i = j;
  }
  if (added)  // pairs stay together
    std::ranges::stable_sort(touching, {}, [](const ContactPlace& p) { return std::pair(p.pair < 0, p.pair); });
  return added;
}

// The rows of these contacts, what would happen without them, and the forces that keep them as they are.
void ContactModes::solve_held(const std::vector<ClosedContact>& closed) {
  held_.build(closed, still_);
  b_.resize(3 * closed.size());
  p_.assign(3 * closed.size(), 0.0);
  for (int i = 0; i < held_.size(); ++i) b_[i] = held_.rows().acceleration(i, rate_.data() + system_.nq);
  held_.solve(HeldRows::Level::forces, b_.data(), p_.data());
}

// Corners that would have to pull are left to the others of their patch, one after the other; those that would then go
// through the other solid come back.
void ContactModes::share_out(std::vector<ClosedContact>& closed) {
  solve_held(closed);
  const std::vector<ClosedContact> all = closed;
  const int n = held_.size();
  all_D_.assign(held_.rows().matrix(), held_.rows().matrix() + static_cast<std::size_t>(n) * n);
  all_b_ = b_;
  std::vector<int> kept(all.size());
  for (std::size_t k = 0; k < all.size(); ++k) kept[k] = static_cast<int>(k);
  for (std::size_t round = 0; round < 6 * all.size() + 6; ++round) {
    closed.clear();
    for (int k : kept) closed.push_back(all[k]);
    if (closed.empty()) return;
    solve_held(closed);
    const double weak = tolerance::force * (1e-2 + largest(p_));
    int worst = -1;
    double most = weak;
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (-p_[3 * i] > most) {
        most = -p_[3 * i];
        worst = static_cast<int>(i);
      }
    if (worst >= 0) {
      kept.erase(kept.begin() + worst);
      continue;
    }
    double deepest = -tolerance::force * (1 + largest(all_b_));
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (std::ranges::find(kept, static_cast<int>(k)) != kept.end()) continue;
      double a = all_b_[3 * k];
      for (std::size_t i = 0; i < kept.size(); ++i)
        for (int c = 0; c < 3; ++c) a += all_D_[3 * k * static_cast<std::size_t>(n) + 3 * kept[i] + c] * p_[3 * i + c];
      if (a < deepest) {
        deepest = a;
        worst = static_cast<int>(k);
      }
    }
    if (worst < 0) return;
    kept.push_back(worst);
    std::ranges::sort(kept);
  }
  // No end: what the cones press.
  closed.clear();
  for (std::size_t k = 0; k < all.size(); ++k)
    if (pressed_[k] > 0) closed.push_back(all[k]);
}

// Whether friction turns the velocity of contact k faster than anything else happens.
bool ContactModes::creeps(int k) const {
  const double mu = held_.friction(k), push = mu * p_[3 * k] * held_.rows().entry(3 * k + 1, 3 * k + 1);
  return mu > 0 && std::abs(held_.rows().speed(3 * k + 1)) < soon_ * push;
}

// What slips slowly creeps, in the direction in which friction takes nothing sideways.
void ContactModes::let_creep(std::vector<ClosedContact>& closed) {
  solve_held(closed);
  bool any = false;
  for (std::size_t k = 0; k < closed.size(); ++k)
    if (closed[k].grip == Grip::slip && creeps(static_cast<int>(k))) {
      closed[k].grip = Grip::creep;
      closed[k].direction = vec(held_.rows().axis(static_cast<int>(k), 1));
      any = true;
    }
  for (int round = 0; any && round < 20; ++round) {
    solve_held(closed);
    double most = 0;
    for (std::size_t k = 0; k < closed.size(); ++k) {
      if (closed[k].grip != Grip::creep) continue;
      const int row = static_cast<int>(k);
      const double turn = -p_[3 * k + 2] / std::max(held_.friction(row) * p_[3 * k], 1e-300);
      const double angle = std::clamp(turn, -0.5, 0.5);
      closed[k].direction =
          std::cos(angle) * vec(held_.rows().axis(row, 1)) + std::sin(angle) * vec(held_.rows().axis(row, 2));
      most = std::max(most, std::abs(turn));
    }
    if (most < 1e-3) return;
  }
  // Where no such direction exists it slips as it does.
  for (ClosedContact& c : closed)
    if (any && c.grip == Grip::creep) c.grip = Grip::slip;
}

ContactModes::Decision ContactModes::decide(double t, const double* y, const Facing& facing,
                                            std::vector<ContactPlace>& touching, std::vector<ClosedContact>& closed) {
  evaluate(t, y);
  closed.clear();
  worst_ = -1;
  for (int round = 0; round < 40; ++round) {
    default_grips(touching, trial_);
    if (trial_.empty()) return Decision::found;
    moving_.clear();
    for (const ClosedContact& c : trial_) moving_.push_back(c.grip == Grip::slip && !c.direction.isZero(0));
    // If all stay closed, as they are: found.
    solve_held(trial_);
    accelerations_after();
    const bool stays = std::ranges::all_of(after_, [&, i = 0](double) mutable {
      const int row = i++;
      const bool is_held = row % 3 == 0 || trial_[row / 3].grip == Grip::stick;
      return !is_held || std::abs(after_[row]) <= small();
    });
    if (stays && held_.smallest_pivot() > tolerance::turned && press_and_stick(trial_)) {
      closed = trial_;
      let_creep(closed);
      return Decision::found;
    }
    const Decision decision = solve_cones_for(trial_);
    if (decision != Decision::found) return decision;
    if (!add_spots(facing, touching)) break;
  }
  closed = trial_;
  classify(closed);
  share_out(closed);
  if (!closed.empty()) let_creep(closed);
  return Decision::found;
}

ContactModes::Hold ContactModes::holds(double t, const double* y, const Facing& facing,
                                       const std::vector<ClosedContact>& closed) {
  if (closed.empty()) return Hold::surely;
  evaluate(t, y);
  for (const ClosedContact& c : closed)
    if (search_.overrun(c.place, 4 * close_) > left_distance(scene_)) return Hold::no;
  solve_held(closed);
  for (std::size_t k = 0; k < closed.size(); ++k) {
    if (closed[k].grip == Grip::stick || held_.friction(static_cast<int>(k)) == 0) continue;
    // Well before it counts as moving the other way: then it is found at rest, and sticks if it can.
    const Touch& touch = held_.rows().touch(static_cast<int>(k));
    if (vec(touch.velocity).dot(closed[k].direction) < -0.1 * still_) return Hold::no;
    if (closed[k].grip != Grip::creep) continue;
    // Fast enough to slip, or friction has turned far: decided anew.
    const double mu = held_.friction(static_cast<int>(k)), push = mu * p_[3 * k];
    const double faster =
        4 * soon_ * push * held_.rows().entry(3 * static_cast<int>(k) + 1, 3 * static_cast<int>(k) + 1);
    if (std::abs(p_[3 * k + 2]) > 0.2 * push || vec(touch.velocity).dot(closed[k].direction) > faster) return Hold::no;
  }
  if (!(held_.smallest_pivot() > tolerance::turned)) return Hold::no;
  if (press_and_stick(closed)) return Hold::surely;
  // With all that touches, the cones tell whether these can stay as they are.
  places_.clear();
  int last = -2;
  for (const ClosedContact& c : closed) {
    const int candidate = c.place.limit < 0 ? c.place.pair : static_cast<int>(scene_.pairs().size()) + c.place.limit;
    if (candidate != last) search_.find(candidate, facing, 4 * close_, places_);
    last = candidate;
  }
  std::vector<ContactPlace> touching = places_;
  default_grips(touching, trial_);
  if (trial_.empty()) return Hold::no;
  moving_.clear();
  for (const ClosedContact& c : trial_) moving_.push_back(c.grip == Grip::slip && !c.direction.isZero(0));
  solve_held(trial_);
  if (solve_cones_for(trial_) != Decision::found) return Hold::no;
  for (const ClosedContact& c : closed) {
    const auto same = std::ranges::find_if(trial_, [&](const ClosedContact& o) { return o.place.is_same(c.place); });
    if (same == trial_.end()) return Hold::no;
    const int k = static_cast<int>(same - trial_.begin());
    if (after_[3 * k] > small()) return Hold::no;
    if (c.grip == Grip::stick && std::hypot(after_[3 * k + 1], after_[3 * k + 2]) > small()) return Hold::no;
  }
  return Hold::shared;
}

}  // namespace plumb
