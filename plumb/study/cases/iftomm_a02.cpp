// IFToMM A02: a row of parallelograms that is singular whenever all bars lie on one line. The wanted branch, on which
// the upright bars stay parallel, has one degree of freedom and a closed equation, from which the targets come.
#include <algorithm>
#include <cmath>

#include "plumb/study/cases/n_four_bar.h"
#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

Joint pin(const std::string& name, const std::string& from, const std::string& to, double x, double y) {
  return {.name = name, .type = "revolute", .from = from, .to = to, .point = Point{x, y, 0.0}, .axis = Vec3::UnitZ()};
}

// B0 from the bar that carries it: twice as far from the pin as its mass centre.
Vec3 end_of_first_bar(const Result& r) { return 2 * r.final[0].position; }

// How far the upright bars are from parallel, over all samples.
double off_parallel(const Result& r, int n) {
  const std::vector<double> x0 = r.trajectory["v0.x"], y0 = r.trajectory["v0.y"];
  double worst = 0;
  for (int i = 1; i <= n; ++i) {
    const std::string name = "v" + std::to_string(i);
    const std::vector<double> x = r.trajectory[name + ".x"], y = r.trajectory[name + ".y"];
    for (std::size_t k = 0; k < x.size(); ++k) worst = std::max(worst, 2 * std::hypot(x[k] - i - x0[k], y[k] - y0[k]));
  }
  return worst;
}

void measure(CaseRun& run, const Model& model, int n) {
  const Result r = simulate(model);
  if (!r.outcome.is_success()) throw std::runtime_error(r.outcome.describe());
  const std::string prefix = "n" + std::to_string(n);
  const std::string end = std::to_string(static_cast<int>(r.duration));
  run.report(prefix + "_x_" + end, end_of_first_bar(r).x());
  run.report(prefix + "_y_" + end, end_of_first_bar(r).y());
  run.report(prefix + "_drift", r.audit.max_drift);
  run.report(prefix + "_violation", r.audit.violation[0]);
  run.report(prefix + "_velocity", r.audit.violation[1]);
  run.report(prefix + "_branch", off_parallel(r, n));
  run.report(prefix + "_singular", static_cast<double>(r.singular_positions.size()));
  if (n != 2) return;
  run.animate("Two loops, ten singular positions", model, r);
  const std::vector<double> x = r.trajectory["v0.x"];
  run.report("n2_x_1", 2 * x.at(100));
  run.report("n2_x_4", 2 * x.at(400));
}

}  // namespace

Model n_four_bar(int n, double duration) {
  Model m;
  m.title = "N-four-bar mechanism, N = " + std::to_string(n);
  m.gravity = {0, -9.81, 0};
  const auto upright = [](int i) { return "v" + std::to_string(i); };
  const auto coupler = [](int i) { return "c" + std::to_string(i); };
  for (int i = 0; i <= n; ++i)
    m.add(Body{.name = upright(i),
               .mass = 1.0,
               .inertia = Inertia{{1.0 / 12, 1e-3, 1.0 / 12}, Vec3::Zero()},
               .position = {static_cast<double>(i), 0.5, 0}});
  m.bodies[0].angular_velocity = Vec3(0, 0, -1);
  for (int i = 1; i <= n; ++i)
    m.add(Body{.name = coupler(i),
               .mass = 1.0,
               .inertia = Inertia{{1e-3, 1.0 / 12, 1.0 / 12}, Vec3::Zero()},
               .position = {i - 0.5, 1, 0}});
  for (int i = 0; i <= n; ++i) m.add(pin("pin" + std::to_string(i), "ground", upright(i), i, 0));
  for (int i = 0; i <= n; ++i) {
    const std::string name = "B" + std::to_string(i);
    if (i > 0) m.add(pin(name + "l", upright(i), coupler(i), i, 1));
    if (i < n) m.add(pin(name + "r", upright(i), coupler(i + 1), i, 1));
  }
  m.simulation.duration = duration;
  m.simulation.tolerance = 1e-10;
  m.simulation.output_every = 0.01;
  return m;
}

void measure_iftomm_a02(CaseRun& run) {
  measure(run, run.model("n2.toml"), 2);
  measure(run, n_four_bar(40, 20), 40);
}

}  // namespace plumb
