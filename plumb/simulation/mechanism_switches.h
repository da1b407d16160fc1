// The switching inputs of a mechanism: forces, motors, drives. A drive whose speed jumps takes the bodies along at
// once, with the work that takes; one whose place jumps cannot be followed.
#pragma once

#include "plumb/simulation/evaluation.h"
#include "plumb/simulation/switch_driver.h"

namespace plumb {

class MechanismSwitches final : public SwitchSource {
 public:
  // `evaluation` belongs to it alone, with `modes` held.
  MechanismSwitches(Evaluation& evaluation, const std::vector<double>& modes);

  int switches() const override { return system_.switches(); }
  std::vector<SwitchTiming> scan(TimeScan& scan) override;
  void live_modes(double t, const double* y, double* modes) override { dynamics_.live_modes(t, y, modes); }
  void indicators(double t, const double* y, const double* modes, double* z) override {
    dynamics_.indicators(t, y, modes, z);
  }
  void change_mode(double t, const double* y, int passed, double* modes) override {
    dynamics_.change_mode(t, y, passed, modes);
  }
  Interruption::Change follow(double t, double* y) override;
  std::string describe(int number) const override;
  std::string remedy() const override {
    return "Friction is better given as a contact or as joint-friction, which stick; or smooth the switch, e.g. "
           "tanh(x/0.001) for sign(x)";
  }
  Source source(int number) const override;

 private:
  const System& system_;
  Dynamics& dynamics_;
  Projection projection_;
  std::vector<double> rows_;
  bool drives_switch_ = false;
};

}  // namespace plumb
