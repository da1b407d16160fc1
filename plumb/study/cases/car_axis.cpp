// The car axis: index 3, driven by the road.
#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"

namespace plumb {

void measure_car_axis(CaseRun& run) {
  const Result r = simulate(run.model("model.toml"));
  if (!r.outcome.is_success()) throw std::runtime_error(r.outcome.describe());
  for (const std::string name : {"xl", "yl", "xr", "yr"}) {
    run.report(name, r.trajectory.last(name));
    run.report(name + "_rate", r.trajectory.last(name + "'"));
  }
  run.report("lambda1", r.trajectory.last("lambda1"));
  run.report("lambda2", r.trajectory.last("lambda2"));
  run.report("violation", r.audit.violation[0]);
}

}  // namespace plumb
