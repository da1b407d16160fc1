// The double pendulum that strikes a wall: event-driven, by Newton's and Poisson's laws, as points and as spheres; and
// with the published step.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"
#include "plumb/trajectory/writers.h"

namespace plumb {
namespace {

// Largest difference of times, impulses and final positions of two runs.
double difference(const Result& a, const Result& b) {
  if (a.impacts.size() != b.impacts.size()) return std::nan("");
  double most = 0;
  for (std::size_t i = 0; i < a.impacts.size(); ++i) {
    most = std::max(most, std::abs(a.impacts[i].impact.time - b.impacts[i].impact.time));
    most = std::max(most, std::abs(a.impacts[i].impact.normal_impulse - b.impacts[i].impact.normal_impulse));
  }
  for (std::size_t i = 0; i < a.final.size(); ++i)
    most = std::max(most, (a.final[i].position - b.final[i].position).norm());
  return most;
}

std::string history(const Result& r) {
  std::string text = "t,energy,x1,x2\n";
  const auto t = r.trajectory["t"], e = r.trajectory["energy.total"];
  const auto x1 = r.trajectory["m1.x"], x2 = r.trajectory["m2.x"];
  for (std::size_t i = 0; i < r.trajectory.rows(); ++i)
    text += fmt::format("{:.6f},{:.12f},{:.12f},{:.12f}\n", t[i], e[i], x1[i], x2[i]);
  return text;
}

// Energy and x-coordinates over time, with the published values as points.
void show(CaseRun& run, const Model& model, const Result& exact) {
  run.animate("Five impacts", model, exact);
  const auto t = exact.trajectory["t"];
  Figure energy{.title = "Total energy", .x = {.label = "t (s)"}, .y = {.label = "E(t) − E(2.5 s) (J)"}};
  Figure x{.title = "x-coordinates of the masses", .x = {.label = "t (s)"}, .y = {.label = "x (m)"}};
  auto e = exact.trajectory["energy.total"];
  const double last = e.back();
  for (double& v : e) v -= last;
  energy.curves.push_back({"Plumb", t, e});
  x.curves.push_back({"x₁, Plumb", t, exact.trajectory["m1.x"]});
  x.curves.push_back({"x₂, Plumb", t, exact.trajectory["m2.x"]});
  FigureCurve published{"Solfec-1.0, published", {}, {}, FigureCurve::Style::points};
  FigureCurve x1{"x₁, reference", {}, {}, FigureCurve::Style::points},
      x2{"x₂, reference", {}, {}, FigureCurve::Style::points};
  std::ifstream in(run.file("figures.txt"));
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream cells(line);
    std::string what;
    double at = 0, value = 0;
    cells >> what >> at >> value;
    FigureCurve& c = what == "energy" ? published : what == "x1" ? x1 : x2;
    c.x.push_back(at), c.y.push_back(value);
  }
  energy.curves.push_back(std::move(published));
  x.curves.push_back(std::move(x1)), x.curves.push_back(std::move(x2));
  energy.caption = "The points are the values printed for h = 0.001; they carry the error of that step.";
  x.caption = "The published figure has no numbers; the points are extremes and ends computed in quadruple precision.";
  run.figure(std::move(energy));
  run.figure(std::move(x));
}

}  // namespace

void measure_double_pendulum_wall(CaseRun& run) {
  Model model = run.model("points.toml");
  const Result exact = simulate(model);
  run.report("impacts", static_cast<double>(exact.impacts.size()));
  for (std::size_t i = 0; i < std::min<std::size_t>(exact.impacts.size(), 5); ++i) {
    const Impact& impact = exact.impacts[i].impact;
    run.report(fmt::format("time{}", i + 1), impact.time);
    run.report(fmt::format("impulse{}", i + 1), impact.normal_impulse);
    run.report(fmt::format("energy{}", i + 1), impact.energy_after);
  }
  run.report("x1", exact.final[0].position.x());
  run.report("x2", exact.final[1].position.x());
  run.write("history.csv", history(exact));
  show(run, model, exact);

  Model poisson = model;
  for (Contact& c : poisson.contacts) c.law = Contact::Law::poisson;
  run.report("poisson", difference(exact, simulate(poisson)));
  run.report("spheres", difference(exact, simulate(run.model("spheres.toml"))));

  // With the published step: located impacts, and time stepping that does not locate them.
  model.simulation.tolerance.reset();
  model.simulation.step = 0.001;
  const std::pair<const char*, std::size_t> rows[] = {{"0", 0}, {"06", 600}, {"10", 1000}, {"15", 1500}, {"24", 2400}};
  for (const std::string method : {"rk4", "moreau", "trapezoidal"}) {
    model.simulation.method = method;
    const Result fixed = simulate(model);
    const auto energy = fixed.trajectory["energy.total"];
    for (const auto& [id, row] : rows) run.report(fmt::format("{}_{}", method, id), energy[row] - energy.back());
    run.write(fmt::format("history-{}.csv", method), history(fixed));
  }
}

}  // namespace plumb
