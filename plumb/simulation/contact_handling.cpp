// The part of the loop that deals with contacts.
#include <fmt/format.h>

#include <cmath>

#include "plumb/simulation/simulation.h"

namespace plumb {

void Simulation::make_contacts() {
  if (!method_.tableau)
    throw InputError(
        model_.simulation.source, "simulation",
        fmt::format("{} cannot keep contacts closed; choose a Runge-Kutta method, e.g. projected/dop853, or "
                    "moreau or trapezoidal",
                    method_.name));
  contacts_ = std::make_unique<Contacts>(model_, system_, dynamics_);
  dynamics_.attach(contacts_.get());
  met_.resize(system_.size());
  apart_.resize(contacts_->pairs());
  gaps_.resize(contacts_->size());
}

void Simulation::begin_contacts() {
  contacts_->begin(0, y_start_.data());
  for (int i = 0; i < contacts_->size(); ++i) {
    const double gap = contacts_->gap_at(i, 0, y_start_.data());
    if (gap < -1e3 * contacts_->gap_tolerance(y_start_.data()))
      return end(Outcome::Kind::inconsistent_start, fmt::format("contact '{}'", contacts_->name(i)),
                 fmt::format("{} overlaps by {:.3g} m at the start", contacts_->describe(i), -gap),
                 contacts_->source(i));
  }
  standing_contacts_ = 0;
  meet_contacts();
}

// Which open contacts may close during the step: a gap that falls to zero at a sample, or is smaller somewhere than it
// changes from one sample to the next. Pairs of solids far from each other by this measure are not looked at in detail.
void Simulation::find_suspects() {
  const double t0 = time(), h = step_end_ - t0;
  const int pairs = contacts_->pairs(), all = contacts_->size();
  suspect_.assign(all, 0);
  near_.assign(pairs, 0);
  const auto is_watched = [&](int i) { return !contacts_->is_closed(i) && !contacts_->is_covered(i); };
  // Of the last sample, and the last change.
  for (const bool solids : {true, false}) {
    if (solids && pairs == 0) continue;
    for (int k = 0; k <= samples_per_step; ++k) {
      const double theta = static_cast<double>(k) / samples_per_step;
      integrator_->interpolate(theta, sample_.data());
      contacts_->look_around(t0 + theta * h, sample_.data());
      const auto judge = [&](double distance, double& last, std::uint8_t& close) {
        const double way = k == 0 ? 0 : std::abs(distance - last), least = k == 0 ? distance : std::min(distance, last);
        if (!(least > way)) close = 1;
        last = distance;
      };
      if (solids)
        for (int p = 0; p < pairs; ++p) judge(contacts_->apart(p), apart_[p], near_[p]);
      else
        for (int i = 0; i < all; ++i) {
          const int pair = contacts_->pair_of(i);
          if (suspect_[i] || !is_watched(i) || (pair >= 0 && !near_[pair])) continue;
          judge(contacts_->gap_here(i), gaps_[i], suspect_[i]);
        }
    }
  }
}

// The smallest fraction of the step at which the gap of an open contact closes.
double Simulation::first_contact() {
  const double t0 = time(), h = step_end_ - t0;
  double first = 2;
  find_suspects();
  for (int i = 0; i < contacts_->size(); ++i) {
    if (!suspect_[i]) continue;
    const double start = contacts_->gap_at(i, t0, state());
    const auto gap = [&](double theta) {
      integrator_->interpolate(theta, sample_.data());
      return contacts_->gap_at(i, t0 + theta * h, sample_.data());
    };
    // A contact just left has a gap of zero, up to rounding; divided by theta it is its rate there, which is positive.
    // If it is not, the contact is let go with the last rounding of a speed: it may close by as much as a touch is
    // exact before it counts.
    const bool left = start <= contacts_->gap_tolerance(state());
    constexpr double soon = 1e-6;
    const double slack = left && gap(soon) <= start ? contacts_->gap_tolerance(state()) : 0;
    auto inside = [&](double theta) {
      return left && slack == 0 ? (gap(theta) - start) / theta : gap(theta) + slack - (left ? start : 0);
    };
    const auto fall = first_fall(inside);
    if (!fall) continue;
    const double zero = (left ? start : 0) - slack;
    const auto value = [&](double t, const double* y) { return contacts_->gap_at(i, t, y) - zero; };
    // Of a contact just left the bracket begins where it is seen to be open, not at 0/0.
    double low = fall->low;
    if (left && low == 0)
      for (low = fall->high / 4; low > 1e-9 && inside(low) <= 0;) low /= 4;
    first = std::min(first, (refine(value, root_between(inside, low, fall->high), low, fall->high) - t0) / h);
  }
  return first;
}

// The smallest fraction of the step from which the modes of the closed contacts hold no longer, by bisection. They may
// fail to hold for less than the distance of two samples: the least margin in between is looked at too.
double Simulation::first_change_of_mode() {
  if (!contacts_->any_closed()) return 2;
  const double t0 = time(), h = step_end_ - t0, nudge = 1e-4;
  const auto holds = [&](double theta) {
    integrator_->interpolate(theta, sample_.data());
    return contacts_->holds(t0 + theta * h, sample_.data());
  };
  auto margin = [&](double theta) {
    integrator_->interpolate(theta, sample_.data());
    return contacts_->margin(t0 + theta * h, sample_.data());
  };
  double low = 0, slope_low = margin(nudge) - margin(0);
  for (int i = 1; i <= samples_per_step; ++i) {
    const double end = static_cast<double>(i) / samples_per_step, slope = margin(end) - margin(end - nudge);
    double high = end;
    if (slope_low < 0 && slope > 0) {
      const double least = lowest_point(margin, low, end);
      if (!holds(least)) high = least;
    }
    slope_low = slope;
    if (high == end && holds(end)) {
      low = end;
      continue;
    }
    for (int k = 0; k < 50 && high - low > 1e-15; ++k) {
      const double middle = (low + high) / 2;
      (holds(middle) ? low : high) = middle;
    }
    return high;
  }
  return 2;
}

void Simulation::stop_at_contact() {
  at_contact_ = false;
  const double t0 = time(), h = step_end_ - t0;
  const double first = std::min(first_contact(), first_change_of_mode());
  if (first > 1) return;
  at_contact_ = true;
  if (first == 1) return;
  step_end_ = t0 + first * h;
  integrator_->attempt(first * h);
  integrator_->complete();
}

void Simulation::meet_contacts() {
  const double t = time();
  std::copy_n(state(), system_.size(), met_.begin());
  const ImpactReport report = contacts_->strike(t, met_.data());
  const int contact = report.worst_contact;
  if (!report.solved)
    return end(Outcome::Kind::singular, fmt::format("contact '{}'", system_.contacts[contact]), report.fault);
  for (const Impact& i : report.impacts)
    for (Observer* o : observers_) o->on_impact(i);
  if (!contacts_->decide(t, met_.data()))
    return end(Outcome::Kind::singular, "contacts", "the forces of the closed contacts could not be found");
  contacts_->settle(t, met_.data());
  integrator_->begin(t, met_.data());
  restart_events(t, met_.data());
  if (!report.impacts.empty())
    for (Observer* o : observers_) o->on_step({t, met_.data()});
  standing_contacts_ = t > last_contact_ ? 0 : standing_contacts_ + 1;
  last_contact_ = t;
  if (standing_contacts_ > 100)
    end(Outcome::Kind::singular, "contacts", "a hundred changes of contact follow each other without time passing");
}

}  // namespace plumb
