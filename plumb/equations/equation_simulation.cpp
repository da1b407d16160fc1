#include "plumb/equations/equation_simulation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>

#include "plumb/integrator/make_runge_kutta.h"
#include "plumb/simulation/slowness.h"

namespace plumb {

EquationSimulation::EquationSimulation(const Model& model)
    : EquationSimulation(model, find_equation_method(model.simulation), AlgebraLock()) {}

EquationSimulation::EquationSimulation(const Model& model, const EquationMethod& method, const AlgebraLock&)
    : model_(model),
      method_(method),
      omega_(choose_omega(method, model.simulation)),
      flow_(reduce(model, method.form, method.is_stabilised), omega_),
      start_(find_start(model_, flow_)),
      probe_flow_(flow_),
      modes_(reduction().switches.size()) {
  watch_ = std::make_unique<BranchWatch>(flow_);
  gauge_ = std::make_unique<EquationGauge>(model_, flow_);
  make_loop();
  const bool taken = start_.consistent || (start_.has_nearest && model.simulation.fix_start);
  if (!taken || !start_.is_regular) {
    loop_->integrator().begin(0, start_.y.data());
    loop_->end({Outcome::Kind::inconsistent_start, 0, taken ? "equations" : start_.equation,
                taken ? irregular_start(start_) : start_.describe(), taken ? model.equations->source : start_.source});
    return;
  }
  watch_->begin(0, start_.y.data());
  if (watch_->is_needed())
    for (Flow* f : {&flow_, &probe_flow_, &gauge_->flow(), &switches_->flow()}) f->follow(&watch_->branch());
  if (!modes_.empty()) {
    switch_driver_->choose_modes(0, start_.y.data());
    for (Flow* f : {&flow_, &probe_flow_, &gauge_->flow(), &watch_->flow(), &switches_->flow()})
      f->hold_switches(modes_.data());
    gauge_->hold_switches(modes_.data());
    watch_->renew(0, start_.y.data());
  }
  // Damping known to be unstable: what has grown by the inverse of rounding has lost every digit of the start.
  if (!warnings_.empty()) {
    double largest = 1;
    for (double x : start_.y) largest = std::max(largest, std::abs(x));
    flow_.set_bound(largest / std::numeric_limits<double>::epsilon());
  }
  loop_->begin(start_.y.data());
}

void EquationSimulation::make_loop() {
  const LoopSettings settings(model_.simulation, method_.name, method_.tableau->is_adaptive());
  if (method_.is_stabilised)
    if (const std::string note = stability_note(method_.tableau, settings.step, omega_); !note.empty())
      warnings_.push_back(note);
  std::unique_ptr<Integrator> probe;
  if (!model_.events.empty() || !modes_.empty()) probe = make_runge_kutta(*method_.tableau, probe_flow_);
  loop_ = std::make_unique<Loop>(settings, method_.tableau->control, make_runge_kutta(*method_.tableau, flow_),
                                 std::move(probe), flow_.size(), static_cast<Subject&>(*this));
  loop_->set_events(model_.events, *gauge_);
  switches_ =
      std::make_unique<EquationSwitches>(flow_, modes_, [this](double t, const double* y) { watch_->renew(t, y); });
  const bool limits_steps = !settings.step && !model_.simulation.max_step;
  switch_driver_ = std::make_unique<SwitchDriver>(*switches_, modes_, settings.duration, limits_steps);
  if (!switch_driver_->is_idle()) loop_->add(*switch_driver_);
  keeper_ = std::make_unique<BranchKeeper>(*watch_);
  if (watch_->is_needed()) loop_->add(*keeper_);
}

Interruption::Change EquationSimulation::BranchKeeper::act(double, double*) { return {}; }

MethodInfo EquationSimulation::method() const {
  if (!method_.is_automatic) return {method_.name, method_.tableau->order};
  const std::string begin = fmt::format("auto: projected/{}", method_.tableau->name);
  if (!stiff_from_) return {begin, method_.tableau->order};
  const Tableau& implicit = stiff_tableau();
  return {fmt::format("{}, from t = {:.4g} projected/{}", begin, *stiff_from_, implicit.name), implicit.order};
}

std::vector<std::string> EquationSimulation::doubts() const {
  if (!left_at_) return {};
  return {fmt::format("'{}' may have jumped to another solution of its equations at t = {:.4g}; shorter steps tell",
                      reduction().dae.symbols.name(reduction().tops[static_cast<std::size_t>(left_)]), *left_at_)};
}

double EquationSimulation::doubt(double t, const double* y) {
  const double leaving = watch_->leaving(t, y);
  if (!loop_->settings().step || leaving <= 1) return leaving;
  if (!left_at_) {
    left_at_ = t;
    left_ = *watch_->left();
  }
  return 0;
}

std::string EquationSimulation::name_of(int state) const {
  return reduction().dae.symbols.name(reduction().states[static_cast<std::size_t>(state)].place);
}

Subject::Relief EquationSimulation::relieve(const Slowness& slow) {
  Relief relief;
  // A step of the implicit method takes about as long as one for every number of the state.
  if (slow.is_stiff && method_.is_automatic && slow.steps_left > 5.0 * flow_.size()) {
    relief.integrator = make_runge_kutta(stiff_tableau(), flow_);
    if (!model_.events.empty() || !modes_.empty()) relief.probe = make_runge_kutta(stiff_tableau(), probe_flow_);
    relief.control = stiff_tableau().control;
    stiff_from_ = loop_->time();
    return relief;
  }
  relief.notice = slowness_notice(slow, method_.name);
  if (slow.quickness.rate > 0 && slow.quickness.component >= 0)
    relief.notice +=
        fmt::format(". Fastest is '{}', at {:.2g} 1/s", name_of(slow.quickness.component), slow.quickness.rate);
  if (slow.is_stiff) relief.notice += ". An implicit method takes longer steps: --method auto, or radau5";
  return relief;
}

Outcome EquationSimulation::explain(const StepReport& report, double h) {
  const Symbols& symbols = reduction().dae.symbols;
  const double* const y = loop_->attempted();
  const double t = loop_->time();
  const int size = flow_.size();
  const auto name = [&](int i) { return fmt::format("'{}'", name_of(i)); };
  const auto ended = [&](Outcome::Kind kind, const std::string& subject, const std::string& reason,
                         Source source = {}) {
    return Outcome{kind, t, subject, reason, source.file ? source : model_.source};
  };
  for (int i = 0; i < size; ++i) {
    if (std::abs(y[i]) < flow_.bound()) continue;
    return ended(Outcome::Kind::non_finite, name(i),
                 fmt::format("it grows beyond all bounds in step {}, after t = {:.6g}{}{}", steps() + 1, t,
                             warnings_.empty() ? "" : "; ", warnings_.empty() ? "" : warnings_.front()));
  }
  if (const std::optional<int> left = watch_->left()) {
    const std::string top = symbols.name(reduction().tops[static_cast<std::size_t>(*left)]);
    return ended(Outcome::Kind::singular, fmt::format("'{}'", top),
                 fmt::format("its solution ends at t = {:.10g}: there it meets another solution of the equations that "
                             "determine it, and beyond it neither goes on (a fold; the system Jacobian is singular)",
                             t),
                 model_.equations->source);
  }
  std::string fault = flow_.fault();
  if (fault.empty()) {  // at the very place the step begins
    std::vector<double> rate(static_cast<std::size_t>(size));
    watch_->flow().begin_step();
    watch_->flow().evaluate(t, state(), rate.data());
    fault = watch_->flow().fault();
  }
  if (!fault.empty())
    return ended(Outcome::Kind::singular, "equations",
                 fmt::format("{} beyond t = {:.10g}: the system Jacobian is singular there", fault, t),
                 model_.equations->source);
  if (report.kind == StepReport::Kind::off_constraints && report.row >= 0) {
    const DaeEquation& e =
        reduction().dae.equations[static_cast<std::size_t>(flow_.constraints().invariant(report.row).equation)];
    return ended(
        Outcome::Kind::singular, e.label,
        fmt::format("cannot be satisfied beyond t = {:.6g}, it stays violated by {:.3g}; the position is singular "
                    "or the step is too long",
                    t, report.residual),
        e.source);
  }
  if (!report.ok())
    return ended(Outcome::Kind::step_too_small, method_.name,
                 fmt::format("the implicit equations of a step of {:.3g} s cannot be solved after t = {:.6g}; {}", h, t,
                             loop_->settings().step ? "take shorter steps" : "the solution is not smooth there"));
  int worst = 0;
  for (int i = 1; i < size; ++i)
    if (std::abs(y[i] - state()[i]) > std::abs(y[worst] - state()[worst])) worst = i;
  return ended(Outcome::Kind::step_too_small, name(worst),
               fmt::format("the error stays above the tolerance {:g} even for steps of {:.2g} s; the solution is not "
                           "smooth there",
                           loop_->settings().tolerance, h));
}

std::vector<std::string> EquationSimulation::messages() const {
  std::vector<std::string> lines, completed, moved;
  if (outcome() && outcome()->kind == Outcome::Kind::inconsistent_start) return lines;
  for (const StartValue& v : start_.values) {
    if (v.origin == StartValue::Origin::completed) completed.push_back(fmt::format("{} = {:.10g}", v.name, v.value));
    if (v.origin == StartValue::Origin::moved)
      moved.push_back(fmt::format("{} from {:.10g} to {:.10g}", v.name, v.given, v.value));
  }
  if (!completed.empty())
    lines.push_back(fmt::format("start: completed from the constraints: {}", fmt::join(completed, ", ")));
  if (!moved.empty()) lines.push_back(fmt::format("start: moved onto the constraints: {}", fmt::join(moved, ", ")));
  return lines;
}

std::string irregular_start(const ConsistentStart& start) {
  const std::string where = start.irregular.empty() ? "" : ": " + start.irregular;
  if (start.is_singular_everywhere)
    return fmt::format(
        "the structure misleads{}. The system Jacobian is singular at the start and at every other place tried: terms "
        "that "
        "the signature counts cancel each other. Combine these equations so that one of them holds fewer derivatives",
        where);
  return fmt::format(
      "the system Jacobian is singular at the start{}. There the equations do not determine their highest "
      "derivatives; start elsewhere",
      where);
}

}  // namespace plumb
