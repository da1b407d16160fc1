// Andrews' squeezer from its seven-coordinate equations: positions and multipliers at 0.03 s, and the whole path.
#include <array>
#include <cmath>
#include <fstream>
#include <sstream>

#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"

namespace plumb {

void measure_andrews_equations(CaseRun& run) {
  const Result r = simulate(run.model("model.toml"));
  if (!r.outcome.is_success()) throw std::runtime_error(r.outcome.describe());
  const std::array<std::string, 7> angles = {"beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"};
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
}

}  // namespace plumb
