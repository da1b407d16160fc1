// Andrews' squeezer from its seven-coordinate equations: positions and multipliers at 0.03 s, and the whole path.
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <sstream>

#include "plumb/model/reader.h"
#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"

namespace plumb {

namespace {

const std::array<std::string, 7> angles = {"beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"};

// The largest difference of an angle, on the output grid, to the same as a mechanism of seven bodies (iftomm-a03).
double distance_from_mechanism(const CaseRun& run, const Model& equations, const Result& r) {
  Model bodies = read_model(run.file("../iftomm-a03/model.toml").string());
  bodies.simulation.output_every = equations.simulation.output_every;
  const Result m = simulate(bodies);
  // Its joints measure their angles from the start.
  const std::array<std::string, 7> joints = {"O", "F", "B", "G", "A5", "H", "A7"};
  double worst = m.trajectory.rows() == r.trajectory.rows() ? 0 : 1e9;
  for (std::size_t k = 0; k < angles.size() && worst < 1; ++k) {
    const std::vector<double> a = r.trajectory[angles[k]], b = m.trajectory[joints[k] + ".angle"];
    for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - a[0] - (b[i] - b[0])));
  }
  return worst;
}

}  // namespace

void measure_andrews_equations(CaseRun& run) {
  const Model model = run.model("model.toml");
  const Result r = simulate(model);
  if (!r.outcome.is_success()) throw std::runtime_error(r.outcome.describe());
  for (const std::string& name : angles) run.report(name, r.trajectory.last(name));
  for (int i = 1; i <= 6; ++i)
    run.report("lambda" + std::to_string(i), r.trajectory.last("lambda" + std::to_string(i)));
  run.report("violation", r.audit.violation[0]);

  // Rows of t and the seven angles.
  std::ifstream in(run.file("exact.txt"));
  double worst = 0;
  std::size_t row = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    double t = 0, q = 0;
    fields >> t;
    for (const std::string& name : angles) {
      fields >> q;
      worst = std::max(worst, std::abs(q - r.trajectory.row(row)[r.trajectory.column(name)]));
    }
    ++row;
  }
  if (row != r.trajectory.rows()) throw std::runtime_error("the table of exact values does not fit the output grid");
  run.report("path", worst);
  run.report("mechanism", distance_from_mechanism(run, model, r));
}

}  // namespace plumb
