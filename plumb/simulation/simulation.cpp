#include "plumb/simulation/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumb {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double default_omega = 20;

Stabilisation stabilisation_of(const SimulationSettings& s) {
  if (s.alpha) return {*s.alpha, *s.beta};
  const double omega = s.omega.value_or(default_omega);
  return {omega, omega};
}

}  // namespace

Simulation::Simulation(const Model& model)
    : model_(model),
      model_source_(model.source),
      system_(compile(model)),
      method_(find_method(model.simulation.method, model.simulation.source)),
      stabilisation_(stabilisation_of(model.simulation)),
      dynamics_(system_),
      formulation_(dynamics_, method_.formulation, stabilisation_),
      probe_formulation_(dynamics_, method_.formulation, stabilisation_),
      integrator_(make_integrator(method_, formulation_, model_)),
      measurement_(dynamics_, formulation_.stabilisation()) {
  read_settings(model.simulation);
  for (const Event& e : model.events) watches_.emplace_back(e, system_);
  if (!system_.contacts.empty() && !method_.is_time_stepping()) make_contacts();
  if (integrator_->contacts()) dynamics_.attach(integrator_->contacts());
  if (!watches_.empty() || contacts_) probe_ = make_integrator(method_, probe_formulation_, model_);
  crossings_.reserve(64);
  found_.reserve(64);
  event_values_.resize(watches_.size());
  y_start_ = system_.start;
  sample_.resize(system_.size());
  start_ = make_consistent(dynamics_, y_start_);
  if (start_.consistent) {
    start_over();
    return;
  }
  const SystemJoint& worst = system_.joints[start_.worst_joint];
  std::string others;
  for (int k : start_.contradicting)
    if (k != start_.worst_joint) others += fmt::format("{}'{}'", others.empty() ? "" : ", ", system_.joints[k].name);
  if (!others.empty()) others = fmt::format(" (it contradicts {})", others);
  end(Outcome::Kind::inconsistent_start, fmt::format("joint '{}'", worst.name),
      start_.velocities_contradict
          ? fmt::format(
                "the joints ask for velocities that cannot all be had; '{}' is off by {:.3g} when the others are "
                "as close as they come{}",
                worst.name, start_.worst_residual, others)
          : fmt::format("the joints cannot all be satisfied; '{}' stays open by {:.3g} when the others are as close as "
                        "they come{}",
                        worst.name, start_.worst_residual, others),
      worst.source);
}

void Simulation::read_settings(const SimulationSettings& s) {
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
  if (const std::string note = stability_note(); !note.empty()) warnings_.push_back(note);
}

// Baumgarte's damping is itself an equation to be integrated, with eigenvalue -omega.
std::string Simulation::stability_note() const {
  if (method_.formulation != Formulation::Kind::baumgarte || !step_ || !method_.tableau) return {};
  const double omega = std::max(stabilisation_.alpha, stabilisation_.beta);
  const double limit = real_stability_limit(*method_.tableau);
  if (omega * *step_ <= limit) return {};
  return fmt::format(
      "omega*step = {:.3g} lies beyond the stability limit {:.3g} of {}: the run will blow up; use omega <= {:.3g} or "
      "step <= {:.3g}",
      omega * *step_, limit, method_.tableau->name, limit / *step_, limit / omega);
}

void Simulation::start_over() {
  outcome_.reset();
  stop_event_.reset();
  steps_ = grid_steps_ = rejected_ = next_sample_ = 0;
  at_contact_ = false;
  last_error_ = 1e-4;
  last_rejected_ = false;
  dynamics_.place(0, y_start_.data());
  dynamics_.keep_turns();
  integrator_->begin(0, y_start_.data());
  measurement_.look_at(0, y_start_.data());
  measurement_.set_reference(measurement_.energy().balance());
  for (std::size_t i = 0; i < watches_.size(); ++i) {
    event_values_[i] = watches_[i].value(measurement_, 0, y_start_.data());
    watches_[i].begin(event_values_[i]);
  }
  if (contacts_) begin_contacts();
  if (outcome_) return;
  h_ = step_ ? *step_ : std::min({integrator_->initial_step(tolerance_), max_step_, duration_});
}

Outcome Simulation::run() {
  if (!outcome_) {
    for (Observer* o : observers_) o->on_step({0, state()});
    sample(0, state());
    next_sample_ = 1;
  }
  while (step()) {
  }
  return *outcome_;
}

bool Simulation::step() {
  if (outcome_) return false;
  while (!attempt())
    if (outcome_) return false;
  integrator_->complete();
  if (contacts_) stop_at_contact();
  if (!watches_.empty()) handle_events();
  emit_samples();
  accept();
  if (at_contact_ && !outcome_) meet_contacts();
  return !outcome_;
}

// Fixed steps end at multiples of the step, computed without adding up; the last step of a run ends at its end.
void Simulation::choose_end() {
  const double t = time();
  // What sticks does not move, and the error of its motion says nothing of how its forces change.
  if (contacts_ && contacts_->any_closed()) h_ = std::min(h_, duration_ / 100);
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

bool Simulation::attempt() {
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

bool Simulation::judge_error(const ProjectionReport& report) {
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

void Simulation::fail_step(const ProjectionReport& report) {
  const std::string lost = first_non_finite(integrator_->result());
  if (!lost.empty())
    return end(Outcome::Kind::non_finite, lost,
               fmt::format("its motion is no longer a finite number after t = {:.6g}{}{}", time(),
                           warnings_.empty() ? "" : "; ", warnings_.empty() ? "" : warnings_.front()));
  if (!report.converged) {
    const SystemJoint& worst = system_.joints[system_.joint_of_row(report.worst_row)];
    return end(
        Outcome::Kind::singular, fmt::format("joint '{}'", worst.name),
        fmt::format("the constraints cannot be kept beyond t = {:.6g}: '{}' stays open by {:.3g}; the position is "
                    "singular, the joints contradict each other, or the step is too long",
                    time(), worst.name, report.residual),
        worst.source);
  }
  end(Outcome::Kind::step_too_small, most_accelerated(),
      fmt::format("the error stays above the tolerance {:g} even for steps of {:.2g} s; the motion is not smooth there",
                  tolerance_, h_));
}

bool Simulation::is_finite(const double* y) const {
  double sum = 0;
  for (int i = 0; i < system_.size(); ++i) sum += y[i] * 0;  // 0, or NaN if anything is not finite
  return sum == 0;
}

std::string Simulation::first_non_finite(const double* y) const {
  if (is_finite(y)) return {};
  for (const SystemBody& b : system_.bodies) {
    const int nq = b.kind == BodyKind::rigid ? 7 : 3, nv = b.kind == BodyKind::rigid ? 6 : 3;
    const auto finite = [](double x) { return std::isfinite(x); };
    if (!std::all_of(y + b.q, y + b.q + nq, finite) ||
        !std::all_of(y + system_.nq + b.v, y + system_.nq + b.v + nv, finite))
      return fmt::format("body '{}'", b.name);
  }
  return "energy account";
}

// Where the velocity changes most over the last attempt.
std::string Simulation::most_accelerated() const {
  const SystemBody* body = nullptr;
  double most = -1;
  for (const SystemBody& b : system_.bodies)
    for (int k = 0; k < (b.kind == BodyKind::rigid ? 6 : 3); ++k) {
      const int i = system_.nq + b.v + k;
      if (const double change = std::abs(integrator_->result()[i] - state()[i]); change > most)
        most = change, body = &b;
    }
  return body ? fmt::format("body '{}'", body->name) : std::string();
}

void Simulation::handle_events() {
  found_.clear();
  const double h = step_end_ - time();
  for (std::size_t i = 0; i < watches_.size(); ++i) {
    EventWatch& watch = watches_[i];
    const auto value = [&](double t, const double* y) { return watch.value(measurement_, t, y); };
    auto inside = [&](double theta) {
      integrator_->interpolate(theta, sample_.data());
      return value(time() + theta * h, sample_.data());
    };
    const double at_end = watch.value(measurement_, step_end_, integrator_->result());
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
double Simulation::locate(const StateFunction& value, double low, double high) {
  const double t0 = time(), h = step_end_ - t0;
  auto inside = [&](double theta) {
    integrator_->interpolate(theta, sample_.data());
    return value(t0 + theta * h, sample_.data());
  };
  return refine(value, root_between(inside, low, high), low, high);
}

double Simulation::refine(const StateFunction& value, double theta, double low, double high) {
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

void Simulation::sample(double t, const double* y) {
  for (Observer* o : observers_) o->on_sample({t, y});
}

void Simulation::emit_samples() {
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
    formulation_.settle(t, sample_.data());
    sample(t, sample_.data());
  }
  if (last) sample(step_end_, integrator_->result());
}

void Simulation::accept() {
  integrator_->advance(step_end_);
  ++steps_;
  if (step_ && time() >= static_cast<double>(grid_steps_ + 1) * *step_) ++grid_steps_;
  if (contacts_) contacts_->note(time(), state());
  if (!system_.angles.empty() || !system_.curve_parameters.empty()) {
    dynamics_.place(time(), state());
    dynamics_.keep_turns();
  }
  if (const SteppedContacts* stepped = integrator_->contacts())
    for (const Impact& i : stepped->impacts())
      for (Observer* o : observers_) o->on_impact(i);
  for (Observer* o : observers_) o->on_step({time(), state()});
  if (stop_event_)
    end(Outcome::Kind::stopped_by_event, fmt::format("event '{}'", watches_[*stop_event_].event().name), "");
  else if (time() >= duration_)
    end(Outcome::Kind::completed, "", "");
}

void Simulation::end(Outcome::Kind kind, const std::string& subject, const std::string& reason, const Source& source) {
  outcome_ = Outcome{kind, integrator_->time(), subject, reason, source.file ? source : model_source_};
}

}  // namespace plumb
