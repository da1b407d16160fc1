// The worksheet: Cartesian pendulum, constraint differentiated three times and damped, the multiplier a state, stepped
// by Collatz's rule and by the same as printed.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "plumb/equations/equation_simulation.h"
#include "plumb/study/cases/pendulum_exact.h"
#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

// Starting level, at (1, 0): the exact solution starts at (-1, 0).
const PendulumExact exact{1, 9.81, std::numbers::pi / 2};

double position_error(const Result& r) {
  const double angle = exact.angle(r.outcome.time);
  const Trajectory& t = r.trajectory;
  return std::hypot(t.last("x") - std::sin(angle), t.last("y") + std::cos(angle));
}

Model with(Model model, const std::string& method, double step) {
  model.simulation.method = method;
  model.simulation.step = step;
  return model;
}

// The right-hand side of the multiplier as the worksheet prints it, minus the derived one: 0 if they are the same.
double difference_of_rates(const Model& model) {
  Reduction r = reduce(model, Form::index0, true);
  Symbols& s = r.dae.symbols;
  const auto unknown = [&](const char* name) { return GiNaC::ex(s.derivative(*s.find(name), 0)); };
  const GiNaC::ex x = unknown("x"), y = unknown("y"), u = unknown("u"), v = unknown("v"), mu = unknown("mu");
  const GiNaC::ex g = s.parameter("g", 0), w = r.omega;
  const GiNaC::ex published =
      -(8 * mu * (x * u + y * v) + 6 * g * v - 6 * w * (u * u + v * v) + 6 * w * mu * (x * x + y * y) + 6 * w * g * y -
        6 * w * w * (x * u + y * v) - w * w * w * (x * x + y * y - 1)) /
      (2 * (x * x + y * y));
  const GiNaC::ex difference = (solution_of(r, r.blocks.at(0)) - published).normal();
  return difference.is_zero() ? 0 : static_cast<double>(difference.nops());
}

FigureCurve circle() {
  FigureCurve c{"x² + y² = 1", {}, {}, FigureCurve::Style::dashed};
  for (int i = 180; i <= 360; ++i) {
    c.x.push_back(std::cos(i * std::numbers::pi / 180));
    c.y.push_back(std::sin(i * std::numbers::pi / 180));
  }
  return c;
}

double order(const Model& model, const std::string& method) {
  double error[2];
  for (int i = 0; i < 2; ++i) {
    Model m = with(model, method, std::ldexp(1.0, -13 - i));
    m.simulation.duration = 2;
    error[i] = position_error(simulate(m));
  }
  return std::log2(error[0] / error[1]);
}

}  // namespace

void measure_dae_pendulum(CaseRun& run) {
  const Model model = run.model("model.toml");
  run.report("rate", difference_of_rates(model));
  for (const auto& [name, method] : {std::pair<std::string, std::string>{"printed", "index0/collatz-printed"},
                                     std::pair<std::string, std::string>{"midpoint", "index0/midpoint"}}) {
    const Result r = simulate(with(model, method, 1.0 / 200));
    run.report(name + "_position", r.audit.violation[0]);
    run.report(name + "_velocity", r.audit.violation[1]);
    run.report(name + "_energy", r.audit.max_drift);
    run.report(name + "_error", position_error(r));
    run.report(name + "_order", order(model, method));
    std::string phase = "x,y\n";
    const std::vector<double> x = r.trajectory["x"], y = r.trajectory["y"];
    for (std::size_t i = 0; i < x.size(); ++i) phase += fmt::format("{},{}\n", x[i], y[i]);
    run.write("phase_" + name + ".csv", phase);

    run.figure({.title = name == "printed" ? "Phase plot, as printed (first order)" : "Phase plot, Collatz's rule",
                .caption = "x against y over the run, DT = 1/200, ω = 100. The circle is the constraint.",
                .x = {.label = "x"},
                .y = {.label = "y"},
                .curves = {circle(), FigureCurve{"path", x, y, FigureCurve::Style::line}},
                .equal_scale = true});

    const Result blown = simulate(with(model, method, 1.0 / 40));
    const bool explained = blown.outcome.kind == Outcome::Kind::non_finite &&
                           blown.outcome.reason.find("omega*step = 2.5") != std::string::npos;
    run.report(name + "_blow_up", explained ? static_cast<double>(blown.steps + 1) : 1e9);
  }
}

}  // namespace plumb
