// What can be read off the state of a model given as equations.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plumb/equations/flow.h"
#include "plumb/expression/expression.h"
#include "plumb/observe/gauge.h"

namespace plumb {

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

  Flow& flow() { return flow_; }
  void hold_switches(const double* modes) { levels_->hold(modes); }

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

}  // namespace plumb
