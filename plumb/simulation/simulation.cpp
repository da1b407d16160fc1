#include "plumb/simulation/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plumb {
namespace {

constexpr double default_omega = 20;

Stabilisation stabilisation_of(const SimulationSettings& s, const Tableau* tableau) {
  if (s.alpha) return {*s.alpha, *s.beta};
  double omega = s.omega.value_or(default_omega);
  if (s.omega_auto && s.step && tableau) omega = stable_omega(*tableau, *s.step);
  return {omega, omega};
}

}  // namespace

Simulation::Simulation(const Model& model)
    : Simulation(model, compile(model), find_method(model.simulation.method, model.simulation.source)) {}

Simulation::Simulation(const Model& model, System system, const Method& method)
    : Loop(model, method, system.size()),
      model_(model),
      system_(std::move(system)),
      stabilisation_(stabilisation_of(model.simulation, method.tableau)),
      dynamics_(system_),
      formulation_(dynamics_, method_.formulation, stabilisation_),
      probe_formulation_(dynamics_, method_.formulation, stabilisation_),
      measurement_(dynamics_, formulation_.stabilisation()) {
  integrator_ = make_integrator(method_, formulation_, model_);
  read_settings(model.simulation);
  if (method_.formulation == Formulation::Kind::baumgarte)
    if (const std::string note = stability_note(std::max(stabilisation_.alpha, stabilisation_.beta)); !note.empty())
      warnings_.push_back(note);
  watch_events(model.events);
  if (!system_.contacts.empty() && !method_.is_time_stepping()) make_contacts();
  if (integrator_->contacts()) dynamics_.attach(integrator_->contacts());
  if (!watches_.empty() || contacts_) probe_ = make_integrator(method_, probe_formulation_, model_);
  is_interrupted_ =
      contacts_ || integrator_->contacts() || !system_.angles.empty() || !system_.curve_parameters.empty();
  y_start_ = system_.start;
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

void Simulation::start_over() {
  at_contact_ = false;
  dynamics_.place(0, y_start_.data());
  dynamics_.keep_turns();
  measurement_.look_at(0, y_start_.data());
  measurement_.set_reference(measurement_.energy().balance());
  begin(y_start_.data());
  if (contacts_) begin_contacts();
  if (!outcome_) choose_first_step();
}

// What sticks does not move, and the error of its motion says nothing of how its forces change.
double Simulation::longest_step() const { return contacts_ && contacts_->any_closed() ? duration_ / 100 : h_; }

void Simulation::cut_step() {
  if (contacts_) stop_at_contact();
}

void Simulation::after_step() {
  if (at_contact_) meet_contacts();
}

void Simulation::at_accepted() {
  if (contacts_) contacts_->note(time(), state());
  if (!system_.angles.empty() || !system_.curve_parameters.empty()) {
    dynamics_.place(time(), state());
    dynamics_.keep_turns();
  }
  if (const SteppedContacts* stepped = integrator_->contacts())
    for (const Impact& i : stepped->impacts())
      for (Observer* o : observers_) o->on_impact(i);
}

void Simulation::fail_step(const ProjectionReport& report) {
  const std::string lost = first_non_finite(integrator_->result());
  if (!lost.empty())
    return end(Outcome::Kind::non_finite, lost,
               fmt::format("its motion is no longer a finite number after t = {:.6g}{}{}", time(),
                           warnings_.empty() ? "" : "; ", warnings_.empty() ? "" : warnings_.front()));
  if (!report.converged && report.worst_row < 0) return end_unsolved_step();
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

}  // namespace plumb
