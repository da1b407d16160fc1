// The large swing: period, energy and rod after 1 and 10 swings at h = 0.001, convergence of every method with
// a fixed step, and RATTLE over 1000 swings.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "plumb/simulation/simulation.h"
#include "plumb/study/cases/pendulum_exact.h"
#include "plumb/study/convergence.h"
#include "plumb/study/validation.h"
#include "plumb/time_stepping/method.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

constexpr double pi = std::numbers::pi;
const PendulumExact exact{1, pi* pi, pi / 2};

void measure_swings(CaseRun& run) {
  const Model model = run.model("model.toml");
  const Result r = simulate(model);
  if (!r.outcome.is_success() || r.events.size() < 20)
    throw std::runtime_error("ten swings were not completed: " + r.outcome.describe());
  const std::size_t energy = r.trajectory.column("energy.total");
  // Two turning points make one swing.
  for (const int swings : {1, 10}) {
    const EventRecord& back = r.events[2 * swings - 1];
    run.report(fmt::format("period_{}", swings), back.time);
    run.report(fmt::format("energy_{}", swings), back.row[energy]);
  }
  run.report("rod", r.audit.violation[0]);
  if (!run.shown()) return;
  run.animate("Ten swings", model, r);
  // The energy over one period.
  Figure f{.title = "Energy balance over one period",
           .caption = "Kinetic and potential energy sum up to π² J.",
           .x = {.label = "t (s)", .range = std::pair(0.0, exact.period())},
           .y = {.label = "energy (J)"}};
  for (const char* name : {"kinetic", "potential", "total"})
    f.curves.push_back({name, r.trajectory["t"], r.trajectory[std::string("energy.") + name]});
  for (FigureCurve& c : f.curves) {
    const auto rows = static_cast<std::size_t>(std::ranges::upper_bound(c.x, exact.period()) - c.x.begin());
    c.x.resize(rows), c.y.resize(rows);
  }
  run.figure(std::move(f));
}

// Largest position error over 5/4 of a period.
double position_error(Model& model, const std::string& method, int steps) {
  model.events.clear();
  model.simulation.method = method;
  model.simulation.duration = 1.25 * exact.period();
  model.simulation.step = *model.simulation.duration / steps;
  Simulation s(model);
  double worst = 0;
  for (bool more = true; more;) {
    more = s.step();
    const double angle = exact.angle(s.time());
    const double* x = s.state();
    worst = std::max(worst, std::hypot(x[0] - std::sin(angle), x[1], x[2] - (1 - std::cos(angle))));
  }
  return s.outcome()->is_success() ? worst : std::nan("");
}

void measure_convergence(CaseRun& run) {
  Model model = run.model("model.toml");
  ReportTable table{
      "Convergence: largest position error (m) over 5/4 T against the number of steps", {"method", "order"}, {}};
  const auto count = [](int k) { return static_cast<int>(std::lround(std::exp2(k / 2.0))); };  // half octaves
  const int first = 8, last = 26;
  for (int k = first + 2; k <= last; k += 4) table.columns.push_back(fmt::format("{} steps", count(k)));
  table.columns.push_back("measured order");
  Figure f{.title = "Convergence",
           .caption = "Largest position error over 5/4 of a period; in brackets the measured slope.",
           .x = {.label = "step (s)", .log = true},
           .y = {.label = "error (m)", .log = true}};
  for (const Method& m : methods()) {
    std::vector<double> steps, errors;
    std::vector<std::string> row = {m.name, fmt::format("{}", m.order)};
    for (int k = first; k <= last; ++k) {
      const double e = position_error(model, m.name, count(k));
      steps.push_back(1.0 / count(k));
      errors.push_back(e);
      if (k % 4 == 2) row.push_back(e < 10 ? fmt::format("{:.2e}", e) : "–");
    }
    const double order = measured_order(steps, errors);
    row.push_back(fmt::format("{:.2f}", order));
    table.rows.push_back(row);
    if (m.formulation == Formulation::Kind::projected || !m.tableau) {
      FigureCurve c{fmt::format("{} ({:.2f})", m.name, order), {}, {}, FigureCurve::Style::line_and_points};
      for (std::size_t i = 0; i < steps.size(); ++i)
        if (errors[i] < 1) c.x.push_back(1.25 * exact.period() * steps[i]), c.y.push_back(errors[i]);
      f.curves.push_back(std::move(c));
    }
    if (m.formulation == Formulation::Kind::projected || !m.tableau) {
      std::string id = "order_" + m.name;
      std::ranges::replace(id, '/', '_');
      run.report(id, order);
    }
  }
  run.table(std::move(table));
  run.figure(std::move(f));
}

// Largest and mean energy error over stretches of a long run.
class EnergyWatch : public Observer {
 public:
  EnergyWatch(Simulation& s, double stretch) : simulation_(s), stretch_(stretch) {}
  void on_step(const Moment& m) override {
    simulation_.measurement().look_at(m.t, m.y);
    const double e = simulation_.measurement().energy().total() - pi * pi;
    const std::size_t part = static_cast<std::size_t>(m.t / stretch_);
    if (part >= sum_.size()) sum_.resize(part + 1), count_.resize(part + 1), largest_.resize(part + 1);
    sum_[part] += e;
    count_[part] += 1;
    largest_[part] = std::max(largest_[part], std::abs(e));
    violation_ = std::max(violation_, simulation_.measurement().violation(0));
  }
  double mean(std::size_t part) const { return sum_[part] / count_[part]; }
  double largest(std::size_t part) const { return largest_[part]; }
  double violation() const { return violation_; }

 private:
  Simulation& simulation_;
  double stretch_;
  std::vector<double> sum_, count_, largest_;
  double violation_ = 0;
};

void measure_rattle(CaseRun& run) {
  Model model = run.model("model.toml");
  model.events.clear();
  model.simulation.method = "rattle";
  model.simulation.duration = 1000 * exact.period();
  model.simulation.output_every = model.simulation.duration;
  Simulation s(model);
  EnergyWatch watch(s, 100 * exact.period());
  s.watch(watch);
  s.run();
  run.report("rattle_rod", watch.violation());
  run.report("rattle_energy", watch.largest(0));
  run.report("rattle_energy_growth", watch.largest(9) / watch.largest(0));
  run.report("rattle_energy_trend", (watch.mean(9) - watch.mean(0)) / watch.largest(0));
}

}  // namespace

void measure_pendulum(CaseRun& run) {
  measure_swings(run);
  measure_rattle(run);
  measure_convergence(run);
}

}  // namespace plumb
