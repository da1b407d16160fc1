// The pinned bar: angular speed as it passes the vertical; located, and sampled at the first step past it.
#include <cmath>

#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

struct Passage {
  double omega, time;
};

Passage passage(const Result& r) {
  if (r.outcome.kind != Outcome::Kind::stopped_by_event)
    throw std::runtime_error("the bar did not pass the vertical: " + r.outcome.describe());
  return {r.final[0].angular_velocity->norm(), r.outcome.time};
}

}  // namespace

void measure_pinned_bar(CaseRun& run) {
  for (const std::string shape : {"prism", "slender"}) {
    Model model = run.model(shape + ".toml");
    const Result r = simulate(model);
    const Passage exact = passage(r);
    run.animate(shape == "prism" ? "Prism" : "Slender bar", model, r);
    if (run.shown() && shape == "prism")
      run.figure({.title = "Angular speed of the prism",
                  .x = {.label = "t (s)"},
                  .y = {.label = "ω (rad/s)"},
                  .curves = {{"bar.wy", r.trajectory["t"], r.trajectory[model.bodies[0].name + ".wy"]}}});
    run.report(shape + "_omega", exact.omega);
    run.report(shape + "_time", exact.time);
    if (shape == "slender") continue;
    // As the page does it: a fixed step, stopped at the first step with theta <= 0.
    model.events[0].locate = false;
    model.simulation.method = "projected/rk4";
    model.simulation.tolerance.reset();
    model.simulation.step = std::ldexp(1.0, -8);
    run.report("prism_sampled_256", passage(simulate(model)).omega);
    model.simulation.step = 0.001;
    run.report("prism_sampled_1000", passage(simulate(model)).omega);
  }
}

}  // namespace plumb
