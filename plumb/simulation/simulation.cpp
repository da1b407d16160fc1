#include "plumb/simulation/simulation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "plumb/integrator/make_runge_kutta.h"
#include "plumb/simulation/contact_driver.h"
#include "plumb/simulation/evaluation.h"
#include "plumb/simulation/fast_forces.h"
#include "plumb/simulation/mechanism_switches.h"
#include "plumb/simulation/slowness.h"
#include "plumb/simulation/written_reactions.h"
#include "plumb/system/pose.h"
#include "plumb/system/row_rank.h"
#include "plumb/time_stepping/method.h"
#include "plumb/time_stepping/time_stepping.h"

namespace plumb {
namespace {

constexpr double default_omega = 20;

Stabilisation stabilisation_of(const SimulationSettings& s, const Tableau* tableau) {
  if (s.alpha) return {*s.alpha, *s.beta};
  double omega = s.omega.value_or(default_omega);
  if (s.omega_auto && s.step && tableau) omega = stable_omega(*tableau, *s.step);
  return {omega, omega};
}

// Contacts that are located; methods with contacts inside their step have their own.
std::unique_ptr<Scene> located_contacts(const Model& model, const Method& method, const System& system) {
  if ((system.contacts.empty() && system.frictions.empty()) || method.is_time_stepping) return nullptr;
  if (!method.tableau)
    throw InputError(
        model.simulation.source, "simulation",
        fmt::format("{} cannot keep contacts closed; choose a Runge-Kutta method, e.g. projected/dop853, or "
                    "moreau or trapezoidal",
                    method.name));
  return std::make_unique<Scene>(model, system);
}

// Friction in joints is kept with the contacts; methods that keep none get it rounded off.
System suited(System system, const Method& method) {
  if (!method.tableau) round_off_frictions(system);
  return system;
}

// What runs: the model with what moves as one merged. `written` is as it is given, if that differs.
System compile_for_run(const Model& model, const Method& method, bool merges, std::optional<System>& written) {
  System system = compile(model);
  if (!merges || std::ranges::none_of(model.joints, [](const Joint& j) { return j.type == "fixed"; }))
    return suited(std::move(system), method);
  const RigidGroups groups = find_rigid_groups(model, system);
  System merged = compile(model, groups);
  if (merged.bodies.size() == system.bodies.size()) return suited(std::move(system), method);
  merged.start = gather(system, merged, system.start);
  merged.start_turns = system.start_turns;
  merged.start_notes = system.start_notes;
  merged.curve_parameters = system.curve_parameters;
  written = suited(std::move(system), method);
  return suited(std::move(merged), method);
}

const std::vector<ClosedContact>* closed_of(const std::unique_ptr<Scene>& scene, const ContactState& state) {
  return scene ? &state.closed : nullptr;
}

}  // namespace

// Everything a running mechanism consists of.
class Simulation::Mechanism final : private Subject {
 public:
  Mechanism(const Model& model, Bodies bodies);
  void start_over();
  const System& written() const { return written_ ? *written_ : system_; }
  long evaluations() const;

  // Follows the unwound angles and the places on curves, for everyone.
  class TurnKeeper final : public Interruption {
   public:
    explicit TurnKeeper(Mechanism& mechanism) : mechanism_(mechanism) {}
    double first(Step&) override { return never; }
    void accepted(double t, const double* y) override { mechanism_.keep_turns(t, y); }
    Change act(double t, double* y) override {
      mechanism_.keep_turns(t, y);
      return {};
    }

   private:
    Mechanism& mechanism_;
  };
  // Contacts of time stepping: enters what struck within the step.
  class LedgerKeeper final : public Interruption {
   public:
    explicit LedgerKeeper(Mechanism& mechanism) : mechanism_(mechanism) {}
    double first(Step&) override { return never; }
    void accepted(double t, const double* y) override;
    Change act(double, double*) override { return {}; }

   private:
    Mechanism& mechanism_;
  };
  // What contacts report at the state the measurement looks at.
  class LocatedReport final : public ContactReport {
   public:
    LocatedReport(const Scene& scene, const ContactForces& forces, const ContactState& state)
        : forces_(forces), state_(state), search_(scene) {}
    Vec3 force(int contact) const override { return forces_.force(contact); }
    double gap(int contact, const Placement& at) override {
      search_.place(at);
      return search_.least_gap(contact, state_.facing);
    }

   private:
    const ContactForces& forces_;
    const ContactState& state_;
    ContactSearch search_;
  };
  class SteppedReport final : public ContactReport {
   public:
    explicit SteppedReport(const SteppedContacts& contacts) : contacts_(contacts), search_(contacts.scene()) {}
    Vec3 force(int contact) const override { return contacts_.force(contact); }
    double gap(int contact, const Placement& at) override;

   private:
    const SteppedContacts& contacts_;
    ContactSearch search_;
  };

  Model model_;  // its own copy: contacts refer to it
  Method method_;
  std::optional<System> written_;  // as the model has it, if bodies are merged
  System system_;
  Stabilisation stabilisation_;
  std::unique_ptr<Scene> scene_;  // none: no contacts, or time stepping
  ContactState contacts_;
  std::vector<double> modes_;  // of inputs that switch
  Evaluation run_, probe_, gauge_evaluation_;
  std::unique_ptr<Evaluation> driver_evaluation_, switch_evaluation_;
  std::unique_ptr<ContactReport> report_;
  TimeStepping* stepping_ = nullptr;  // the integrator, if it is one of these
  Measurement measurement_;
  std::unique_ptr<WrittenReactions> inner_;
  std::vector<std::string> warnings_;
  std::optional<double> stiff_from_;  // of an automatic method: when it went on with the implicit one
  std::unique_ptr<Loop> loop_;
  std::unique_ptr<ContactDriver> driver_;
  std::unique_ptr<MechanismSwitches> switches_;
  std::unique_ptr<SwitchDriver> switch_driver_;
  std::vector<std::unique_ptr<Interruption>> keepers_;
  StartReport start_;
  std::vector<double> y_start_;

 private:
  bool settle(double t, double* y) override { return gauge_evaluation_.formulation.settle(t, y).ok(); }
  Outcome explain(const StepReport& report, double h) override;
  Relief relieve(const Slowness& slow) override;
  bool is_next_to_singular() override { return !all_but_dependent().empty(); }

  void keep_turns(double t, const double* y);
  StartReport assemble_as_written();
  void add_interruptions();
  Outcome inconsistent_start() const;
  Outcome singular_start() const;
  Outcome beyond_limit(const BrokenLimit& broken) const;
  std::string body_of(int component) const;
  std::string too_light(const std::string& body) const;
  std::string all_but_dependent() const;
  std::string first_non_finite(const double* y) const;
  std::string most_accelerated() const;
};

Simulation::Mechanism::Mechanism(const Model& model, Bodies bodies)
    : model_(model),
      method_(find_method(model.simulation.method, model.simulation.source)),
      system_(compile_for_run(model, method_, bodies == Bodies::merged, written_)),
      stabilisation_(stabilisation_of(model.simulation, method_.tableau)),
      scene_(located_contacts(model_, method_, system_)),
      run_(system_, scene_.get(), closed_of(scene_, contacts_), method_.formulation, stabilisation_),
      probe_(system_, scene_.get(), closed_of(scene_, contacts_), method_.formulation, stabilisation_),
      gauge_evaluation_(system_, scene_.get(), closed_of(scene_, contacts_), method_.formulation, stabilisation_),
      report_(scene_ ? std::make_unique<LocatedReport>(*scene_, *gauge_evaluation_.forces, contacts_) : nullptr),
      measurement_(gauge_evaluation_.formulation, report_.get()),
      y_start_(system_.start) {
  std::unique_ptr<Integrator> integrator = make_integrator(method_, run_.formulation, model_);
  stepping_ = dynamic_cast<TimeStepping*>(integrator.get());
  if (stepping_ && !system_.contacts.empty()) {
    report_ = std::make_unique<SteppedReport>(stepping_->contacts());
    measurement_.set_contacts(report_.get());
  }
  const LoopSettings settings(model.simulation, method_.name, method_.is_adaptive);
  if (method_.formulation == Formulation::Kind::baumgarte)
    if (const std::string note =
            stability_note(method_.tableau, settings.step, std::max(stabilisation_.alpha, stabilisation_.beta));
        !note.empty())
      warnings_.push_back(note);
  std::unique_ptr<Integrator> probe;
  if (!model_.events.empty() || scene_ || system_.switches() > 0)
    probe = make_integrator(method_, probe_.formulation, model_);
  const StepControl control = method_.tableau ? method_.tableau->control : StepControl{};
  loop_ = std::make_unique<Loop>(settings, control, std::move(integrator), std::move(probe), system_.size(),
                                 static_cast<Subject&>(*this));
  loop_->set_events(model_.events, measurement_);
  add_interruptions();
  switch_driver_->choose_modes(0, y_start_.data());
  if (written_)
    start_ = assemble_as_written();
  else
    start_ = make_consistent(run_.dynamics, y_start_);
  if (start_.is_redundant)
    for (Evaluation* e : {&probe_, &gauge_evaluation_, driver_evaluation_.get(), switch_evaluation_.get()})
      if (e) e->dynamics.expect_redundancy();
  const std::vector<BrokenLimit> broken = broken_limits(system_, y_start_.data());
  if (!start_.consistent)
    loop_->end(start_.is_singular ? singular_start() : inconsistent_start());
  else if (!broken.empty())
    loop_->end(beyond_limit(broken.front()));
  else
    start_over();
  if (start_.consistent && start_.is_singular) loop_->end(singular_start());
}

// The start is made consistent as the model has it, so that every message is about its own bodies and joints.
StartReport Simulation::Mechanism::assemble_as_written() {
  inner_ = std::make_unique<WrittenReactions>(model_, *written_, system_, closed_of(scene_, contacts_),
                                              run_.formulation.stabilisation());
  measurement_.set_inner(inner_.get());
  if (!modes_.empty()) inner_->dynamics().hold_switches(modes_.data());
  std::vector<double> y = written_->start;
  StartReport start = make_consistent(inner_->dynamics(), y);
  y_start_ = gather(*written_, system_, y);
  if (start.is_redundant) run_.dynamics.expect_redundancy();
  return start;
}

void Simulation::Mechanism::add_interruptions() {
  const LoopSettings& settings = loop_->settings();
  switch_evaluation_ = std::make_unique<Evaluation>(system_, nullptr, nullptr, method_.formulation, stabilisation_);
  modes_.resize(static_cast<std::size_t>(system_.switches()));
  switches_ = std::make_unique<MechanismSwitches>(*switch_evaluation_, modes_);
  const bool limits_steps = !settings.step && !model_.simulation.max_step;
  switch_driver_ = std::make_unique<SwitchDriver>(*switches_, modes_, settings.duration, limits_steps);
  if (!switch_driver_->is_idle()) loop_->add(*switch_driver_);
  if (!modes_.empty())
    for (Evaluation* e : {&run_, &probe_, &gauge_evaluation_}) e->dynamics.hold_switches(modes_.data());
  if (scene_) {
    driver_evaluation_ = std::make_unique<Evaluation>(system_, nullptr, nullptr, method_.formulation, stabilisation_);
    driver_ = std::make_unique<ContactDriver>(*scene_, driver_evaluation_->dynamics, run_.formulation.stabilisation(),
                                              contacts_, settings.duration, !settings.step, loop_->observers());
    if (!modes_.empty()) driver_evaluation_->dynamics.hold_switches(modes_.data());
    loop_->add(*driver_);
  }
  if (!system_.angles.empty() || !system_.curve_parameters.empty())
    loop_->add(*keepers_.emplace_back(std::make_unique<TurnKeeper>(*this)));
  if (stepping_) loop_->add(*keepers_.emplace_back(std::make_unique<LedgerKeeper>(*this)));
}

void Simulation::Mechanism::start_over() {
  keep_turns(0, y_start_.data());
  stiff_from_.reset();
  measurement_.look_at(0, y_start_.data());
  measurement_.set_reference(measurement_.energy().balance());
  loop_->begin(y_start_.data());
}

void Simulation::Mechanism::keep_turns(double t, const double* y) {
  for (Evaluation* e : {&run_, &probe_, &gauge_evaluation_, switch_evaluation_.get()}) e->keep_turns(t, y);
}

long Simulation::Mechanism::evaluations() const {
  return run_.formulation.evaluations() + probe_.formulation.evaluations() + (driver_ ? driver_->evaluations() : 0);
}

void Simulation::Mechanism::LedgerKeeper::accepted(double, const double*) {
  for (const Impact& i : mechanism_.stepping_->contacts().impacts()) mechanism_.loop_->observers().impact(i);
}

double Simulation::Mechanism::SteppedReport::gap(int contact, const Placement& at) {
  search_.place(at);
  return std::min(search_.least_gap(contact, contacts_.facing()), contacts_.least_gap(contact));
}

Outcome Simulation::Mechanism::inconsistent_start() const {
  const SystemJoint& worst = system_.joints[start_.worst_joint];
  std::string others;
  for (int k : start_.contradicting)
    if (k != start_.worst_joint) others += fmt::format("{}'{}'", others.empty() ? "" : ", ", system_.joints[k].name);
  if (!others.empty()) others = fmt::format(" (it contradicts {})", others);
  return Outcome{
      Outcome::Kind::inconsistent_start, 0, fmt::format("joint '{}'", worst.name),
      start_.velocities_contradict
          ? fmt::format(
                "the joints ask for velocities that cannot all be had; '{}' is off by {:.3g} when the others are "
                "as close as they come{}",
                worst.name, start_.worst_residual, others)
          : fmt::format("the joints cannot all be satisfied; '{}' stays open by {:.3g} when the others are as close as "
                        "they come{}",
                        worst.name, start_.worst_residual, others),
      worst.source};
}

Outcome Simulation::Mechanism::singular_start() const {
  const SystemJoint& worst = system_.joints[start_.worst_joint];
  const std::string place =
      fmt::format("the start is a singular position: '{}' depends on other joints there, and only there", worst.name);
  if (!start_.consistent)
    return Outcome{Outcome::Kind::inconsistent_start, 0, fmt::format("joint '{}'", worst.name),
                   place +
                       ", and no acceleration keeps it at these velocities; begin a little beside it, or with "
                       "velocities along one of the ways that lead through it",
                   worst.source};
  return Outcome{Outcome::Kind::singular, 0, fmt::format("joint '{}'", worst.name),
                 place + ", so that the motion from rest is not determined, or there is none; begin a little beside it",
                 worst.source};
}

Outcome Simulation::Mechanism::beyond_limit(const BrokenLimit& broken) const {
  const SystemLimit& limit = system_.limits[broken.limit];
  const SystemJoint& joint = system_.joints[limit.joint];
  const char* const unit = limit.is_angle() ? "rad" : "m";
  const char* const what = limit.is_angle() ? "angle" : limit.is_distance() ? "length" : "displacement";
  return {
      Outcome::Kind::inconsistent_start, 0, fmt::format("joint '{}'", joint.name),
      fmt::format("its {} is {:.6g} {} at the start, {} its limit of {:.6g} {}{}; --fix-start begins at the nearest "
                  "pose within the limits",
                  what, std::abs(broken.value) > 1e-12 ? broken.value : 0.0, unit, limit.is_least() ? "below" : "above",
                  limit.value, unit,
                  limit.is_distance() ? "" : " (angles and displacements count from the pose in the file)"),
      joint.source};
}

Outcome Simulation::Mechanism::explain(const StepReport& report, double h) {
  const double t = loop_->time();
  const auto ended = [&](Outcome::Kind kind, const std::string& subject, const std::string& reason,
                         Source source = {}) {
    return Outcome{kind, t, subject, reason, source.file ? source : model_.source};
  };
  const std::string lost = first_non_finite(loop_->attempted());
  if (!lost.empty())
    return ended(Outcome::Kind::non_finite, lost,
                 fmt::format("its motion is no longer a finite number after t = {:.6g}{}{}", t,
                             warnings_.empty() ? "" : "; ", warnings_.empty() ? "" : warnings_.front()));
  if (report.kind == StepReport::Kind::unsolved)
    return ended(Outcome::Kind::step_too_small, method_.name,
                 fmt::format("the implicit equations of a step of {:.3g} s cannot be solved after t = {:.6g}; {}", h, t,
                             loop_->settings().step ? "take shorter steps" : "the solution is not smooth there"));
  if (report.kind == StepReport::Kind::off_constraints) {
    const SystemJoint& worst = system_.joints[system_.joint_of_row(report.row)];
    return ended(
        Outcome::Kind::singular, fmt::format("joint '{}'", worst.name),
        fmt::format("the constraints cannot be kept beyond t = {:.6g}: '{}' stays open by {:.3g}; the position is "
                    "singular, the joints contradict each other, or the step is too long",
                    t, worst.name, report.residual),
        worst.source);
  }
  const std::string body = most_accelerated();
  return ended(Outcome::Kind::step_too_small, fmt::format("body '{}'", body),
               fmt::format("the error stays above the tolerance {:g} even for steps of {:.2g} s; the motion is not "
                           "smooth there{}{}",
                           loop_->settings().tolerance, h, too_light(body), all_but_dependent()));
}

std::string Simulation::Mechanism::body_of(int component) const {
  for (const SystemBody& b : system_.bodies) {
    const int q = component - b.q, v = component - system_.nq - b.v;
    if ((q >= 0 && q < (b.kind == BodyKind::rigid ? 7 : 3)) || (v >= 0 && v < (b.kind == BodyKind::rigid ? 6 : 3)))
      return b.name;
  }
  return {};
}

// Beside a much heavier one a body swings as fast as it is light.
std::string Simulation::Mechanism::too_light(const std::string& name) const {
  double own = 0, most = 0;
  for (const SystemBody& b : system_.bodies) {
    most = std::max(most, b.mass);
    if (b.name == name) own = b.mass;
  }
  return own < 1e-5 * most ? fmt::format(", with {:.1g} of the mass of the heaviest body", own / most) : std::string();
}

// Joints next to a singular position, where the mechanism may move by no more than what they are off from it.
std::string Simulation::Mechanism::all_but_dependent() const {
  constexpr double near = 1e-6;
  if (system_.rows == 0) return {};
  const System coupled = couple_all_joints(system_);
  Dynamics dynamics(coupled);
  RowRank rank(coupled);
  dynamics.remember_as(run_.dynamics);
  dynamics.place(loop_->time(), loop_->state());
  dynamics.linearise();
  const int independent = rank.find(dynamics.constraints());
  if (rank.find(dynamics.constraints(), near) == independent) return {};
  std::vector<std::string> names;
  for (int row : rank.dependent_rows())
    for (int j : rank.sharing_joints(row))
      if (std::ranges::count(names, coupled.joints[j].name) == 0) names.push_back(coupled.joints[j].name);
  if (names.size() > 5) names.resize(5);
  return fmt::format(". It is next to a singular position, where '{}' all but depend on each other",
                     fmt::join(names, "', '"));
}

Subject::Relief Simulation::Mechanism::relieve(const Slowness& slow) {
  Relief relief;
  // Differences for a Jacobian take an evaluation for every number of the state.
  if (slow.is_stiff && method_.is_automatic && slow.steps_left > 50.0 * system_.size()) {
    relief.integrator = make_runge_kutta(stiff_tableau(), run_.formulation);
    if (!model_.events.empty() || scene_ || system_.switches() > 0)
      relief.probe = make_runge_kutta(stiff_tableau(), probe_.formulation);
    relief.control = stiff_tableau().control;
    stiff_from_ = loop_->time();
    return relief;
  }
  const std::string body = body_of(slow.quickness.component);
  relief.notice = slowness_notice(slow, method_.name);
  if (!body.empty() && slow.quickness.rate > 0) {
    const FastForces fast = forces_on(model_, body);
    relief.notice += fmt::format(". Fastest is '{}', at {:.2g} 1/s", body, slow.quickness.rate);
    if (!fast.names.empty()) relief.notice += fmt::format(" ({})", fast.names);
    relief.notice += too_light(body);
    if (!fast.advice.empty()) relief.notice += ". " + fast.advice;
  }
  relief.notice += all_but_dependent();
  if (slow.is_stiff) relief.notice += ". An implicit method takes longer steps: --method auto, or projected/radau5";
  return relief;
}

std::string Simulation::Mechanism::first_non_finite(const double* y) const {
  if (loop_->is_finite(y)) return {};
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
std::string Simulation::Mechanism::most_accelerated() const {
  const SystemBody* body = nullptr;
  double most = -1;
  for (const SystemBody& b : system_.bodies)
    for (int k = 0; k < (b.kind == BodyKind::rigid ? 6 : 3); ++k) {
      const int i = system_.nq + b.v + k;
      if (const double change = std::abs(loop_->attempted()[i] - loop_->state()[i]); change > most) {
        most = change;
        body = &b;
      }
    }
  return body ? body->name : std::string();
}

Simulation::Simulation(const Model& model, Bodies bodies) : mechanism_(std::make_unique<Mechanism>(model, bodies)) {}
Simulation::~Simulation() = default;

void Simulation::start_over() { mechanism_->start_over(); }
const System& Simulation::system() const { return mechanism_->system_; }
const System& Simulation::written() const { return mechanism_->written(); }
std::vector<double> Simulation::written_state() const {
  std::vector<double> y(static_cast<std::size_t>(written().size()));
  expand(written(), system(), state(), y.data());
  return y;
}
const StartReport& Simulation::start() const { return mechanism_->start_; }
Measurement& Simulation::measurement() { return mechanism_->measurement_; }
Loop& Simulation::loop() { return *mechanism_->loop_; }
const Loop& Simulation::loop() const { return *mechanism_->loop_; }
MethodInfo Simulation::method() const {
  const Method& m = mechanism_->method_;
  if (!m.is_automatic) return {m.name, m.order};
  if (!mechanism_->stiff_from_) return {fmt::format("auto: projected/{}", usual_tableau().name), m.order};
  return {fmt::format("auto: projected/{}, from t = {:.4g} s projected/{}", usual_tableau().name,
                      *mechanism_->stiff_from_, stiff_tableau().name),
          stiff_tableau().order};
}
long Simulation::evaluations() const { return mechanism_->evaluations(); }
const std::vector<std::string>& Simulation::warnings() const { return mechanism_->warnings_; }
int Simulation::contact_windows() const { return mechanism_->driver_ ? mechanism_->driver_->windows() : 0; }
bool Simulation::has_contacts_in_steps() const {
  return mechanism_->stepping_ && !mechanism_->system_.contacts.empty();
}

}  // namespace plumb
