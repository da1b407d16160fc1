#include "plumb/contact/contact_modes.h"

#include <algorithm>
#include <cmath>

#include "plumb/contact/contact_forces.h"
#include "plumb/contact/tolerances.h"
#include "plumb/solver/cone_complementarity.h"
#include "plumb/solver/cone_interior.h"
#include "plumb/solver/largest.h"

namespace plumb {
namespace {

double largest(const std::vector<double>& x) {
  double m = 0;
  for (double v : x) m = std::max(m, std::abs(v));
  return m;
}

Vec3 vec(const double* x) { return {x[0], x[1], x[2]}; }

// What was at rest begins to slip along its acceleration, or stays.
void begin(ClosedContact& c, const Vec3& acceleration, double slow) {
  const bool slips = acceleration.norm() > slow;
  c.grip = slips ? Grip::creep : Grip::stick;
  c.direction = slips ? acceleration : Vec3::Zero();
}

// Slips already when it is decided about.
bool is_moving(const ClosedContact& c) {
  return c.grip == Grip::slip && (!c.direction.isZero(0) || c.sense != 0);
}

constexpr double onward[2] = {1, 0};  // along the first tangent
// What slips has come to rest below the speed of rest; found so slow, or a little faster, it is at rest.
constexpr double moving = 4;
constexpr int most_turns = 20;    // of directions in which contacts begin to slip
constexpr double at_once = 1e-6;  // part of the limit of friction within which corners of a patch reach it together

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
      all_(scene, dynamics),
      rate_(system_.size()) {}

// Accelerations without contacts; the dynamics is placed and its joints factored.
void ContactModes::evaluate(double t, const double* y) {
  dynamics_.derivative(t, y, stabilisation_, rate_.data());
  ++evaluations_;
  still_ = rest_speed(system_, y);
  close_ = touch_distance(scene_, y);
  // What parts more slowly is pulled back, if it is, before it has risen above what a gap can resolve: it is taken as
  // at rest, and whether anything presses it back is decided with all the others.
  const double pull = 4 * std::max(system_.gravity.norm(), largest_magnitude(rate_.data() + system_.nq, system_.nv));
  slow_ = std::max(tolerance::parting / tolerance::rest * still_, std::sqrt(2 * pull * close_));
  search_.place(dynamics_.placement());
}

// Accelerations that are rounding beside those that were to be undone.
double ContactModes::small() const { return tolerance::force * (1 + largest(b_)); }

double ContactModes::acceleration_after(int row) const {
  const int n = held_.size();
  double s = b_[row];
  const double* const D = held_.rows().matrix() + static_cast<std::size_t>(row) * n;
  for (int j = 0; j < n; ++j) s += D[j] * p_[j];
  return s;
}

void ContactModes::accelerations_after() {
  after_.resize(static_cast<std::size_t>(held_.size()));
  for (int i = 0; i < held_.size(); ++i) after_[i] = acceleration_after(i);
}

// What parts is left out; what moves slips, the rest sticks if it can. What slips so slowly that its way to rest cannot
// be seen may be taken as at rest.
void ContactModes::default_grips(const std::vector<ContactPlace>& touching, std::vector<ClosedContact>& closed) {
  closed.clear();
  for (const ContactPlace& place : touching) {
    const Touch t = touch(scene_, dynamics_.placement(), place);
    const Vec3 n = vec(t.normal), u = vec(t.velocity);
    const double parting = n.dot(u);
    if (place.is_rubbing_joint()) {
      const bool moves = std::abs(parting) > moving * still_;
      closed.push_back(
          {place, moves ? Grip::slip : Grip::stick, Vec3::Zero(), moves ? std::copysign(1, parting) : 0.0});
      continue;
    }
    if (parting > slow_) continue;
    const Vec3 across = u - n * parting;
    const double slowest = takes_slow_as_resting_ ? std::max(moving * still_, slow_) : moving * still_;
    const bool moves = across.norm() > slowest && place.is_between_solids();
    const bool has_friction = scene_.laws()[place.contact].friction > 0;
    closed.push_back({place, has_friction && !moves ? Grip::stick : Grip::slip,
                      has_friction && moves ? Vec3(across.normalized()) : Vec3::Zero(), 0.0});
  }
}

// Whether p presses everywhere, and holds what sticks within its cone, if need be with other shares.
bool ContactModes::press_and_stick(std::span<const ClosedContact> closed) const {
  const double weak = tolerance::force * (1e-2 + largest(p_));
  bool all_hold = true;
  for (std::size_t k = 0; k < closed.size(); ++k) {
    const double mu = held_.friction(static_cast<int>(k));
    if (closed[k].place.is_rubbing_joint()) {
      if (std::abs(p_[3 * k]) > held_.most(static_cast<int>(k)) + weak) return false;
    } else if (closed[k].grip == Grip::stick) {
      all_hold = all_hold && std::hypot(p_[3 * k + 1], p_[3 * k + 2]) <= mu * p_[3 * k] + weak;
    } else if (p_[3 * k] < -weak) {
      return false;
    }
  }
  return all_hold || can_be_shared(closed);
}

// Corners that stick carry what is asked of them together: if there are forces within their cones that do the same as
// p, nothing has to slip or part, whatever the shares of least norm are.
bool ContactModes::can_be_shared(std::span<const ClosedContact> closed) const {
  std::vector<int> rows;
  std::vector<double> mu;
  for (std::size_t k = 0; k < closed.size(); ++k) {
    if (closed[k].grip != Grip::stick || closed[k].place.is_rubbing_joint()) continue;
    mu.push_back(held_.friction(static_cast<int>(k)));
    for (int i = 0; i < 3; ++i) rows.push_back(3 * static_cast<int>(k) + i);
  }
  const std::size_t n = rows.size();
  if (n < 6) return false;  // one has nothing to share
  std::vector<double> D(n * n), b(n, 0.0), q(n, 0.0);
  double size = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      D[i * n + j] = held_.rows().entry(rows[i], rows[j]);
      b[i] -= D[i * n + j] * p_[rows[j]];
      keep_largest(size, std::abs(D[i * n + j] * p_[rows[j]]));
    }
  }
  ConeProblem problem;
  problem.contacts = static_cast<int>(mu.size());
  problem.D = D.data();
  problem.b = b.data();
  problem.mu = mu.data();
  if (!least_within_cones(problem, q.data())) return false;
  for (std::size_t i = 0; i < n; ++i) {
    double left = b[i];
    for (std::size_t j = 0; j < n; ++j) left += D[i * n + j] * q[j];
    if (!(std::abs(left) <= tolerance::shared * size)) return false;
  }
  return true;
}

ContactModes::Decision ContactModes::solve_cones_for(const std::vector<ClosedContact>& closed) {
  // Joints that rub go on doing so as far as they can; the cones are those of all others.
  std::vector<int> rows;
  ConeProblem problem;
  mu_.clear();
  for (std::size_t k = 0; k < closed.size(); ++k) {
    const int contact = static_cast<int>(k);
    if (closed[k].place.is_rubbing_joint()) {
      p_[3 * k] = std::clamp(p_[3 * k], -held_.most(contact), held_.most(contact));
      continue;
    }
    for (int i = 0; i < 3; ++i) {
      p_[3 * k + i] = 0;
      rows.push_back(3 * contact + i);
    }
    mu_.push_back(held_.friction(contact));
    problem.slip.push_back(is_moving(closed[k]) ? onward : nullptr);
  }
  std::vector<double> D(rows.size() * rows.size()), b(rows.size()), p(rows.size(), 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    b[i] = acceleration_after(rows[i]);
    for (std::size_t j = 0; j < rows.size(); ++j) D[i * rows.size() + j] = held_.rows().entry(rows[i], rows[j]);
  }
  problem.contacts = static_cast<int>(mu_.size());
  problem.D = D.data();
  problem.b = b.data();
  problem.mu = mu_.data();
  const ConeSolution solution = solve_cones(problem, p.data(), 1e-13, 2000);
  for (std::size_t i = 0; i < rows.size(); ++i) p_[rows[i]] = p[i];
  accelerations_after();
  // Something still accelerates into the other: no force was found for it.
  const double inward = std::max(small(), 1e3 * solution.change * (1 + largest(b_)));
  for (std::size_t k = 0; k < closed.size(); ++k) {
    if (after_[3 * k] >= -inward || closed[k].place.is_rubbing_joint()) continue;
    worst_ = closed[k].place.contact;
    const int row = 3 * static_cast<int>(k);
    if (held_.rows().entry(row, row) <= tolerance::immovable * held_.rows().free_entry(row)) return Decision::blocked;
    return is_moving(closed[k]) ? Decision::jammed : Decision::unsolved;
  }
  return solution.converged || solution.change < 1e-6 ? Decision::found : Decision::unsolved;
}

// Open, sticking or beginning to slip, by the accelerations found. What carries next to nothing is taken to be open: of
// corners that share in more ways than one the others may do without it.
void ContactModes::classify() {
  const double slow = small(), next_to_nothing = 1e-5 * largest(p_);
  for (std::size_t k = 0; k < trial_.size(); ++k) {
    if (trial_[k].place.is_rubbing_joint()) continue;
    const bool is_spare = p_[3 * k] < next_to_nothing && held_.has_to_spare(static_cast<int>(k));
    open_[k] = after_[3 * k] > slow || is_spare;
    if (moving_[k] || held_.friction(static_cast<int>(k)) == 0) continue;
    begin(trial_[k], held_.rows().across(static_cast<int>(k), after_.data() + 3 * k), slow);
  }
}

// A disc that lies flat touches all around its rim: where the normal acceleration, a linear function over it, is least,
// a point is added.
bool ContactModes::add_spots(const Facing& facing, std::vector<ContactPlace>& touching) {
  bool added = false;
  const double slow = tolerance::force * (1 + largest(all_b_));
  const int n = all_.rows().contacts();
  for (int i = 0; i < n;) {
    int j = i + 1;
    const ContactPlace& first = trial_[i].place;
    while (j < n && first.pair >= 0 && trial_[j].place.pair == first.pair) ++j;
    const auto is_spot = [&](const ClosedContact& c) {
      return c.place.touching.from.kind == Part::Kind::spot || c.place.touching.to.kind == Part::Kind::spot;
    };
    if (std::any_of(trial_.begin() + i, trial_.begin() + j, is_spot) && j - i >= 3) {
      const Vec3 slope = all_.slope(i, j, after_);
      places_.clear();
      if (slope.norm() * scene_.size() > slow && search_.find_spot(first.pair, facing, -slope, places_)) {
        const ContactPlace& place = places_[0];
        const Touch t = touch(scene_, dynamics_.placement(), place);
        const double there = after_[3 * i] + slope.dot(vec(t.point) - vec(all_.rows().touch(i).point));
        const bool is_new = std::ranges::none_of(touching, [&](const ContactPlace& p) { return p.is_same(place); });
        if (there < -slow && is_new) {
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
void ContactModes::solve_held(std::span<const ClosedContact> closed) {
  held_.build(closed, still_);
  b_.resize(3 * closed.size());
  p_.assign(3 * closed.size(), 0.0);
  for (int i = 0; i < held_.size(); ++i) b_[i] = held_.rows().acceleration(i, rate_.data() + system_.nq);
  held_.solve(HeldRows::Level::forces, b_.data(), p_.data());
}

// ---- which of the candidates are closed, and how, such that the forces that keep them so agree with the law

// The candidates as they are assumed to be now, what keeps them so, and what that does to all of them.
void ContactModes::assume(std::vector<ClosedContact>& closed) {
  closed.clear();
  for (std::size_t k = 0; k < trial_.size(); ++k)
    if (!open_[k]) closed.push_back(trial_[k]);
  acceleration_.assign(rate_.begin() + system_.nq, rate_.begin() + system_.nq + system_.nv);
  p_.clear();
  if (!closed.empty()) solve_held(closed);
  for (int i = 0; !closed.empty() && i < held_.size(); ++i)
    if (p_[i] != 0) held_.rows().push(i, p_[i], acceleration_.data());
  after_.resize(3 * trial_.size());
  for (std::size_t i = 0; i < after_.size(); ++i)
    after_[i] = all_.rows().acceleration(static_cast<int>(i), acceleration_.data());
}

// The contact that agrees least, or the first that does not; and what it has to become.
ContactModes::Disagreement ContactModes::find_disagreement(const std::vector<ClosedContact>& closed, bool first,
                                                           Among among) const {
  Disagreement worst;
  const double force = largest(p_), weak = tolerance::force * (1e-2 + force);
  const double fast = 1 + largest(all_b_), slow = tolerance::force * fast;
  const auto consider = [&](std::size_t k, bool open, Grip grip, const Vec3& direction, double sense, double by,
                            double least, double unit) {
    if (!(by > least) || (first && worst.contact >= 0) || by / unit <= worst.by) return;
    worst = {static_cast<int>(k), open, grip, direction, sense, by / unit};
  };
  std::size_t i = 0;
  for (std::size_t k = 0; k < trial_.size(); ++k) {
    if (trial_[k].place.is_rubbing_joint()) {
      const double push = p_[3 * i], most = held_.most(static_cast<int>(i)), sense = trial_[k].sense;
      if (trial_[k].grip == Grip::stick)
        consider(k, false, Grip::slip, Vec3::Zero(), push > 0 ? -1 : 1, std::abs(push) - most, weak, force + 1e-2);
      else if (!moving_[k])  // it begins to move: that way
        consider(k, false, Grip::stick, Vec3::Zero(), 0, -sense * after_[3 * k], slow, fast);
      ++i;
      continue;
    }
    const double mu = all_.friction(static_cast<int>(k));
    const Grip at_rest = mu > 0 && !moving_[k] ? Grip::stick : Grip::slip;
    if (open_[k]) {
      consider(k, false, at_rest, trial_[k].direction, 0, -after_[3 * k], slow, fast);
      continue;
    }
    const double* const p = p_.data() + 3 * i;
    const int row = 3 * static_cast<int>(i);
    if (among == Among::but_sticking && closed[i].grip == Grip::stick) {
      ++i;
      continue;
    }
    consider(k, true, trial_[k].grip, trial_[k].direction, 0, -p[0], weak, force + 1e-2);
    if (closed[i].grip == Grip::stick) {
      const Vec3 pull = held_.rows().across(static_cast<int>(i), p);
      consider(k, false, Grip::creep, pull.norm() > 0 ? Vec3(-pull.normalized()) : Vec3::Zero(), 0,
               pull.norm() - mu * p[0], weak, force + 1e-2);
    } else if (closed[i].grip == Grip::creep) {
      // It begins to slip: forward.
      consider(k, false, Grip::stick, Vec3::Zero(), 0, -held_.rows().acceleration(row + 1, acceleration_.data()), slow,
               fast);
    }
    ++i;
  }
  return worst;
}

// Turns what creeps to where friction of its size takes nothing sideways, if it is held sideways with p; by how much.
double ContactModes::turn(std::vector<ClosedContact>& closed) const {
  double most = 0;
  for (std::size_t i = 0; i < closed.size(); ++i) {
    if (closed[i].grip != Grip::creep) continue;
    const int k = static_cast<int>(i);
    const double angle = -p_[3 * i + 2] / std::max(held_.friction(k) * p_[3 * i], 1e-300);
    const double a = std::clamp(angle, -0.5, 0.5);
    closed[i].direction = closed[i].direction.norm() *
                          (std::cos(a) * vec(held_.rows().axis(k, 1)) + std::sin(a) * vec(held_.rows().axis(k, 2)));
    most = std::max(most, std::abs(angle));
  }
  held_.make_rigid(closed);
  return most;
}

// Contacts that begin to slip do so along their acceleration; how far their directions were off.
double ContactModes::turn_beginning(std::vector<ClosedContact>& closed) {
  const double most = turn(closed);
  std::size_t i = 0;
  for (std::size_t k = 0; k < trial_.size(); ++k)
    if (!open_[k]) trial_[k].direction = closed[i++].direction;
  return most;
}

// Whether friction presses contacts closed the more the more they are pushed apart, so that forces grow beyond all
// bounds (P. Painlevé, C. R. Acad. Sci. 121 (1895) 112-115). Notes the contact pressed most.
bool ContactModes::is_jamming(std::span<const ClosedContact> closed) {
  double enough = 0, most = 0;  // what would stop each contact on its own, and what does
  int where = -1;
  for (int k = 0; k < held_.rows().contacts(); ++k) {
    const double give = held_.rows().entry(3 * k, 3 * k);
    if (give > 0) enough = std::max(enough, std::abs(b_[3 * k]) / give);
    if (closed[k].grip == Grip::stick || held_.friction(k) == 0 || !(std::abs(p_[3 * k]) > most)) continue;
    most = std::abs(p_[3 * k]);
    where = closed[k].place.contact;
  }
  const bool jams = where >= 0 && most > tolerance::jamming * enough;
  if (jams) worst_ = where;
  return jams;
}

// Changes one contact after the other until all agree; there may be no end to that.
ContactModes::Agreement ContactModes::agree(std::vector<ClosedContact>& closed) {
  const int n = static_cast<int>(trial_.size()), often = 4 * n + 12;
  for (int round = 0, turns = 0; round < 4 * often && turns < most_turns; ++round) {
    assume(closed);
    if (const Disagreement d = find_disagreement(closed, round > often, Among::all); d.contact >= 0) {
      const bool only_shares =
          find_disagreement(closed, true, Among::but_sticking).contact < 0 && can_be_shared(closed);
      if (!only_shares) {
        change(d, closed);
        continue;
      }
    }
    if (!closed.empty() && is_jamming(closed)) return Agreement::jammed;
    ++turns;
    if (turn_beginning(closed) < 1e-6)
      return closed.empty() || held_.smallest_pivot() > tolerance::turned ? Agreement::stable : Agreement::turned;
  }
  return Agreement::none;
}

// Corners of a patch that are at their limit together begin to slip together, whichever is beyond it by more rounding.
void ContactModes::change(const Disagreement& d, const std::vector<ClosedContact>& closed) {
  const ContactPlace& place = trial_[d.contact].place;
  const bool begins_to_slip = !open_[d.contact] && trial_[d.contact].grip == Grip::stick && d.grip == Grip::creep;
  std::size_t i = 0;
  for (std::size_t k = 0; begins_to_slip && k < trial_.size(); ++k) {
    if (open_[k]) continue;
    const double* const p = p_.data() + 3 * i;
    const Vec3 pull = held_.rows().across(static_cast<int>(i), p);
    const double most = held_.friction(static_cast<int>(i)) * p[0];
    const bool is_beside = place.is_between_solids() && trial_[k].place.pair == place.pair &&
                           trial_[k].place.contact == place.contact && closed[i].grip == Grip::stick;
    ++i;
    if (!is_beside || static_cast<int>(k) == d.contact || !(pull.norm() > (1 - at_once) * most) || !(most > 0))
      continue;
    trial_[k].grip = Grip::creep;
    trial_[k].direction = -pull.normalized();
  }
  open_[d.contact] = d.open;
  trial_[d.contact].grip = d.grip;
  trial_[d.contact].direction = d.direction;
  trial_[d.contact].sense = d.sense;
}

// Where friction has turned a contact around, what keeps it closed is not stable, and another answer may be: that one
// pair parts (F. Génot, B. Brogliato, Eur. J. Mech. A 18 (1999) 653-677).
bool ContactModes::part(std::vector<ClosedContact>& closed) {
  const std::size_t n = trial_.size();
  const std::vector<ClosedContact> beginning = trial_;
  const double slow = tolerance::force * (1 + largest(all_b_));
  for (std::size_t first = 0, last; first < n; first = last) {
    for (last = first + 1; last < n && trial_[last].place.pair == trial_[first].place.pair;) ++last;
    if (!trial_[first].place.is_between_solids()) continue;
    trial_ = beginning;
    for (std::size_t k = 0; k < n; ++k) open_[k] = k >= first && k < last;
    const auto parts = [&] {
      for (std::size_t k = first; k < last; ++k)
        if (!open_[k] || !(after_[3 * k] > slow)) return false;
      return true;
    };
    assume(closed);
    if (parts() && agree(closed) == Agreement::stable && parts()) return true;
  }
  return false;
}

// Corners that share in more ways than one are reduced to as many as it takes, those that carry least first, as long as
// the cones find forces without them: then the shares are determined.
bool ContactModes::thin_out(const std::vector<ContactPlace>& touching, std::vector<ClosedContact>& closed) {
  default_grips(touching, trial_);
  std::ranges::fill(open_, char{0});
  closed = trial_;
  for (;;) {
    solve_held(closed);
    if (solve_cones_for(closed) != Decision::found) return false;
    int least = -1, place = -1, i = 0;
    for (std::size_t k = 0; k < trial_.size(); ++k) {
      if (open_[k]) continue;
      if (held_.has_to_spare(i) && (least < 0 || p_[3 * i] < p_[3 * least])) {
        least = i;
        place = static_cast<int>(k);
      }
      ++i;
    }
    if (least < 0) break;
    open_[place] = 1;
    closed.erase(closed.begin() + least);
  }
  const double slow = small();
  for (std::size_t k = 0, i = 0; k < trial_.size(); ++k) {
    if (open_[k]) continue;
    const int contact = static_cast<int>(i++);
    if (trial_[k].place.is_rubbing_joint()) continue;
    open_[k] = after_[3 * contact] > slow;
    if (moving_[k] || held_.friction(contact) == 0) continue;
    begin(trial_[k], held_.rows().across(contact, after_.data() + 3 * contact), slow);
  }
  return true;
}

// From all candidates closed; if that leads nowhere, from what the cones make of them.
ContactModes::Decision ContactModes::find_agreement(const std::vector<ContactPlace>& touching,
                                                    std::vector<ClosedContact>& closed) {
  Agreement agreement = agree(closed);
  if (agreement == Agreement::none) {
    default_grips(touching, trial_);
    solve_held(trial_);
    const Decision decision = solve_cones_for(trial_);
    if (decision != Decision::found) return decision;
    classify();
    agreement = agree(closed);
    if (agreement == Agreement::none && thin_out(touching, closed)) agreement = agree(closed);
  }
  if (agreement == Agreement::none) return Decision::unsolved;
  if (agreement == Agreement::stable) return Decision::found;
  const std::vector<ClosedContact> all = closed;
  default_grips(touching, trial_);
  if (part(closed)) return Decision::found;
  // Within their patches contacts may be turned around and still press: they stay.
  closed = all;
  return agreement == Agreement::turned ? Decision::found : Decision::jammed;
}

// Whether friction turns the velocity of contact k faster than anything else happens.
bool ContactModes::creeps(int k) const {
  const double mu = held_.friction(k), push = mu * p_[3 * k] * held_.rows().entry(3 * k + 1, 3 * k + 1);
  return mu > 0 && std::abs(held_.rows().speed(3 * k + 1)) < soon_ * push;
}

// What slips slowly creeps, in the direction in which friction takes nothing sideways. What would have to turn far for
// that is not pushed onwards but back: it slips as it does, and stops.
void ContactModes::let_creep(std::vector<ClosedContact>& closed) {
  solve_held(closed);
  slipping_ = closed;
  for (std::size_t k = 0; k < closed.size(); ++k) {
    if (closed[k].grip == Grip::slip && creeps(static_cast<int>(k))) {
      const int row = 3 * static_cast<int>(k) + 1;
      slipping_[k].direction = vec(held_.rows().axis(static_cast<int>(k), 1));
      closed[k].direction = held_.rows().speed(row) * slipping_[k].direction;
      closed[k].grip = Grip::creep;
    }
    if (closed[k].grip == Grip::creep) slipping_[k].grip = Grip::slip;
  }
  held_.build(closed, still_);
  held_.make_rigid(closed);
  const auto is_creeping = [](const ClosedContact& c) { return c.grip == Grip::creep; };
  while (std::ranges::any_of(closed, is_creeping)) {
    const bool found = turn_creeping(closed);
    bool all_go_on = true;
    for (std::size_t k = 0; k < closed.size(); ++k)
      if (is_creeping(closed[k]) && (!found || closed[k].direction.dot(slipping_[k].direction) <
                                                   0.5 * closed[k].direction.norm() * slipping_[k].direction.norm())) {
        closed[k] = slipping_[k];
        closed[k].is_turning = true;
        all_go_on = false;
      }
    if (all_go_on) return;
  }
}

// Turns the directions of creeping contacts until friction takes nothing sideways; false: there are none such.
bool ContactModes::turn_creeping(std::vector<ClosedContact>& closed) {
  for (int round = 0; round < 20; ++round) {
    solve_held(closed);
    if (turn(closed) < 1e-6) return true;
  }
  return false;
}

// All candidates, as they are at this state, and what would happen without them.
void ContactModes::consider(const std::vector<ContactPlace>& touching) {
  default_grips(touching, trial_);
  moving_.clear();
  for (const ClosedContact& c : trial_) moving_.push_back(is_moving(c));
  open_.assign(trial_.size(), 0);
  all_.build(trial_, still_);
  all_b_.resize(3 * trial_.size());
  for (int i = 0; i < all_.size(); ++i) all_b_[i] = all_.rows().acceleration(i, rate_.data() + system_.nq);
}

ContactModes::Decision ContactModes::decide(double t, const double* y, const Facing& facing,
                                            std::vector<ContactPlace>& touching, std::vector<ClosedContact>& closed) {
  evaluate(t, y);
  closed.clear();
  worst_ = -1;
  takes_slow_as_resting_ = false;
  for (int round = 0; round < 40; ++round) {
    consider(touching);
    if (trial_.empty()) return Decision::found;
    Decision d = find_agreement(touching, closed);
    if (d == Decision::unsolved && !takes_slow_as_resting_) {
      takes_slow_as_resting_ = true;
      consider(touching);
      d = find_agreement(touching, closed);
    }
    if (d != Decision::found) return d;
    if (!add_spots(facing, touching)) break;
  }
  if (!closed.empty()) let_creep(closed);
  return Decision::found;
}

// Of a joint that rubs: its rate has come to zero, and it is not about to go on.
bool ContactModes::has_stopped(const ClosedContact& c, int k) const {
  if (c.grip == Grip::stick) return false;
  const double forward = c.sense * held_.rows().speed(3 * k);
  return forward < -0.1 * still_ || (forward <= still_ && c.sense * acceleration_after(3 * k) < 0);
}

ContactModes::Hold ContactModes::holds(double t, const double* y, std::span<const ClosedContact> closed) {
  if (closed.empty()) return Hold::surely;
  evaluate(t, y);
  for (const ClosedContact& c : closed)
    if (search_.overrun(c.place, 4 * close_) > left_distance(scene_) || search_.whirl(c.place, soon_) > 0)
      return Hold::no;
  Hold hold = Hold::surely;
  for_each_island(closed, [&](std::size_t, std::span<const ClosedContact> island) {
    if (hold != Hold::no) hold = std::max(hold, holds_now(island));
  });
  return hold;
}

ContactModes::Hold ContactModes::holds_now(std::span<const ClosedContact> closed) {
  solve_held(closed);
  Hold hold = Hold::surely;
  for (std::size_t k = 0; k < closed.size(); ++k) {
    if (closed[k].place.is_rubbing_joint() && has_stopped(closed[k], static_cast<int>(k))) return Hold::no;
    if (closed[k].grip == Grip::stick || held_.friction(static_cast<int>(k)) == 0) continue;
    // Well before it counts as moving the other way: then it is found at rest, and sticks if it can. What slipped and
    // has come to rest does too, from whichever side.
    const Touch& touch = held_.rows().touch(static_cast<int>(k));
    const Vec3 u = vec(touch.velocity), n = vec(touch.normal);
    const Vec3 direction = closed[k].direction.normalized();
    if (u.dot(direction) < -0.1 * still_) return Hold::no;
    if (closed[k].grip == Grip::slip && (u - n * n.dot(u)).norm() <= still_ &&
        acceleration_after(3 * static_cast<int>(k) + 1) < 0)
      return Hold::no;
    const double push = held_.friction(static_cast<int>(k)) * p_[3 * k];
    const double slow = soon_ * push * held_.rows().entry(3 * static_cast<int>(k) + 1, 3 * static_cast<int>(k) + 1);
    if (closed[k].grip == Grip::slip) {
      // Slow enough to creep from the end of the step on.
      if (!closed[k].is_turning && u.dot(direction) < 0.5 * slow) hold = Hold::shared;
      continue;
    }
    // Fast enough to slip, or friction has turned far: decided anew. Turned a little: at the end of the step.
    const double turned = std::abs(p_[3 * k + 2]);
    if (turned > 0.2 * push || u.dot(direction) > 4 * slow) return Hold::no;
    if (turned > 1e-3 * push) hold = Hold::shared;
  }
  if (is_jamming(closed)) return Hold::no;
  return press_and_stick(closed) ? hold : Hold::no;
}

}  // namespace plumb
