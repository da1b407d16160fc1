// Blocks on four corners, pushed and on an incline: stick, slip and the limit between them.
#include <cmath>

#include "plumb/model/reader.h"
#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

double moved(const Model& model) {
  const Result r = simulate(model);
  if (!r.outcome.is_success()) throw std::runtime_error(r.outcome.describe());
  return (r.final[0].position - model.bodies[0].position).norm();
}

}  // namespace

void measure_sliding_block(CaseRun& run) {
  Model model = run.model("model.toml");
  const Result r = simulate(model);
  const auto x = r.trajectory["block.x"];
  run.report("x2", x[2]);
  run.report("x5", x[5]);
  run.report("x8", x[8]);

  Model incline = run.model("incline.toml");
  const double slope = incline.parameters.at("slope"), g = -incline.gravity.z(), limit = std::tan(slope);
  incline.contacts[0].friction = 0.99 * limit;
  run.report("below", moved(incline) - 0.5 * g * (std::sin(slope) - 0.99 * limit * std::cos(slope)) * 4);
  incline.contacts[0].friction = 1.01 * limit;
  run.report("above", moved(incline));

  model.forces[0].force = Point{0.95 * 0.8 * g * 0.8, 0.95 * 0.8 * g * 0.6, 0.0};
  run.report("still", moved(model));
}

}  // namespace plumb
