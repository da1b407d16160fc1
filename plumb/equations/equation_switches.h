// What switches in a model given as equations. A constraint that jumps cannot be followed.
#pragma once

#include <functional>
#include <vector>

#include "plumb/equations/flow.h"
#include "plumb/simulation/switch_driver.h"

namespace plumb {

class EquationSwitches final : public SwitchSource {
 public:
  // `flow` is copied; `switched` is told of every switch, with the new modes held.
  EquationSwitches(const Flow& flow, const std::vector<double>& modes,
                   std::function<void(double t, const double* y)> switched);

  int switches() const override { return static_cast<int>(flow_.reduction().switches.size()); }
  std::vector<SwitchTiming> scan(TimeScan& scan) override;
  void live_modes(double t, const double* y, double* modes) override { flow_.live_modes(t, y, modes); }
  void indicators(double t, const double* y, const double* modes, double* z) override {
    flow_.indicators(t, y, modes, z);
  }
  void change_mode(double t, const double* y, int passed, double* modes) override;
  Interruption::Change follow(double t, double* y) override;
  std::string describe(int number) const override;
  std::string remedy() const override {
    return "Smooth the switch, e.g. tanh(x/0.001) for sign(x), with radau5; or write what holds while it slides";
  }
  Source source(int number) const override;

  Flow& flow() { return flow_; }

 private:
  const DaeEquation& equation_of(int number) const;

  Flow flow_;
  const std::vector<double>& modes_;
  std::function<void(double, const double*)> switched_;
  std::vector<double> z_;
};

}  // namespace plumb
