// The heavy top: its nutation between two heights has a closed form; the order of rattle with a fast spin.
#include <algorithm>
#include <cmath>

#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

Vec3 end_with_rattle(Model model, double step) {
  model.events.clear();
  model.simulation.method = "rattle";
  model.simulation.tolerance.reset();
  model.simulation.step = step;
  model.simulation.duration = 0.25;
  return simulate(model).final[0].position;
}

}  // namespace

void measure_heavy_top(CaseRun& run) {
  const Model model = run.model("model.toml");
  const Result r = simulate(model);
  if (!r.outcome.is_success()) throw std::runtime_error(r.outcome.describe());
  run.animate("Nutation", model, r);
  const auto column = std::ranges::find(r.trajectory.columns(), "top.z") - r.trajectory.columns().begin();
  double lowest = 1;
  for (const EventRecord& e : r.events) lowest = std::min(lowest, e.row[static_cast<std::size_t>(column)]);
  run.report("lowest", lowest);
  // Turning points come in turn: low, high, low, …
  if (r.events.size() < 11) throw std::runtime_error("the top should nutate several times");
  run.report("period", (r.events[10].time - r.events[0].time) / 5);
  run.report("drift", r.audit.max_drift);
  const std::vector<double> L = r.trajectory["angular_momentum.z"];
  const auto [least, most] = std::ranges::minmax_element(L);
  run.report("momentum", *most - *least);
  Model fine = model;
  fine.events.clear();
  fine.simulation.duration = 0.25;
  const Vec3 exact = simulate(fine).final[0].position;
  const double one = (end_with_rattle(model, 1e-4) - exact).norm(), two = (end_with_rattle(model, 5e-5) - exact).norm();
  run.report("order", std::log2(one / two));
}

}  // namespace plumb
