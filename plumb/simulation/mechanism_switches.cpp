#include "plumb/simulation/mechanism_switches.h"

#include <fmt/format.h>

#include <cmath>

namespace plumb {

MechanismSwitches::MechanismSwitches(Evaluation& evaluation, const std::vector<double>& modes)
    : system_(evaluation.dynamics.system()),
      dynamics_(evaluation.dynamics),
      projection_(dynamics_),
      rows_(system_.rows) {
  dynamics_.hold_switches(modes.data());
  system_.for_each_expression([&](const Expression& e, System::Slots slots, const std::string&, const Source&) {
    drives_switch_ = drives_switch_ || (slots != System::Slots::motion && e.switches() > 0);
  });
}

std::vector<SwitchTiming> MechanismSwitches::scan(TimeScan& scan) {
  std::vector<SwitchTiming> all;
  system_.for_each_expression([&](const Expression& e, System::Slots, const std::string&, const Source&) {
    const std::vector<SwitchTiming> of_this = scan.add(e);
    all.insert(all.end(), of_this.begin(), of_this.end());
  });
  return all;
}

Interruption::Change MechanismSwitches::follow(double t, double* y) {
  if (!drives_switch_ || system_.rows == 0) return {};
  dynamics_.place(t, y);
  dynamics_.residual(rows_.data());
  for (int r = 0; r < system_.rows; ++r) {
    if (!(std::abs(rows_[r]) > 1e-7)) continue;
    const SystemJoint& j = system_.joints[system_.joint_of_row(r)];
    return {false, Outcome{Outcome::Kind::singular, t, fmt::format("joint '{}'", j.name),
                           fmt::format("what drives it jumps by {:.3g} in an instant; no body can follow that. Let it "
                                       "change over a time",
                                       std::abs(rows_[r])),
                           j.source}};
  }
  const double before = dynamics_.energy(y).total();
  dynamics_.place(t, y);
  dynamics_.linearise();
  dynamics_.factor();
  projection_.project_velocity(y);
  const double change = dynamics_.energy(y).total() - before;
  if (change == 0) return {};
  y[system_.nq + system_.nv] += change;
  return {true, {}};
}

std::string MechanismSwitches::describe(int number) const {
  std::string found;
  int next = 0;
  system_.for_each_expression([&](const Expression& e, System::Slots, const std::string& label, const Source&) {
    if (number >= next && number < next + e.switches()) found = label;
    next += e.switches();
  });
  return found;
}

Source MechanismSwitches::source(int number) const {
  Source found;
  int next = 0;
  system_.for_each_expression([&](const Expression& e, System::Slots, const std::string&, const Source& at) {
    if (number >= next && number < next + e.switches()) found = at;
    next += e.switches();
  });
  return found;
}

}  // namespace plumb
