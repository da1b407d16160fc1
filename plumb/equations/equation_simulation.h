// The run of a model given as equations: method and form, start, the loop, and what can be read off its state.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plumb/equations/consistent_start.h"
#include "plumb/equations/flow.h"
#include "plumb/integrator/tableau.h"
#include "plumb/simulation/run.h"

namespace plumb {

// form/integrator, as `method` in the model says. An integrator alone means projected; baumgarte means index0.
struct EquationMethod {
  Form form = Form::projected;
  const Tableau* tableau = nullptr;
  bool is_stabilised = false;
  std::string name, description;
};
// Throws InputError with the nearest name.
EquationMethod find_equation_method(const SimulationSettings& settings);

// The damping omega of a model: as given, or chosen from the step.
double choose_omega(const EquationMethod& method, const SimulationSettings& settings);

// Why a start at which the system cannot be solved is refused.
std::string irregular_start(const ConsistentStart& start);

class EquationGauge final : public Gauge {
 public:
  EquationGauge(const Model& model, const Flow& flow);

  void look_at(double t, const double* y) override;
  double value(const Channel& channel) override;
  bool has_energy() const override { return energy_ >= 0; }
  bool accounts_for_energy() const override { return false; }
  Energy energy() override { return {energy_ < 0 ? 0 : quantity(energy_), 0, 0, 0}; }
  double violation(int level) override;
  std::vector<Channel> channels() const override { return channels_; }
  std::optional<Channel> find(std::string_view name) const override;
  const std::map<std::string, double>& parameters() const override { return model_.parameters; }
  std::vector<Channel> watched() const override { return watched_; }

 private:
  double quantity(int index);  // states, tops, then what is watched
  void need_rates();

  const Model& model_;
  Flow flow_;  // its own: looking must not disturb the run
  int states_, tops_;
  std::vector<Channel> channels_, watched_;
  std::vector<Expression> watches_;
  std::vector<double> slots_, rate_;
  std::unique_ptr<Tape> levels_;  // residuals of all levels, as functions of t, states and tops
  std::vector<int> level_orders_;
  int energy_ = -1;  // of what is watched
  double t_ = 0;
  const double* y_ = nullptr;
  bool has_rates_ = false, has_levels_ = false, has_slots_ = false;
};

class EquationSimulation final : public Run, private Subject {
 public:
  explicit EquationSimulation(const Model& model);

  Loop& loop() override { return *loop_; }
  const Loop& loop() const override { return *loop_; }
  Gauge& gauge() override { return *gauge_; }
  MethodInfo method() const override { return {method_.name, method_.tableau->order}; }
  long evaluations() const override { return flow_.evaluations() + (probe_flow_ ? probe_flow_->evaluations() : 0); }
  const std::vector<std::string>& warnings() const override { return warnings_; }

  const ConsistentStart& start() const { return start_; }
  const Reduction& reduction() const { return flow_.reduction(); }
  Flow& flow() { return flow_; }
  double omega() const { return omega_; }
  std::vector<std::string> messages() const;  // about the start

 private:
  EquationSimulation(const Model& model, const EquationMethod& method, double omega);
  EquationSimulation(const Model& model, const EquationMethod& method, double omega, const Reduction& reduction);

  bool settle(double t, double* y) override { return flow_.settle(t, y).ok(); }
  Outcome explain(const StepReport& report, double h) override;

  Model model_;
  EquationMethod method_;
  double omega_;
  Flow flow_;
  std::unique_ptr<Flow> probe_flow_;
  std::unique_ptr<EquationGauge> gauge_;
  std::vector<std::string> warnings_;
  std::unique_ptr<Loop> loop_;
  ConsistentStart start_;
};

}  // namespace plumb
