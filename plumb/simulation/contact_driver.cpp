#include "plumb/simulation/contact_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plumb/contact/tolerances.h"

namespace plumb {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr int mode_samples = 4;  // places in a step at which closed contacts are looked at

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
      closings_(scene, dynamics, search_, state),
      islands_(scene),
      modes_(scene, dynamics, search_, stabilisation, duration),
      impacts_(scene, dynamics, search_),
      forces_(scene, dynamics, state.closed),
      window_(duration),
      window_step_(window_step(1 + system_.gravity.norm())),
      patience_(duration),
      rate_(system_.size()) {}

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

double ContactDriver::first(Step& step) {
  if (window_.is_open()) return std::min(step.end(), first_closing(step));
  const double closing = first_closing(step);
  if (!state_.closed.empty() && window_.note_step(step.end(), window_step_)) {
    hurries_ = true;
    return std::min(step.end(), closing);
  }
  return std::min(closing, first_change(step));
}

double ContactDriver::first_closing(Step& step) {
  // What falls and is caught again with every step of a window does not close, unless it falls far.
  return window_.is_open() ? closings_.first(step, 4 * tolerance::unseen * scene_.size()) : closings_.first(step);
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
  const int pairs = static_cast<int>(scene_.pairs().size());
  for (int i = 0; i < search_.candidates(); ++i) {
    if (i < pairs && search_.ball_separation(i) > close) continue;
    if (!(search_.gap(i, state_.facing) <= close)) continue;
    double slack = 4 * close;
    for (const ClosedContact& c : state_.closed)
      if (c.place.pair == i && i < pairs) slack = std::max(slack, search_.whirl(c.place, tolerance::soon * duration_));
    if (slack > 4 * close) highest_whirl_ = std::max(highest_whirl_, slack);
    search_.find(i, state_.facing, slack, touching_);
  }
}

std::optional<Outcome> ContactDriver::overlap_at_start(const double* y) {
  const double deep = 1e3 * touch_distance(scene_, y);
  for (int i = 0; i < static_cast<int>(scene_.pairs().size()); ++i) {
    const double gap = closings_.gap(i, 0, y);
    if (!(gap < -deep)) continue;
    touching_.clear();
    search_.find(i, state_.facing, 0, touching_);
    const ContactPlace& place = touching_.front();
    const Contact& law = scene_.laws()[place.contact];
    return Outcome{Outcome::Kind::inconsistent_start, 0, fmt::format("contact '{}'", law.name),
                   fmt::format("{} overlaps by {:.3g} m at the start", scene_.describe(place), -gap), law.source};
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
  int number = 0;
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
    for (ClosedContact& c : decided_) c.island = number;
    ++number;
    state_.closed.insert(state_.closed.end(), decided_.begin(), decided_.end());
    places_.insert(places_.end(), touching_.begin(), touching_.end());
  }
  touching_.swap(places_);
  forces_.push_apart(t, y, touching_);  // what parts may have been met a rounding too deep
  bring_to_rest(t, y);  // last: the lowest place of a rim that lies almost flat moves far with the least tilt
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
      const int from = scene_.from_member(c.place), to = scene_.to_member(c.place);
      return c.place.contact == e.contact && ((from == e.from && to == e.to) || (from == e.to && to == e.from));
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
