// One pendulum as equations in every form: the trajectories agree with the exact solution, the constraints drift or
// not.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "plumb/study/cases/pendulum_exact.h"
#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"

namespace plumb {

void measure_pendulum_forms(CaseRun& run) {
  const PendulumExact exact{1, 9.81, std::numbers::pi / 2};
  const Model model = run.model("model.toml");
  struct Trial {
    std::string id, method;
    std::optional<double> omega;
  };
  ReportTable table{"Drift over 10 s, tolerance 1e-11",
                    {"form", "steps", "evaluations", "|g|", "|g'|", "energy J", "position error m"},
                    {}};
  for (const Trial& trial : {Trial{"index0", "index0/dop853", 10.0}, Trial{"index1", "index1/dop853", {}},
                             Trial{"index1_damped", "index1/dop853", 10.0}, Trial{"projected", "projected/dop853", {}},
                             Trial{"ggl", "ggl/dop853", {}}}) {
    Model m = model;
    m.simulation.method = trial.method;
    m.simulation.omega = trial.omega;
    const Result r = simulate(m);
    double error = 0;
    const std::vector<double> t = r.trajectory["t"], x = r.trajectory["x"], y = r.trajectory["y"];
    for (std::size_t i = 0; i < t.size(); ++i) {
      const double angle = exact.angle(t[i]);
      error = std::max(error, std::hypot(x[i] - std::sin(angle), y[i] + std::cos(angle)));
    }
    run.report(trial.id, error);
    if (trial.id == "projected") run.report("projected_drift", r.audit.violation[0]);
    table.rows.push_back({trial.method + (trial.omega ? fmt::format(", omega = {:g}", *trial.omega) : ""),
                          fmt::format("{}", r.steps), fmt::format("{}", r.evaluations),
                          fmt::format("{:.1e}", r.audit.violation[0]), fmt::format("{:.1e}", r.audit.violation[1]),
                          fmt::format("{:.1e}", r.audit.max_drift), fmt::format("{:.1e}", error)});
  }
  run.table(std::move(table));
}

}  // namespace plumb
