// Kapitza's pendulum: with a fast pivot it swings about the upright, at the frequency Floquet's theory gives; with a
// slow one it falls.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "plumb/model/reader.h"
#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

// Angle from the upright at the samples; the pivot is at height a cos(2 pi f t).
std::vector<double> angles(const Model& model, const Result& r) {
  const double a = model.parameters.at("a"), f = model.parameters.at("f");
  const std::vector<double> t = r.trajectory["t"], x = r.trajectory["bob.x"], z = r.trajectory["bob.z"];
  std::vector<double> angle;
  for (std::size_t i = 0; i < t.size(); ++i)
    angle.push_back(std::atan2(x[i], z[i] - a * std::cos(2 * std::numbers::pi * f * t[i])));
  return angle;
}

double largest(const std::vector<double>& angle) {
  double most = 0;
  for (double x : angle) most = std::max(most, std::abs(x));
  return most;
}

}  // namespace

void measure_kapitza(CaseRun& run) {
  const std::string file = run.file("model.toml").string();
  const Model fast = read_model(file);
  const Result r = simulate(fast);
  if (!r.outcome.is_success()) throw std::runtime_error(r.outcome.describe());
  run.animate("Standing on a shaken pivot", fast, r);
  run.report("largest", largest(angles(fast, r)));
  run.report("drift", r.audit.max_drift);
  run.report("violation", r.audit.violation[0]);
  Model slow = read_model(file, {{"f", "15"}});
  slow.simulation.duration = 5;
  run.report("falls", largest(angles(slow, simulate(slow))) > std::numbers::pi / 2);
  // Seen once per turn of the shaking a small swing is c_{n+1} + c_{n-1} = 2 cos(2 pi frequency/f) c_n; least squares.
  Model small = read_model(file, {{"start", "1e-5"}});
  small.simulation.duration = 10;
  small.simulation.tolerance = 1e-13;
  const std::vector<double> c = angles(small, simulate(small));
  double above = 0, below = 0;
  for (std::size_t i = 1; i + 1 < c.size(); ++i) above += c[i] * (c[i + 1] + c[i - 1]), below += c[i] * c[i];
  run.report("frequency", std::acos(above / below / 2) / (2 * std::numbers::pi) * small.parameters.at("f"));
}

}  // namespace plumb
