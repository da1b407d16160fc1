// IFToMM A03: Andrews' squeezing mechanism, seven bodies on ten revolute joints.
#include "plumb/study/diagnosis.h"
#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"

namespace plumb {

void measure_iftomm_a03(CaseRun& run) {
  const Model model = run.model("model.toml");
  const Result r = simulate(model);
  if (!r.outcome.is_success()) throw std::runtime_error(r.outcome.describe());
  run.animate("Thirty milliseconds", model, r);
  // Joint angles are measured from the start.
  for (const auto& [joint, angle] :
       {std::pair("O", "beta"), std::pair("F", "Theta"), std::pair("B", "gamma"), std::pair("G", "Phi"),
        std::pair("A5", "delta"), std::pair("H", "Omega"), std::pair("A7", "epsilon")})
    run.report(angle, model.parameters.at(angle) + r.trajectory[std::string(joint) + ".angle"].back());
  run.report("drift", r.audit.max_drift);
  run.report("violation", r.audit.violation[0]);
  const Diagnosis d = diagnose(model);
  run.report("redundant", d.constraints - d.rank);
}

}  // namespace plumb
