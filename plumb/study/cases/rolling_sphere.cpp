// A sphere that slips until it rolls, and one that rolls down an incline.
#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"

namespace plumb {

void measure_rolling_sphere(CaseRun& run) {
  const Result floor = simulate(run.model("floor.toml"));
  run.report("speed", floor.final[0].velocity.x());
  run.report("place", floor.final[0].position.x());
  run.report("lost", floor.audit.final.dissipated);
  const Model incline = run.model("incline.toml");
  const Result down = simulate(incline);
  run.report("incline", (down.final[0].position - incline.bodies[0].position).norm());
}

}  // namespace plumb
