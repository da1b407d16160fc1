// A sphere that slips until it rolls, and one that rolls down an incline.
#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"

namespace plumb {

void measure_rolling_sphere(CaseRun& run) {
  const Model flat = run.model("floor.toml");
  const Result floor = simulate(flat);
  run.animate("Slipping, then rolling", flat, floor);
  run.report("speed", floor.final[0].velocity.x());
  run.report("place", floor.final[0].position.x());
  run.report("lost", floor.audit.final.dissipated);
  const Model incline = run.model("incline.toml");
  const Result down = simulate(incline);
  run.animate("Down an incline", incline, down);
  run.report("incline", (down.final[0].position - incline.bodies[0].position).norm());
}

}  // namespace plumb
