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

// x at 2, 5 and 8 s as case.toml has it from the source.
FigureCurve published_points(CaseRun& run) {
  FigureCurve c{"published", {}, {}, FigureCurve::Style::points};
  for (const ValidatedQuantity& q : run.result().quantities)
    if (q.published && q.id.size() == 2 && q.id[0] == 'x') c.x.push_back(q.id[1] - '0'), c.y.push_back(*q.published);
  return c;
}

}  // namespace

void measure_sliding_block(CaseRun& run) {
  Model model = run.model("model.toml");
  const Result r = simulate(model);
  const auto x = r.trajectory["block.x"];
  if (run.shown()) {
    Model fine = model;
    fine.simulation.output_every = 0.01;
    const Result shown = simulate(fine);
    run.animate("Pushed to and fro", fine, shown);
    run.figure({.title = "Place of the block",
                .caption = "It sticks, slips and sticks again; the points are published for h = 0.001.",
                .x = {.label = "t (s)"},
                .y = {.label = "x (m)"},
                .curves = {{"Plumb", shown.trajectory["t"], shown.trajectory["block.x"]}, published_points(run)}});
  }
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
