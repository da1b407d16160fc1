#include "plumb/simulation/loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumb {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

}  // namespace

void Loop::read_settings(const SimulationSettings& s) {
  const auto fail = [&](const std::string& message) { throw InputError(s.source, "simulation", message); };
  if (!s.duration) fail("give duration, in seconds");
  duration_ = *s.duration;
  step_ = s.step;
  tolerance_ = s.tolerance.value_or(tolerance_);
  max_step_ = s.max_step.value_or(duration_);
  max_steps_ = s.max_steps.value_or(max_steps_);
  output_every_ = s.output_every.value_or(duration_ / 1000);
  if (duration_ / output_every_ > 1e8)
    fail(fmt::format("output_every = {:g} asks for more than 1e8 samples", output_every_));
  if (!step_ && !method_.is_adaptive)
    fail(fmt::format("{} has no error estimate and needs a fixed step; give step, or choose dopri5 or dop853",
                     method_.name));
  if (step_ && *step_ > duration_) step_ = duration_;
  if (step_ && duration_ / *step_ > max_steps_)
    fail(fmt::format("step = {:g} means more than {:g} steps; raise max_steps if that is meant", *step_, max_steps_));
}

// Baumgarte's damping is itself an equation to be integrated, with eigenvalue -omega.
std::string Loop::stability_note(double omega) const {
  if (!step_ || !method_.tableau) return {};
  const double limit = real_stability_limit(*method_.tableau);
  if (omega * *step_ <= limit) return {};
  return fmt::format(
      "omega*step = {:.3g} lies beyond the stability limit {:.3g} of {}: the run will blow up; use omega <= {:.3g} or "
      "step <= {:.3g}",
      omega * *step_, limit, method_.tableau->name, limit / *step_, limit / omega);
}

void Loop::watch_events(const std::vector<Event>& events) {
  for (const Event& e : events) watches_.emplace_back(e, gauge());
  crossings_.reserve(64);
  found_.reserve(64);
  event_values_.resize(watches_.size());
}

void Loop::begin(const double* y) {
  outcome_.reset();
  stop_event_.reset();
  steps_ = grid_steps_ = rejected_ = next_sample_ = 0;
  last_error_ = 1e-4;
  last_rejected_ = false;
  integrator_->begin(0, y);
  restart_events(0, y);
}

void Loop::choose_first_step() {
  h_ = step_ ? *step_ : std::min({integrator_->initial_step(tolerance_), max_step_, duration_});
}

void Loop::restart_events(double t, const double* y) {
  for (std::size_t i = 0; i < watches_.size(); ++i) {
    event_values_[i] = watches_[i].value(gauge(), t, y);
    watches_[i].begin(event_values_[i]);
  }
}

Outcome Loop::run() {
  if (!outcome_) {
    for (Observer* o : observers_) o->on_step({0, state()});
    sample(0, state());
    next_sample_ = 1;
  }
  while (step()) {
  }
  return *outcome_;
}

bool Loop::step() {
  if (outcome_) return false;
  while (!attempt())
    if (outcome_) return false;
  integrator_->complete();
  if (is_interrupted_) cut_step();
  if (!watches_.empty()) handle_events();
  emit_samples();
  accept();
  if (is_interrupted_ && !outcome_) after_step();
  return !outcome_;
}

// Fixed steps end at multiples of the step, computed without adding up; the last step of a run ends at its end.
void Loop::choose_end() {
  const double t = time();
  if (is_interrupted_) h_ = std::min(h_, longest_step());
  double end = step_ ? static_cast<double>(grid_steps_ + 1) * *step_ : t + h_;
  const double left = duration_ - end;
  // A remainder that is rounding, or would make a tiny last step, is joined to this one.
  if (left < (step_ ? 1e-9 * *step_ : 0.0))
    end = duration_;
  else if (!step_ && left < 0.1 * h_)
    end = t + (duration_ - t) / 2;
  step_end_ = end;
  // The length as such, not the difference of two times: it is the same for all whole steps.
  const bool whole = step_ && end != duration_ && t == static_cast<double>(grid_steps_) * *step_;
  h_ = whole ? *step_ : end - t;
}

bool Loop::attempt() {
  if (static_cast<double>(steps_) >= max_steps_) {
    end(Outcome::Kind::limit_reached, "max_steps", fmt::format("{} steps taken; raise max_steps to go on", steps_));
    return false;
  }
  choose_end();
  const ProjectionReport report = integrator_->attempt(h_);
  if (!step_) return judge_error(report);
  if (report.converged && is_finite(integrator_->result())) return true;
  fail_step(report);
  return false;
}

bool Loop::judge_error(const ProjectionReport& report) {
  const StepControl& control = method_.tableau->control;
  const double h = h_;
  const double error = report.converged ? integrator_->error(tolerance_) : std::numeric_limits<double>::infinity();
  const bool good = error <= 1;
  if (good) {
    // Proportional to this error, with a memory of the last (PI control).
    const double e = std::max(error, 1e-10);
    double factor = control.safety * std::pow(e, -control.proportional) * std::pow(last_error_, control.integral);
    factor = std::clamp(factor, control.smallest, control.largest);
    if (last_rejected_) factor = std::min(factor, 1.0);
    h_ = std::min(h * factor, max_step_);
    last_error_ = std::max(e, 1e-4);
    last_rejected_ = false;
    return true;
  }
  ++rejected_;
  last_rejected_ = true;
  h_ = std::isfinite(error) ? h * std::max(control.smallest, control.safety * std::pow(error, -control.proportional))
                            : h / 8;
  if (h_ < 16 * epsilon * std::max(time(), duration_ * 1e-3)) fail_step(report);
  return false;
}

bool Loop::is_finite(const double* y) const {
  double sum = 0;
  for (int i = 0; i < size_; ++i) sum += y[i] * 0;  // 0, or NaN if anything is not finite
  return sum == 0;
}

void Loop::handle_events() {
  found_.clear();
  const double h = step_end_ - time();
  for (std::size_t i = 0; i < watches_.size(); ++i) {
    EventWatch& watch = watches_[i];
    const auto value = [&](double t, const double* y) { return watch.value(gauge(), t, y); };
    auto inside = [&](double theta) {
      integrator_->interpolate(theta, sample_.data());
      return value(time() + theta * h, sample_.data());
    };
    const double at_end = watch.value(gauge(), step_end_, integrator_->result());
    crossings_.clear();
    watch.crossings(inside, event_values_[i], at_end, crossings_);
    event_values_[i] = at_end;
    for (const EventWatch::Crossing& c : crossings_)
      found_.push_back(
          {static_cast<int>(i), watch.event().locate ? locate(value, c.low, c.high) : step_end_, c.rising});
  }
  std::ranges::stable_sort(found_, {}, &Found::t);
  for (const Found& f : found_) {
    const double* y = integrator_->result();
    const bool stops = watches_[f.watch].event().action == Event::Action::stop;
    if (f.t < step_end_) {
      Integrator& taker = stops ? *integrator_ : *probe_;
      if (!stops) probe_->begin(time(), state());
      taker.attempt(f.t - time());
      y = taker.result();
    }
    for (Observer* o : observers_) o->on_event({f.watch, f.rising, f.t, y});
    if (!stops) continue;
    step_end_ = f.t;
    integrator_->complete();
    stop_event_ = f.watch;
    break;
  }
}

// The root on the dense output first; then steps are really taken to it and it is corrected until it stands
// still, so that it has the accuracy of the method and not of its interpolant.
double Loop::locate(const StateFunction& value, double low, double high) {
  const double t0 = time(), h = step_end_ - t0;
  auto inside = [&](double theta) {
    integrator_->interpolate(theta, sample_.data());
    return value(t0 + theta * h, sample_.data());
  };
  return refine(value, root_between(inside, low, high), low, high);
}

double Loop::refine(const StateFunction& value, double theta, double low, double high) {
  const double t0 = time(), h = step_end_ - t0;
  const auto inside = [&](double fraction) {
    integrator_->interpolate(fraction, sample_.data());
    return value(t0 + fraction * h, sample_.data());
  };
  // The slope from inside the bracket, and no further than it: beyond, the function may have a kink.
  const double before = std::max(low, theta - 1e-5), after = std::min(high, theta + 1e-5);
  const double slope = after > before ? (inside(after) - inside(before)) / ((after - before) * h) : 0;
  double tau = theta * h;
  probe_->begin(t0, state());
  for (int i = 0; i < 8 && slope != 0; ++i) {
    if (tau <= 0 || tau >= h) break;
    probe_->attempt(tau);
    const double change = value(t0 + tau, probe_->result()) / slope;
    if (!(std::abs(change) < 0.1 * h)) break;
    if (tau - change < low * h || tau - change > high * h) break;
    tau -= change;
    if (std::abs(change) <= 2 * epsilon * (t0 + tau)) break;
  }
  return t0 + std::clamp(tau, 0.0, h);
}

void Loop::sample(double t, const double* y) {
  for (Observer* o : observers_) o->on_sample({t, y});
}

void Loop::emit_samples() {
  if (observers_.empty()) return;
  const bool last = stop_event_ || step_end_ >= duration_;
  const double t0 = time(), h = step_end_ - t0, close = 1e-9 * std::min(h, output_every_);
  for (;; ++next_sample_) {
    const double t = static_cast<double>(next_sample_) * output_every_;
    if (t > step_end_ + close || t > duration_ + close) break;
    if (t > step_end_ - close) {  // the end of the step itself
      ++next_sample_;
      return sample(last ? step_end_ : t, integrator_->result());
    }
    integrator_->interpolate((t - t0) / h, sample_.data());
    // Redundant rows can make the projection of an interpolated state run away; then it is shown as interpolated.
    if (!settle(t, sample_.data())) integrator_->interpolate((t - t0) / h, sample_.data());
    sample(t, sample_.data());
  }
  if (last) sample(step_end_, integrator_->result());
}

void Loop::accept() {
  integrator_->advance(step_end_);
  ++steps_;
  if (step_ && time() >= static_cast<double>(grid_steps_ + 1) * *step_) ++grid_steps_;
  if (is_interrupted_) at_accepted();
  for (Observer* o : observers_) o->on_step({time(), state()});
  if (stop_event_)
    end(Outcome::Kind::stopped_by_event, fmt::format("event '{}'", watches_[*stop_event_].event().name), "");
  else if (time() >= duration_)
    end(Outcome::Kind::completed, "", "");
}

void Loop::end(Outcome::Kind kind, const std::string& subject, const std::string& reason, const Source& source) {
  outcome_ = Outcome{kind, integrator_->time(), subject, reason, source.file ? source : model_source_};
}

}  // namespace plumb
