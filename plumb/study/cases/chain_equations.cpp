// A chain of ten pendulums as a mechanism, and as the equations written from it: the same motion.
#include <cmath>

#include "plumb/equations/from_mechanism.h"
#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"

namespace plumb {

void measure_chain_equations(CaseRun& run) {
  const Model mechanism = run.model("model.toml");
  const Result a = simulate(mechanism), b = simulate(equations_of_mechanism(mechanism));
  if (!b.outcome.is_success()) throw std::runtime_error(b.outcome.describe());
  double worst = 0;
  for (const Body& body : mechanism.bodies)
    for (const char axis : {'x', 'z'}) {
      const std::vector<double> p = a.trajectory[body.name + "." + axis], q = b.trajectory[body.name + "_" + axis];
      for (std::size_t i = 0; i < p.size(); ++i) worst = std::max(worst, std::abs(p[i] - q.at(i)));
    }
  run.report("difference", worst);
  run.report("energy", b.audit.max_drift);
  run.report("violation", b.audit.violation[0]);
}

}  // namespace plumb
