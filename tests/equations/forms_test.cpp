// Every form with every integrator: order by slope, agreement, closed forms, drift, singular directions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "plumb/equations/equation_simulation.h"
#include "plumb/study/convergence.h"
#include "plumb/trajectory/result.h"
#include "equations/equation_models.h"

namespace plumb {
namespace {

using testing::parsed;
using testing::with_method;

Result run(const Model& m) {
  Result r = simulate(m);
  EXPECT_TRUE(r.outcome.is_success()) << r.outcome.describe();
  return r;
}

Result run_fixed(const std::string& text, const std::string& method, double step, std::optional<double> omega,
                 double duration = 1) {
  Model m = with_method(parsed(text), method);
  m.simulation.tolerance.reset();
  m.simulation.step = step;
  m.simulation.omega = omega;
  m.simulation.duration = duration;
  m.simulation.output_every = duration / 2;  // ends of steps, without dense output
  return run(m);
}

TEST(EquationForms, EveryIntegratorShowsItsOrderInEveryForm) {
  const Result exact = run([] {
    Model m = with_method(parsed(testing::cartesian_pendulum), "projected/dop853");
    m.simulation.tolerance = 1e-14;
    m.simulation.duration = 1;
    m.simulation.output_every = 0.5;
    return m;
  }());
  for (const FormInfo& f : forms())
    for (const Tableau& t : tableaux()) {
      std::vector<double> steps, errors;
      const double first = t.order >= 8 ? 0.125 : t.order >= 4 ? 0.05 : 0.01;
      for (double h = first; steps.size() < 4; h /= 2) {
        const Result r = run_fixed(testing::cartesian_pendulum, fmt::format("{}/{}", f.name, t.name), h,
                                   f.form == Form::index0 ? std::optional(2.0) : std::nullopt);
        steps.push_back(h);
        double worst = 0;
        for (std::size_t row = 0; row < exact.trajectory.rows(); ++row)
          for (const char* name : {"x", "y", "u", "v"}) {
            const std::size_t c = r.trajectory.column(name), d = exact.trajectory.column(name);
            worst = std::max(worst, std::abs(r.trajectory.row(row)[c] - exact.trajectory.row(row)[d]));
          }
        errors.push_back(worst);
      }
      EXPECT_GT(measured_order(steps, errors, 2e-13), t.order - 0.35) << f.name << "/" << t.name;
      if (t.order <= 2) {
        EXPECT_LT(measured_order(steps, errors, 2e-13), t.order + 0.5) << f.name << "/" << t.name;
      }
    }
}

TEST(EquationForms, FirstAndSecondOrderTextsAgree) {
  for (const char* method : {"index0/dop853", "index1/dop853", "projected/dop853", "ggl/dop853"}) {
    const Result a = run(with_method(parsed(testing::cartesian_pendulum), method));
    const Result b = run(with_method(parsed(testing::second_order_pendulum), method));
    EXPECT_NEAR(a.trajectory.last("x"), b.trajectory.last("x"), 2e-9) << method;
    EXPECT_NEAR(a.trajectory.last("u"), b.trajectory.last("x'"), 2e-9) << method;
    EXPECT_NEAR(a.trajectory.last("mu"), 2 * b.trajectory.last("lambda") / 2.5, 2e-8) << method;
  }
}

// Robertson's reactions, whose rates span nine powers of ten, with their conservation law as the constraint.
TEST(EquationForms, StiffReactionsWithTheSymbolicJacobian) {
  Model m = parsed(R"toml(
[equations]
differential = ["a' = -0.04*a + 1e4*b*c", "b' = 0.04*a - 1e4*b*c - 3e7*b^2"]
algebraic    = ["a + b + c = 1"]
[initial]
a = 1
b = 0
[simulation]
duration = 40
tolerance = 1e-10
max_steps = 1e6
)toml");
  const Result stiff = run(with_method(m, "projected/radau5")), plain = run(with_method(m, "projected/dop853"));
  for (const char* name : {"a", "c"})
    EXPECT_NEAR(stiff.trajectory.last(name), plain.trajectory.last(name), 2e-9) << name;
  EXPECT_NEAR(stiff.trajectory.last("b"), plain.trajectory.last("b"), 2e-11);
  EXPECT_LT(stiff.steps * 20, plain.steps);
  EXPECT_LT(stiff.audit.violation[0], 1e-15);
  // No explicit method gets there.
  m.simulation.duration = 4e6;
  const Result late = run(with_method(m, "projected/radau5"));
  EXPECT_LT(late.steps, 1500);
  EXPECT_NEAR(late.trajectory.last("a"), 5.2e-4, 0.1e-4);
}

// Fast enough to go round: no choice of states made at the start may become singular in any quadrant.
TEST(EquationForms, ThroughEveryQuadrant) {
  Model m = parsed(testing::cartesian_pendulum);
  m.equations->initial.push_back({"v", 9.0, false, {}});
  m.simulation.duration = 3;
  for (const char* method : {"index0/dop853", "index1/dop853", "projected/dop853", "ggl/dop853"}) {
    const Result r = run(with_method(m, method));
    int visited = 0;
    const std::vector<double> x = r.trajectory["x"], y = r.trajectory["y"];
    for (std::size_t i = 0; i < x.size(); ++i) visited |= 1 << ((x[i] > 0) + 2 * (y[i] > 0));
    EXPECT_EQ(visited, 15) << method;
    EXPECT_LT(r.audit.max_drift, 1e-7) << method;
  }
}

// Bare, errors of the constraint grow faster than time; damped, they stay; GGL leaves what a step makes; projected,
// none.
TEST(EquationForms, DriftDependsOnTheForm) {
  const auto growth = [](const char* method, std::optional<double> omega = {}) {
    const double late = run_fixed(testing::cartesian_pendulum, method, 0.02, omega, 40).audit.violation[0];
    return late / run_fixed(testing::cartesian_pendulum, method, 0.02, omega, 5).audit.violation[0];
  };
  EXPECT_GT(growth("index1/rk4"), 12);
  EXPECT_LT(growth("index1/rk4", 20.0), 1.5);
  EXPECT_LT(growth("index0/rk4", 20.0), 1.5);
  EXPECT_LT(growth("ggl/rk4"), 12);
  EXPECT_LT(run_fixed(testing::cartesian_pendulum, "projected/rk4", 0.02, {}, 40).audit.violation[0], 1e-14);
}

// Index 1, nonlinear in its algebraic unknown: z + z³ = x, x' = -z. With x = z + z³: (1 + 3 z²) z' = -z, hence
// log z + 3/2 z² = const - t.
TEST(EquationForms, IndexOneNonlinear) {
  const std::string text = R"toml(
[equations]
differential = ["x' = -z"]
algebraic = ["z + z^3 = x"]
[initial]
x = 2
[simulation]
duration = 3
tolerance = 1e-12
)toml";
  for (const char* method : {"index0/dop853", "index1/dop853", "projected/dopri5"}) {
    const Result r = run(with_method(parsed(text), method));
    const double z = r.trajectory.last("z");
    EXPECT_NEAR(std::log(z) + 1.5 * z * z, 1.5 - 3, 1e-9) << method;
  }
}

// Index 2: x follows the sine, the force z = x' + x.
TEST(EquationForms, IndexTwo) {
  const std::string text = R"toml(
[equations]
differential = ["x' = z - x"]
algebraic = ["x = sin(2*t)"]
[simulation]
duration = 1.7
tolerance = 1e-11
)toml";
  for (const char* method : {"index0/dop853", "index1/dop853", "projected/dop853", "ggl/dop853"}) {
    const Result r = run(with_method(parsed(text), method));
    EXPECT_NEAR(r.trajectory.last("x"), std::sin(3.4), 1e-10) << method;
    EXPECT_NEAR(r.trajectory.last("z"), 2 * std::cos(3.4) + std::sin(3.4), 1e-8) << method;
  }
}

// Index 5, no freedom left: y = sin 2t fixes x = y + y'' = -3 sin 2t and k = x'' = 12 sin 2t.
TEST(EquationForms, IndexFive) {
  const std::string text = R"toml(
[equations]
differential = ["x'' = k", "y'' = x - y"]
algebraic = ["y = sin(2*t)"]
[simulation]
duration = 1.3
tolerance = 1e-11
)toml";
  const Result r = run(with_method(parsed(text), "projected/dop853"));
  EXPECT_NEAR(r.trajectory.last("x"), -3 * std::sin(2.6), 1e-9);
  EXPECT_NEAR(r.trajectory.last("k"), 12 * std::sin(2.6), 1e-7);
}

// Nonlinear in the derivative itself: x'³ + x' = -x; with p = x': dx = -(3 p² + 1) dp, t = -∫ (3p² + 1)/p dp.
TEST(EquationForms, ImplicitInTheDerivative) {
  const Result r = run(parsed(R"toml(
[equations]
differential = ["x'^3 + x' = -x"]
[initial]
x = 2
"x'" = { guess = -1 }
[simulation]
duration = 1.5
tolerance = 1e-12
)toml"));
  const double p = r.trajectory.last("x'");
  EXPECT_NEAR(1.5 * p * p + std::log(-p), 1.5 - 1.5, 1e-9);
}

TEST(EquationForms, PlainEquationsWithKnownSolution) {
  const Result r = run(parsed(R"toml(
[parameters]
w = 3
[equations]
differential = ["x'' = -w^2*x + sin(t)"]
[initial]
x = 0.4
"x'" = -1
[simulation]
duration = 4
tolerance = 1e-12
)toml"));
  const double a = 1.0 / 8;  // of sin t
  EXPECT_NEAR(r.trajectory.last("x"), 0.4 * std::cos(12) + (-1 - a) / 3 * std::sin(12) + a * std::sin(4), 1e-10);
}

// Not smooth, but not to be differentiated either: allowed. x' = -|x| x from 2: x = 2/(1 + 2 t).
TEST(EquationForms, RoughFunctionsWhereNothingIsDifferentiated) {
  const Result r = run(parsed(R"toml(
[equations]
differential = ["x' = -abs(x)*x"]
[initial]
x = 2
[simulation]
duration = 1.5
tolerance = 1e-12
)toml"));
  EXPECT_NEAR(r.trajectory.last("x"), 0.5, 1e-11);
}

TEST(EquationForms, EventsAreLocated) {
  Model m = parsed(testing::cartesian_pendulum);
  m.add(Event{.name = "bottom", .zero_of = "x", .direction = Event::Direction::falling, .action = Event::Action::stop});
  const Result r = run(m);
  EXPECT_EQ(r.outcome.kind, Outcome::Kind::stopped_by_event);
  // A quarter of the period: K(1/2) sqrt(l/g).
  EXPECT_NEAR(r.outcome.time, 1.8540746773013719 * std::sqrt(1.3 / 3.7), 1e-10);
  EXPECT_NEAR(r.final_values[3].second * r.final_values[3].second + r.final_values[2].second * r.final_values[2].second,
              2 * 3.7 * 1.3, 1e-9);
}

TEST(EquationForms, DampingBeyondTheLimitIsAnOutcomeWithItsReason) {
  Model m = with_method(parsed(testing::cartesian_pendulum), "index0/midpoint");
  m.simulation.tolerance.reset();
  m.simulation.step = 0.025;
  m.simulation.omega = 100;
  const Result r = simulate(m);
  EXPECT_EQ(r.outcome.kind, Outcome::Kind::non_finite);
  EXPECT_NE(r.outcome.reason.find("omega*step = 2.5"), std::string::npos) << r.outcome.reason;
  EXPECT_NE(r.outcome.reason.find("limit 2"), std::string::npos) << r.outcome.reason;
  for (std::size_t i = 0; i < r.trajectory.rows(); ++i)
    for (double x : r.trajectory.row(i)) EXPECT_TRUE(std::isfinite(x));
  m.simulation.omega.reset();
  m.simulation.omega_auto = true;
  EXPECT_TRUE(simulate(m).outcome.is_success());
  EXPECT_NEAR(EquationSimulation(m).omega() * 0.025, 1, 1e-9);
}

// The ends of the domain: a square root that runs out ends the run with what was computed.
TEST(EquationForms, LeavingTheDomainIsAnOutcome) {
  const Result r = simulate(parsed(R"toml(
[equations]
differential = ["x' = -1/(2*sqrt(x))"]
[initial]
x = 1
[simulation]
duration = 2
tolerance = 1e-9
)toml"));
  EXPECT_FALSE(r.outcome.is_success());
  EXPECT_NEAR(r.outcome.time, 4.0 / 3, 1e-3);
  EXPECT_GT(r.trajectory.rows(), 100u);
}

TEST(EquationForms, SameBitsAgain) {
  const Result a = run(parsed(testing::cartesian_pendulum)), b = run(parsed(testing::cartesian_pendulum));
  for (std::size_t i = 0; i < a.trajectory.rows(); ++i)
    for (std::size_t k = 0; k < a.trajectory.columns().size(); ++k)
      ASSERT_EQ(a.trajectory.row(i)[k], b.trajectory.row(i)[k]);
}

}  // namespace
}  // namespace plumb
