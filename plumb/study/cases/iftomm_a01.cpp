// IFToMM A01: for every method the cheapest setting that keeps the energy within 5e-5 J over 10 s, and the
// motion against the exact solution.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

#include "plumb/study/cases/pendulum_exact.h"
#include "plumb/study/cheapest_setting.h"
#include "plumb/study/validation.h"
#include "plumb/time_stepping/method.h"
#include "plumb/trajectory/result.h"
#include "plumb/trajectory/writers.h"

namespace plumb {
namespace {

constexpr double drift_limit = 5e-5;  // J, set by the benchmark

const PendulumExact exact{1, 9.81, std::numbers::pi / 2};

double position_error(double t, const double* x) {
  const double angle = exact.angle(t);
  return std::hypot(x[0] + std::sin(angle), x[1] + std::cos(angle), x[2]);
}

// Largest distance from the table of exact values (t x y vx vy).
double distance_from_table(const Trajectory& trajectory, const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  const std::vector<double> x = trajectory["P1.x"], y = trajectory["P1.y"];
  std::size_t row = 0;
  double worst = 0;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] == '#') continue;
    double t = 0, ex = 0, ey = 0;
    std::istringstream(line) >> t >> ex >> ey;
    worst = std::max(worst, std::hypot(x.at(row) - ex, y.at(row) - ey));
    ++row;
  }
  if (row != trajectory.rows()) throw std::runtime_error("the table of exact values does not fit the output grid");
  return worst;
}

void add_row(ReportTable& table, const Trial& t) {
  const std::string setting =
      t.step ? fmt::format("h = {:.4g}", *t.step) : fmt::format("tol = {:.2g}", t.tolerance.value_or(0));
  if (!t.reached) {
    table.rows.push_back({t.method, setting, fmt::format("{}", t.steps), "–", "–", fmt::format("{:.2e}", t.drift),
                          fmt::format("{:.2e}", t.error), fmt::format("{:.1e}", t.violation), "limit not reached"});
    return;
  }
  table.rows.push_back({t.method, setting, fmt::format("{}", t.steps), fmt::format("{}", t.evaluations),
                        fmt::format("{:.1f}", 1e6 * t.seconds), fmt::format("{:.2e}", t.drift),
                        fmt::format("{:.2e}", t.error), fmt::format("{:.1e}", t.violation), ""});
}

Figure over_time(const Result& r, const std::string& title, const std::vector<std::string>& names, const char* label) {
  Figure f{.title = title, .x = {.label = "t (s)"}, .y = {.label = label}};
  for (const std::string& name : names) f.curves.push_back({name, r.trajectory["t"], r.trajectory[name]});
  return f;
}

void show(CaseRun& run, const Model& model, const Result& r) {
  run.animate("Ten seconds", model, r);
  run.figure(over_time(r, "Coordinates of P1", {"P1.x", "P1.y"}, "(m)"));
  run.figure(over_time(r, "Mechanical energy against its start", {"energy.drift"}, "energy (J)"));
  Figure violation =
      over_time(r, "Violation of the constraints", {"violation.position", "violation.velocity"}, "(m, m/s)");
  violation.y.log = true;
  run.figure(std::move(violation));
}

}  // namespace

void measure_iftomm_a01(CaseRun& run) {
  const Model model = run.model("model.toml");
  const Result r = simulate(model);
  run.report("x_end", r.final[0].position.x());
  run.report("y_end", r.final[0].position.y());
  run.report("path", distance_from_table(r.trajectory, run.file("exact.txt")));
  run.report("drift", r.audit.max_drift);
  run.report("violation_position", r.audit.violation[0]);
  run.report("violation_velocity", r.audit.violation[1]);
  show(run, model, r);
  run.write("A01.txt", six_columns(r.trajectory, "P1.x", "P1.y"));

  ReportTable table{"Cheapest setting with energy drift below 5e-5 J over 10 s (time of the step loop, one core)",
                    {"method", "setting", "steps", "evaluations", "CPU µs", "drift J", "position error m", "rod m", ""},
                    {}};
  for (const Method& m : methods()) {
    const Trial t = cheapest_step(model, m.name, drift_limit, position_error, 1 << 19);
    add_row(table, t);
    if (m.name == "projected/dop853") run.report("cheapest_drift", t.drift);
  }
  for (const Method& m : methods())
    if (m.is_adaptive) add_row(table, cheapest_tolerance(model, m.name, drift_limit, position_error));
  run.table(std::move(table));
}

}  // namespace plumb
