// A ball that bounces infinitely often in finite time and then rests.
#include <algorithm>
#include <cmath>

#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"

namespace plumb {

void measure_bouncing_ball(CaseRun& run) {
  const Model model = run.model("model.toml");
  const Result r = simulate(model);
  const double e = model.parameters.at("e"), fall = std::sqrt(2 * model.parameters.at("H") / -model.gravity.z());
  double worst = 0, time = fall, flight = 2 * e * fall, end = std::nan("");
  for (std::size_t i = 0; i < r.impacts.size(); ++i) {
    if (i < 10) worst = std::max(worst, std::abs(r.impacts[i].impact.time - time));
    time += flight;
    flight *= e;
    if (r.impacts[i].impact.at_rest_from >= 0) end = r.impacts[i].impact.at_rest_from;
  }
  run.animate("Ever smaller bounces", model, r);
  if (run.shown())
    run.figure({.title = "Height of the ball",
                .x = {.label = "t (s)"},
                .y = {.label = "z (m)"},
                .curves = {{"z", r.trajectory["t"], r.trajectory[model.bodies[0].name + ".z"]}}});
  run.report("times", r.impacts.size() >= 10 ? worst : std::nan(""));
  run.report("accumulation", end);
  run.report("force", r.trajectory.last("floor.fz"));
  run.report("height", r.final[0].position.z());
  run.report("energy", r.audit.max_drift);
}

}  // namespace plumb
