#include "plumb/equations/equation_simulation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>

#include "plumb/expression/nearest_name.h"
#include "plumb/integrator/make_runge_kutta.h"
#include "plumb/model/parameters.h"

namespace plumb {

EquationMethod find_equation_method(const SimulationSettings& s) {
  std::vector<std::string> known;
  for (const FormInfo& f : forms())
    for (const Tableau& t : tableaux()) {
      const std::string name = fmt::format("{}/{}", f.name, t.name);
      known.push_back(name);
      const bool alias = f.form == Form::index0 && s.method == "baumgarte/" + t.name;
      if (s.method != name && !alias && !(f.form == Form::projected && s.method == t.name)) continue;
      EquationMethod m;
      m.form = f.form;
      m.tableau = &t;
      const bool asked = s.omega || s.omega_auto;
      m.is_stabilised = f.form == Form::index0 || (f.form == Form::index1 && asked);
      if (s.alpha)
        throw InputError(
            s.source, "simulation",
            "alpha and beta belong to mechanisms; equations are damped as (d/dt + omega)^n g = 0, give omega");
      m.name = alias ? s.method : name;
      m.description = f.description;
      return m;
    }
  throw InputError(
      s.source, "method",
      fmt::format("unknown method '{}' for equations{} (forms: index0, index1, projected, ggl; integrators as "
                  "`plumb methods` lists them)",
                  s.method, did_you_mean(s.method, known)));
}

double choose_omega(const EquationMethod& m, const SimulationSettings& s) {
  if (!m.is_stabilised) return 0;
  if (s.omega) return *s.omega;
  // Without a fixed step: such that steps of a two-hundredth of the run are well inside the limit.
  return stable_omega(*m.tableau, s.step.value_or(s.duration.value_or(1) / 200));
}

// ---- what can be read off the state

namespace {

class WatchNames : public Names {
 public:
  WatchNames(const Model& model, const std::vector<Channel>& channels) : model_(model), channels_(channels) {}
  std::optional<Meaning> find(std::string_view name) const override {
    if (name == "t") return Meaning{std::nullopt, time_slot};
    if (const auto p = model_.parameters.find(std::string(name)); p != model_.parameters.end())
      return Meaning{p->second};
    for (const Channel& c : channels_)
      if (c.kind == Channel::Kind::quantity && c.name == name) return Meaning{std::nullopt, c.index + 1};
    return std::nullopt;
  }
  std::vector<std::string> all() const override {
    std::vector<std::string> names;
    for (const Channel& c : channels_) names.push_back(c.name);
    for (const auto& [name, value] : model_.parameters) names.push_back(name);
    return names;
  }

 private:
  const Model& model_;
  const std::vector<Channel>& channels_;
};

}  // namespace

EquationGauge::EquationGauge(const Model& model, const Flow& flow)
    : model_(model),
      flow_(flow),
      states_(flow.size()),
      tops_(static_cast<int>(flow.reduction().tops.size())),
      rate_(static_cast<std::size_t>(states_)) {
  const Reduction& r = flow.reduction();
  channels_.push_back({Channel::Kind::time, 0, 0, "t"});
  int index = 0;
  const auto add = [&](const std::string& name) { channels_.push_back({Channel::Kind::quantity, index++, 0, name}); };
  for (const StateVariable& s : r.states) add(r.dae.symbols.name(s.place));
  for (const Symbols::Place& p : r.tops) add(r.dae.symbols.name(p));
  slots_.resize(static_cast<std::size_t>(1 + index));
  for (const WatchedQuantity& w : model.equations->watch) {
    watches_.push_back(
        parse_expression(w.expression, WatchNames(model, channels_), w.source, fmt::format("watch '{}'", w.name)));
    if (find(w.name))
      throw InputError(w.source, fmt::format("watch '{}'", w.name), "is the name of an unknown already");
    if (w.name == "energy") energy_ = index;
    add(w.name);
    watched_.push_back(channels_.back());
  }
  for (int level = 0; level < 3; ++level)
    channels_.push_back({Channel::Kind::violation, 0, level,
                         level == 0   ? "violation.position"
                         : level == 1 ? "violation.velocity"
                                      : "violation.acceleration"});

  TapeBuilder builder;
  declare(r, flow.omega(), builder);
  for (const GiNaC::ex& s : r.top_symbols) builder.input(s);
  for (std::size_t k = 0; k < r.rest.size(); ++k) {
    const bool is_algebraic = model.equations->equations[static_cast<std::size_t>(r.rest[k])].is_algebraic;
    if (!is_algebraic && r.levels[k].size() < 2) continue;  // an implicit differential equation, solved as it is
    for (std::size_t order = 0; order < r.levels[k].size() && order < 3; ++order) {
      builder.output(r.levels[k][order]);
      level_orders_.push_back(static_cast<int>(order));
    }
  }
  levels_ = std::make_unique<Tape>(builder.finish());
}

std::optional<Channel> EquationGauge::find(std::string_view name) const {
  for (const Channel& c : channels_)
    if (c.name == name) return c;
  return std::nullopt;
}

void EquationGauge::look_at(double t, const double* y) {
  t_ = t;
  y_ = y;
  has_rates_ = has_levels_ = has_slots_ = false;
}

void EquationGauge::need_rates() {
  if (has_rates_) return;
  flow_.evaluate(t_, y_, rate_.data());
  has_rates_ = true;
}

double EquationGauge::quantity(int index) {
  if (index < states_) return y_[index];
  need_rates();
  if (index < states_ + tops_) return flow_.top(index - states_);
  if (!has_slots_) {
    slots_[time_slot] = t_;
    for (int i = 0; i < states_ + tops_; ++i)
      slots_[static_cast<std::size_t>(i + 1)] = i < states_ ? y_[i] : flow_.top(i - states_);
    has_slots_ = true;
  }
  return watches_[static_cast<std::size_t>(index - states_ - tops_)].evaluate(slots_.data());
}

double EquationGauge::violation(int level) {
  if (!has_levels_) {
    need_rates();
    double* const in = levels_->inputs();
    in[0] = t_;
    for (int i = 0; i < states_; ++i) in[1 + i] = y_[i];
    for (int i = 0; i < tops_; ++i) in[1 + states_ + i] = flow_.top(i);
    levels_->run();
    has_levels_ = true;
  }
  double square = 0;
  for (std::size_t i = 0; i < level_orders_.size(); ++i)
    if (level_orders_[i] == level) square += levels_->output(i) * levels_->output(i);
  return std::sqrt(square);
}

double EquationGauge::value(const Channel& c) {
  switch (c.kind) {
    case Channel::Kind::time: return t_;
    case Channel::Kind::violation: return violation(c.component);
    default: return quantity(c.index);
  }
}

// ---- the run

EquationSimulation::EquationSimulation(const Model& model)
    : EquationSimulation(model, find_equation_method(model.simulation),
                         choose_omega(find_equation_method(model.simulation), model.simulation)) {}

EquationSimulation::EquationSimulation(const Model& model, const EquationMethod& method, double omega)
    : EquationSimulation(model, method, omega, reduce(model, method.form, method.is_stabilised)) {}

EquationSimulation::EquationSimulation(const Model& model, const EquationMethod& method, double omega,
                                       const Reduction& reduction)
    : model_(model), method_(method), omega_(omega), flow_(reduction, omega) {
  const LoopSettings settings(model.simulation, method.name, method.tableau->is_adaptive());
  if (method.is_stabilised)
    if (const std::string note = stability_note(method.tableau, settings.step, omega); !note.empty())
      warnings_.push_back(note);
  start_ = find_start(model_, flow_);
  // Copies made here begin their search for nonlinear unknowns where the start found them.
  gauge_ = std::make_unique<EquationGauge>(model_, flow_);
  std::unique_ptr<Integrator> probe;
  if (!model.events.empty()) {
    probe_flow_ = std::make_unique<Flow>(flow_);
    probe = make_runge_kutta(*method.tableau, *probe_flow_);
  }
  loop_ = std::make_unique<Loop>(settings, method.tableau->control, make_runge_kutta(*method.tableau, flow_),
                                 std::move(probe), flow_.size(), static_cast<Subject&>(*this));
  loop_->set_events(model_.events, *gauge_);
  const bool taken = start_.consistent || (start_.has_nearest && model.simulation.fix_start);
  if (!taken || !start_.is_regular) {
    loop_->integrator().begin(0, start_.y.data());
    loop_->end({Outcome::Kind::inconsistent_start, 0, taken ? "equations" : start_.equation,
                taken ? irregular_start(start_) : start_.describe(), taken ? model.equations->source : start_.source});
    return;
  }
  // Damping known to be unstable: what has grown by the inverse of rounding has lost every digit of the start.
  if (!warnings_.empty()) {
    double largest = 1;
    for (double x : start_.y) largest = std::max(largest, std::abs(x));
    flow_.set_bound(largest / std::numeric_limits<double>::epsilon());
  }
  loop_->begin(start_.y.data());
}

Outcome EquationSimulation::explain(const StepReport& report, double h) {
  const Symbols& symbols = reduction().dae.symbols;
  const double* const y = loop_->attempted();
  const double t = loop_->time();
  const int size = flow_.size();
  const auto name = [&](int i) {
    return fmt::format("'{}'", symbols.name(reduction().states[static_cast<std::size_t>(i)].place));
  };
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
  if (const std::string fault = flow_.fault(); !fault.empty())
    return ended(Outcome::Kind::singular, "equations",
                 fmt::format("{} beyond t = {:.6g}: the system Jacobian is singular there", fault, t),
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
