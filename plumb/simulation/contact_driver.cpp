#include "plumb/simulation/contact_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plumb/contact/tolerances.h"

namespace plumb {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr int mode_samples = 4;  // places in a step at which closed contacts are looked at

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

}  // namespace

ContactDriver::ContactDriver(const Scene& scene, Dynamics& dynamics, const Stabilisation& stabilisation,
                             ContactState& state, double duration, bool limits_steps, const Observers& observers)
    : scene_(scene),
      system_(dynamics.system()),
      dynamics_(dynamics),
      stabilisation_(stabilisation),
      state_(state),
      duration_(duration),
      limits_steps_(limits_steps),
      observers_(observers),
      search_(scene),
      islands_(scene),
      modes_(scene, dynamics, search_, stabilisation, duration),
      impacts_(scene, dynamics, search_),
      forces_(scene, dynamics, state.closed),
      window_(duration),
      window_step_(window_step(1 + system_.gravity.norm())),
      patience_(duration),
      rate_(system_.size()),
      balls_(scene.pairs().size()),
      gaps_(search_.candidates()),
      near_(scene.pairs().size()),
      suspect_(search_.candidates()) {}

// What sticks does not move, and the error of its motion says nothing of how its forces change.
double ContactDriver::longest_step(double) const {
  if (window_.is_open()) return window_.step();
  const auto is_held = [](const ClosedContact& c) { return !c.place.is_rubbing_joint() || c.grip == Grip::stick; };
  const bool holds = limits_steps_ && std::ranges::any_of(state_.closed, is_held);
  return std::min(flat_in_ / 2, holds ? duration_ / 100 : never);
}

// A rim that comes to lie flat touches on its other side, or whirls around however little it is tilted the other way: a
// step must not lead over that.
void ContactDriver::note_rims() {
  flat_in_ = never;
  for (const ClosedContact& c : state_.closed) flat_in_ = std::min(flat_in_, search_.time_to_flat(c.place));
}

double ContactDriver::gap_at(int candidate, double t, const double* y) {
  dynamics_.place(t, y);
  search_.place(dynamics_.placement());
  return gap_here(candidate);
}

double ContactDriver::gap_here(int candidate) { return search_.gap(candidate, state_.facing) - held_gap(candidate); }

// States within a step are interpolated, and what is closed is off there by as much as that is: another place of the
// same pair comes nearer only if it does so beside those that are closed.
double ContactDriver::held_gap(int candidate) {
  const int pairs = static_cast<int>(scene_.pairs().size());
  double least = never;
  for (const ClosedContact& c : state_.closed) {
    const ContactPlace& p = c.place;
    const bool is_its = candidate < pairs ? p.pair == candidate : p.limit == candidate - pairs;
    if (is_its) least = std::min(least, plumb::gap(scene_, dynamics_.placement(), p));
  }
  return least < never ? least : 0;
}

double ContactDriver::first(Step& step) {
  if (window_.is_open()) return std::min(step.end(), first_closing(step));
  if (!state_.closed.empty() && window_.note_step(step.end(), window_step_)) {
    hurries_ = true;
    return step.end();
  }
  const double closing = first_closing(step);
  return std::min(closing, first_change(step));
}

// Which gaps may close during the step: those that fall to zero at a sample, or are smaller somewhere than they change
// from one sample to the next. Pairs whose balls are far from each other by this measure are not looked at in detail.
void ContactDriver::find_suspects(Step& step) {
  const int pairs = static_cast<int>(balls_.size()), all = search_.candidates();
  std::ranges::fill(near_, char{0});
  std::ranges::fill(suspect_, char{0});
  for (const bool balls : {true, false}) {
    if (balls && pairs == 0) continue;
    for (int k = 0; k <= samples_per_step; ++k) {
      const double theta = static_cast<double>(k) / samples_per_step;
      dynamics_.place(step.time_at(theta), k < samples_per_step ? step.at(theta) : step.result());
      search_.place(dynamics_.placement());
      const auto judge = [&](double distance, double& last, char& close) {
        const double way = k == 0 ? 0 : std::abs(distance - last), least = k == 0 ? distance : std::min(distance, last);
        if (!(least > way)) close = 1;
        last = distance;
      };
      if (balls) {
        for (int p = 0; p < pairs; ++p) judge(search_.ball_separation(p), balls_[p], near_[p]);
        continue;
      }
      for (int i = 0; i < all; ++i)
        if (!suspect_[i] && (i >= pairs || near_[i])) judge(gap_here(i), gaps_[i], suspect_[i]);
    }
  }
}

double ContactDriver::first_closing(Step& step) {
  find_suspects(step);
  double first = never;
  // What falls and is caught again with every step of a window does not close.
  const double open = window_.is_open() ? 4 * tolerance::unseen * scene_.size() : -never;
  for (int i = 0; i < search_.candidates(); ++i)
    if (suspect_[i] && gap_at(i, step.begin(), step.state()) > open) first = std::min(first, closing_of(i, step));
  return first;
}

// Where a gap falls below zero by more than touching is exact: rounding of what touches already, or has just been let
// go, is no closing. The instant itself is that of the zero before, where the gap was open.
double ContactDriver::closing_of(int candidate, Step& step) {
  const auto gap = [&](double t, const double* y) { return gap_at(candidate, t, y); };
  const auto gap_on = [&](double theta) { return theta < 1 ? step.value(gap, theta) : gap(step.end(), step.result()); };
  const double slack = touch_distance(scene_, step.state()), start = std::min(gap(step.begin(), step.state()), 0.0);
  auto watched = [&](double theta) { return gap_on(theta) - start + slack; };
  const StepFunction function(watched);
  const auto fall = first_fall(function);
  if (!fall) return never;
  auto plain = [&](double theta) { return gap_on(theta); };
  const StepFunction on(plain);
  const std::optional<double> open = open_place(on, *fall, 0.5 * slack);
  if (!open) return closing_of_another(candidate, step, *fall, slack - start);
  return step.refine(gap, root_between(on, *open, fall->high), *open, fall->high);
}

// What touches already hides how another place of the same pair comes nearer: the gap of the pair falls below zero only
// when it has passed. There the place is known, and its own gap leads back to the instant.
double ContactDriver::closing_of_another(int candidate, Step& step, const Bracket& fall, double slack) {
  const auto below = [&](double t, const double* y) { return gap_at(candidate, t, y) + slack; };
  auto below_on = [&](double theta) { return theta < 1 ? step.value(below, theta) : below(step.end(), step.result()); };
  const double passed = root_between(StepFunction(below_on), fall.low, fall.high);
  gap_at(candidate, step.time_at(passed), passed < 1 ? step.at(passed) : step.result());
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

// The first instant from which the modes of the closed contacts hold no longer, by halving.
double ContactDriver::first_change(Step& step) {
  if (state_.closed.empty()) return never;
  const auto holds = [&](double theta) {
    const double* const y = theta < 1 ? step.at(theta) : step.result();
    return modes_.holds(step.time_at(theta), y, state_.closed);
  };
  if (step.end() <= patience_.until()) return never;
  // Not before what was decided last has been kept long enough.
  double low = std::max(0.0, (patience_.until() - step.begin()) / step.length());
  for (int i = 1; i <= mode_samples; ++i) {
    double high = static_cast<double>(i) / mode_samples;
    if (high <= low) continue;
    const ContactModes::Hold hold = holds(high);
    if (hold != ContactModes::Hold::no) {
      low = high;
      // Held with other shares: decided anew at the end of the step.
      if (i == mode_samples && hold == ContactModes::Hold::shared) return step.end();
      continue;
    }
    const double resolution = std::max(2 * epsilon * step.end() / step.length(), 1e-15);
    for (int k = 0; k < 60 && high - low > resolution; ++k) {
      const double middle = (low + high) / 2;
      (holds(middle) == ContactModes::Hold::no ? high : low) = middle;
    }
    return step.time_at(high);
  }
  return never;
}

// Forces of closed contacts that grow beyond all bounds.
bool ContactDriver::rescue(double t, double* y) {
  const auto is_between_solids = [](const ClosedContact& c) { return c.place.is_between_solids(); };
  if (window_.is_open() || std::ranges::none_of(state_.closed, is_between_solids)) return false;
  open_window(t, y);
  return true;
}

void ContactDriver::accepted(double t, const double* y) {
  dynamics_.place(t, y);
  dynamics_.keep_turns();
  search_.place(dynamics_.placement());
  search_.note_sides(0, state_.facing);
  const double still = rest_speed(system_, y);
  for (ClosedContact& c : state_.closed) {
    if (!c.place.is_between_solids()) continue;
    search_.refresh(c.place);
    if (c.grip == Grip::stick || scene_.laws()[c.place.contact].friction == 0) continue;
    const Touch touch = touch_now(scene_, dynamics_.placement(), c.place);
    const Vec3 n(touch.normal), u(touch.velocity), across = u - n * n.dot(u);
    const bool turns = c.grip == Grip::slip && across.norm() > still && across.dot(c.direction) > 0;
    if (turns) c.direction = across.normalized();
  }
  note_rims();
}

void ContactDriver::find_touching(double t, const double* y) {
  dynamics_.place(t, y);
  search_.place(dynamics_.placement());
  touching_.clear();
  const double close = touch_distance(scene_, y);
  highest_whirl_ = 0;
  for (int i = 0; i < search_.candidates(); ++i) {
    if (i < static_cast<int>(balls_.size()) && search_.ball_separation(i) > close) continue;
    if (!(search_.gap(i, state_.facing) <= close)) continue;
    double slack = 4 * close;
    for (const ClosedContact& c : state_.closed)
      if (c.place.pair == i && i < static_cast<int>(balls_.size()))
        slack = std::max(slack, search_.whirl(c.place, tolerance::soon * duration_));
    if (slack > 4 * close) highest_whirl_ = std::max(highest_whirl_, slack);
    search_.find(i, state_.facing, slack, touching_);
  }
}

std::optional<Outcome> ContactDriver::overlap_at_start(const double* y) {
  const double deep = 1e3 * touch_distance(scene_, y);
  for (int i = 0; i < search_.candidates(); ++i) {
    const double gap = gap_at(i, 0, y);
    if (!(gap < -deep)) continue;
    touching_.clear();
    search_.find(i, state_.facing, 0, touching_);
    const ContactPlace& place = touching_.front();
    const Contact& law = scene_.laws()[place.contact];
    if (place.limit < 0)
      return Outcome{Outcome::Kind::inconsistent_start, 0, fmt::format("contact '{}'", law.name),
                     fmt::format("{} overlaps by {:.3g} m at the start", scene_.describe(place), -gap), law.source};
    const SystemLimit& limit = system_.limits[place.limit];
    const char* const unit = limit.is_angle() ? "rad" : "m";
    const double value = limit.is_least() ? limit.value + gap : limit.value - gap;
    const char* const what = limit.is_angle() ? "angle" : limit.is_distance() ? "length" : "displacement";
    return Outcome{
        Outcome::Kind::inconsistent_start, 0, fmt::format("joint '{}'", system_.joints[limit.joint].name),
        fmt::format("its {} is {:.6g} {} at the start, {} its limit of {:.6g} {}{}; --fix-start begins at the "
                    "nearest pose within the limits",
                    what, value, unit, limit.is_least() ? "below" : "above", limit.value, unit,
                    limit.is_distance() ? "" : " (angles and displacements count from the pose in the file)"),
        law.source};
  }
  return std::nullopt;
}

ContactDriver::Change ContactDriver::begin(double* y) {
  state_.closed.clear();
  state_.facing.clear();
  at_start_.clear();
  begun_ = false;
  window_ = ContactWindow(duration_);
  patience_ = Patience(duration_);
  dynamics_.place(0, y);
  dynamics_.keep_turns();
  search_.place(dynamics_.placement());
  search_.note_sides(0, state_.facing);
  Change change;
  change.outcome = overlap_at_start(y);
  return change;
}

void ContactDriver::show_start(const Observers& observers) {
  begun_ = true;
  for (const Impact& i : at_start_) observers.impact(i);
}

void ContactDriver::tell(const std::vector<Impact>& impacts) {
  if (!begun_) at_start_.insert(at_start_.end(), impacts.begin(), impacts.end());
  for (const Impact& i : impacts) observers_.impact(i);
}

ContactDriver::Change ContactDriver::act(double t, double* y) {
  Change change;
  if (t == 0) {
    change = begin(y);
    if (change.outcome) return change;
  }
  if (window_.is_open()) {
    stay_in_window(t, y, change);
    if (window_.is_open() || change.outcome) return change;
  }
  find_touching(t, y);
  const bool too_many = window_.note_change(t) || hurries_;
  hurries_ = false;
  if ((too_many || !follow_laws(t, y, change)) && !change.outcome) open_window(t, y);
  if (!change.jumped) patience_.note(t);
  return change;
}

// Island by island: the impact of what approaches, then the modes of what touches.
bool ContactDriver::follow_laws(double t, double* y, Change& change) {
  state_.closed.clear();
  touching_.insert(touching_.end(), scene_.rubbing().begin(), scene_.rubbing().end());
  if (touching_.empty()) return true;
  dynamics_.derivative(t, y, stabilisation_, rate_.data());
  ++evaluations_;
  places_.clear();
  for (const std::vector<ContactPlace>& island : islands_.split(touching_)) {
    touching_.clear();
    std::ranges::copy_if(island, std::back_inserter(touching_), [](const auto& p) { return !p.is_rubbing_joint(); });
    struck_ = {};
    // Friction in joints is finite and gives no blow.
    bool found = strike(t, y, -1, change);
    std::ranges::copy_if(island, std::back_inserter(touching_), [](const auto& p) { return p.is_rubbing_joint(); });
    found = found && decide(t, y, change);
    if (found) note_rest(t);
    tell(struck_.impacts);
    if (!found) return false;
    state_.closed.insert(state_.closed.end(), decided_.begin(), decided_.end());
    places_.insert(places_.end(), touching_.begin(), touching_.end());
  }
  touching_.swap(places_);
  bring_to_rest(t, y);
  forces_.push_apart(t, y, touching_);  // what parts may have been met a rounding too deep
  dynamics_.place(t, y);
  search_.place(dynamics_.placement());
  note_rims();
  return true;
}

bool ContactDriver::strike(double t, double* y, int jammed, Change& change) {
  // What whirls is laid down: it falls no farther than it stands high.
  const double fall = highest_whirl_ > 0 ? std::sqrt(2 * highest_whirl_ / std::max(system_.gravity.norm(), 1e-3)) : 0;
  ImpactReport report = impacts_.strike(t, y, rate_.data() + system_.nq, state_.facing, touching_, jammed, fall);
  if (report.result == ImpactReport::Result::blocked) {
    change.outcome = blocked(t, report.worst);
    return false;
  }
  if (report.result == ImpactReport::Result::unsolved) return false;
  if (report.impacts.empty()) return true;
  change.jumped = true;
  struck_.impacts.insert(struck_.impacts.end(), report.impacts.begin(), report.impacts.end());
  struck_.pulls.insert(struck_.pulls.end(), report.pulls.begin(), report.pulls.end());
  return true;
}

// What parts so slowly after an impact that it stays closed would have bounced on, ever smaller.
void ContactDriver::note_rest(double t) {
  for (std::size_t i = 0; i < struck_.impacts.size(); ++i) {
    Impact& e = struck_.impacts[i];
    const double restitution = scene_.laws()[e.contact].restitution;
    const auto is_closed = [&](const ClosedContact& c) {
      return c.place.contact == e.contact && scene_.to(c.place).body == e.to && scene_.from(c.place).body == e.from;
    };
    if (e.at_rest_from >= 0 || restitution == 0 || !(e.normal_after > 0) || !(struck_.pulls[i] > 0) || restitution >= 1)
      continue;
    if (std::ranges::any_of(decided_, is_closed))
      e.at_rest_from = t + 2 * e.normal_after / (struck_.pulls[i] * (1 - restitution));
  }
}

bool ContactDriver::decide(double t, double* y, Change& change) {
  rubbing_.clear();
  std::ranges::copy_if(touching_, std::back_inserter(rubbing_), [](const auto& p) { return p.is_rubbing_joint(); });
  for (int round = 0; round < 3; ++round) {
    const ContactModes::Decision decision = modes_.decide(t, y, state_.facing, touching_, decided_);
    if (decision == ContactModes::Decision::found) return true;
    if (decision == ContactModes::Decision::blocked) {
      const auto is_worst = [&](const ContactPlace& p) { return p.contact == modes_.worst(); };
      change.outcome = blocked(t, *std::ranges::find_if(touching_, is_worst));
      return false;
    }
    if (decision == ContactModes::Decision::unsolved) return false;
    // Jammed: friction stops it at once.
    std::erase_if(touching_, [](const ContactPlace& p) { return p.is_rubbing_joint(); });
    const bool stopped = strike(t, y, modes_.worst(), change);
    touching_.insert(touching_.end(), rubbing_.begin(), rubbing_.end());
    if (!stopped) return false;
  }
  return false;
}

// Onto what is closed now; with the energy of parting motions too slow to be seen.
void ContactDriver::bring_to_rest(double t, double* y) {
  const double before = dynamics_.energy(y).total();
  forces_.settle(t, y);
  dynamics_.place(t, y);
  y[system_.nq + system_.nv + 1] += before - dynamics_.energy(y).total();
}

Outcome ContactDriver::blocked(double t, const ContactPlace& place) const {
  const Contact& law = scene_.laws()[place.contact];
  return Outcome{Outcome::Kind::drive_blocked, t, fmt::format("contact '{}'", law.name),
                 fmt::format("{} stands against what drives prescribe", scene_.describe(place)), law.source};
}

// Small enough that free fall between two impacts goes unseen. `fastest`: acceleration.
double ContactDriver::window_step(double fastest) const {
  return std::min(std::sqrt(2 * tolerance::unseen * scene_.size() / fastest), duration_ / 100);
}

void ContactDriver::open_window(double t, double* y) {
  dynamics_.derivative(t, y, stabilisation_, rate_.data());
  ++evaluations_;
  double fastest = 1;
  for (int i = 0; i < system_.nv; ++i) fastest = std::max(fastest, std::abs(rate_[system_.nq + i]));
  state_.closed.clear();
  window_.open(t, window_step(fastest));
}

void ContactDriver::stay_in_window(double t, double* y, Change& change) {
  find_touching(t, y);
  dynamics_.derivative(t, y, stabilisation_, rate_.data());
  ++evaluations_;
  ImpactReport report = impacts_.strike(t, y, rate_.data() + system_.nq, state_.facing, touching_, -1, window_.step());
  if (report.result == ImpactReport::Result::blocked) {
    change.outcome = blocked(t, report.worst);
    return;
  }
  change.jumped = !report.impacts.empty();
  window_.add(report.impacts);
  forces_.push_apart(t, y, touching_);
  touching_ = scene_.rubbing();
  if (!touching_.empty() && modes_.decide(t, y, state_.facing, touching_, decided_) == ContactModes::Decision::found)
    state_.closed = decided_;
  if (!window_.is_over(t)) return;
  tell({window_.close(t)});
}

}  // namespace plumb
