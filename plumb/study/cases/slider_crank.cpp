// The spatial slider-crank of the IFToMM library: revolute, spherical, universal and prismatic joint in one loop.
#include "plumb/study/diagnosis.h"
#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"

namespace plumb {

void measure_slider_crank(CaseRun& run) {
  const Model model = run.model("model.toml");
  const Result r = simulate(model);
  if (!r.outcome.is_success()) throw std::runtime_error(r.outcome.describe());
  run.animate("Five seconds", model, r);
  run.report("theta_1", r.trajectory["shaft.angle"].at(100));
  run.report("s_1", r.trajectory["slider.x"].at(100));
  run.report("speed", r.trajectory["slider.vx"].front());
  run.report("drift", r.audit.max_drift);
  run.report("violation", r.audit.violation[0]);
  run.report("freedom", diagnose(model).degrees_of_freedom);
}

}  // namespace plumb
