// A slider-crank running free: its energy is constant, so that the time of a revolution is an integral over the crank
// angle alone, T = ∮ sqrt(I(phi)/(2 E)) dphi, which the trapezoidal rule gives to rounding.
#include <cmath>
#include <numbers>

#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

// Moment of inertia of the whole as the crank feels it.
double inertia(const std::map<std::string, double>& p, double phi) {
  const double l1 = p.at("l1"), l2 = p.at("l2");
  const double s2 = -l1 / l2 * std::sin(phi), c2 = std::sqrt(1 - s2 * s2);
  const double turn = -l1 * std::cos(phi) / (l2 * c2);  // of the coupler, per turn of the crank
  const double vx = -l1 * std::sin(phi) - l2 / 2 * s2 * turn, vy = l1 * std::cos(phi) + l2 / 2 * c2 * turn;
  const double slide = -l1 * std::sin(phi) - l2 * s2 * turn;
  return p.at("j1") + p.at("m2") * (vx * vx + vy * vy) + p.at("j2") * turn * turn + p.at("m3") * slide * slide;
}

}  // namespace

void measure_slider_crank_equations(CaseRun& run) {
  const Model model = run.model("model.toml");
  const Result r = simulate(model);
  if (r.events.empty()) throw std::runtime_error("the crank did not turn: " + r.outcome.describe());
  constexpr int n = 4096;
  double rate = 0, period = 0;
  for (const InitialValue& v : model.equations->initial)
    if (v.name == "phi1'") rate = v.value;
  const double twice_energy = inertia(model.parameters, 0) * rate * rate;
  for (int i = 0; i < n; ++i)
    period +=
        2 * std::numbers::pi / n * std::sqrt(inertia(model.parameters, 2 * std::numbers::pi * i / n) / twice_energy);
  run.report("period", r.events[0].time / period);
  run.report("energy", r.audit.max_drift);
  run.report("violation", r.audit.violation[0]);
}

}  // namespace plumb
