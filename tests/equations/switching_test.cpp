// Equations that switch: instants are located, in between everything is smooth; against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "plumb/equations/derivation.h"
#include "plumb/equations/equation_simulation.h"
#include "plumb/equations/scripts.h"
#include "plumb/trajectory/result.h"
#include "equations/equation_models.h"

namespace plumb {
namespace {

using testing::parsed;

constexpr double pi = std::numbers::pi;

Result run(const std::string& equations, double duration, const std::string& method = "projected/dop853",
           const std::string& more = "") {
  Model m = parsed("[equations]\n" + equations + "\n[simulation]\nduration = 1\n" + more);
  m.simulation.duration = duration;
  m.simulation.method = method;
  return simulate(m);
}

double last(const Result& r, const std::string& name) { return r.trajectory.last(name); }

TEST(EquationSwitching, PulsesAreSeenWhereverTheyAre) {
  for (const char* method : {"projected/dop853", "index1/dopri5", "ggl/dop853", "index0/dopri5", "projected/radau5"})
    for (const double at : {3.7, 57.0, 570.0, 998.9}) {
      const std::string t0 = std::to_string(at);
      const Result triangle =
          run("differential = [\"x' = max(0, 1 - abs(t - " + t0 + "))\"]", 1000, method, "omega = 1\n");
      ASSERT_TRUE(triangle.outcome.is_success()) << method << triangle.outcome.describe();
      EXPECT_NEAR(last(triangle, "x"), 1, 1e-9) << method << " " << at;
      const Result box = run("differential = [\"x' = t > " + t0 + " && !(t > " + t0 + " + 0.5) ? 3 : 0\"]", 1000,
                             method, "omega = 1\n");
      EXPECT_NEAR(last(box, "x"), 1.5, 1e-9) << method << " " << at;
      const Result narrow =
          run("differential = [\"x' = exp(-((t - " + t0 + ")/0.01)^2)\"]", 1000, method, "omega = 1\n");
      EXPECT_NEAR(last(narrow, "x"), 0.01 * std::sqrt(pi), 1e-9) << method << " " << at;
    }
}

// x'' = -1 above and +1 below: parabolas, of period 4 sqrt(2 h).
TEST(EquationSwitching, ConditionsOfTheStateAreLocated) {
  for (const char* right : {"x > 0 ? -1 : 1", "x < 0 ? 1 : -1", "-sign(x)", "!(x <= 0) ? -1 : 1"}) {
    const double h = 0.37, period = 4 * std::sqrt(2 * h);
    const std::string text = "differential = [\"x'' = " + std::string(right) + "\"]\n[initial]\nx = 0.37\n";
    const Result r = run(text, 5 * period);
    ASSERT_TRUE(r.outcome.is_success()) << right;
    EXPECT_NEAR(last(r, "x"), h, 1e-11) << right;
    EXPECT_LT(r.steps, 200) << right;
  }
}

// A rectifier charging a capacitor: tau x' = sin t - x while that is positive.
TEST(EquationSwitching, ARectifierChargesItsCapacitor) {
  const double tau = 0.8;
  const auto charged = [&](double t, double t0, double x0) {
    const auto particular = [&](double s) { return (std::sin(s) - tau * std::cos(s)) / (1 + tau * tau); };
    return particular(t) + (x0 - particular(t0)) * std::exp(-(t - t0) / tau);
  };
  const auto root = [](auto f, double low, double high) {
    for (int i = 0; i < 200; ++i) {
      const double middle = (low + high) / 2;
      ((f(middle) > 0) == (f(low) > 0) ? low : high) = middle;
    }
    return low;
  };
  const double t1 = root([&](double t) { return std::sin(t) - charged(t, 0, 0); }, 0.5, 3), held = charged(t1, 0, 0);
  const double t2 = 2 * pi + std::asin(held), end = t2 + 0.4;
  for (const char* method : {"projected/dop853", "projected/radau5"}) {
    const Result r = run("differential = [\"0.8*x' = i\"]\nalgebraic = [\"i = max(0, sin(t) - x)\"]", end, method);
    ASSERT_TRUE(r.outcome.is_success());
    EXPECT_NEAR(last(r, "x"), charged(end, t2, held), 2e-9) << method;
  }
}

// Inside the equations an unknown is solved from.
TEST(EquationSwitching, UnknownsMaySwitchThemselves) {
  const Result r = run("differential = [\"x' = z\"]\nalgebraic = [\"z + 0.5*abs(z) = sin(t)\"]", 2 * pi);
  ASSERT_TRUE(r.outcome.is_success()) << r.outcome.describe();
  EXPECT_NEAR(last(r, "x"), 2 / 1.5 - 2 / 0.5, 1e-9);
}

// One switch throws another: z jumps, and w with it.
TEST(EquationSwitching, OneThrowsTheNext) {
  const Result r = run(
      "differential = [\"x' = w\"]\nalgebraic = [\"z = x > 1 ? 2 : 0\", \"w = z > 1 ? v : 1\", \"v = z < 3 ? 5 : 9\"]",
      2);
  ASSERT_TRUE(r.outcome.is_success()) << r.outcome.describe();
  EXPECT_NEAR(last(r, "x"), 6, 1e-10);
}

TEST(EquationSwitching, KinksOfConstraintsAreFollowedJumpsAreNot) {
  const Result kink = run("differential = [\"x' = u\"]\nalgebraic = [\"x = abs(t - 0.7)\"]", 2);
  ASSERT_TRUE(kink.outcome.is_success()) << kink.outcome.describe();
  EXPECT_NEAR(last(kink, "u"), 1, 1e-12);
  const Result jump = run("differential = [\"x' = u\"]\nalgebraic = [\"x = t < 0.7 ? 0 : 1\"]", 2);
  EXPECT_EQ(jump.outcome.kind, Outcome::Kind::singular);
  EXPECT_NEAR(jump.outcome.time, 0.7, 1e-14);
  EXPECT_EQ(jump.outcome.subject, "constraint 1");
  EXPECT_NE(jump.outcome.reason.find("it jumps by 1"), std::string::npos) << jump.outcome.reason;
  const Result bend = run("differential = [\"x' = u\", \"u' = m\"]\nalgebraic = [\"x = abs(t - 0.7)\"]", 2);
  EXPECT_EQ(bend.outcome.kind, Outcome::Kind::singular);
  EXPECT_NE(bend.outcome.reason.find("its rate jumps by 2"), std::string::npos) << bend.outcome.reason;
}

TEST(EquationSwitching, TimeUnderAnotherNameIsNotSteppedOver) {
  const Result r = run("differential = [\"x' = max(0, 1 - abs(a - 5))\"]\nalgebraic = [\"a = t\"]", 20);
  EXPECT_NEAR(last(r, "x"), 1, 1e-9);
}

TEST(EquationSwitching, ChatteringIsNamedAtOnce) {
  const Result r = run("differential = [\"x' = -sign(x) + 0.3*sin(t)\"]\n[initial]\nx = 1\n", 4);
  EXPECT_EQ(r.outcome.kind, Outcome::Kind::chattering);
  EXPECT_EQ(r.outcome.subject, "equation 1");
  EXPECT_LT(r.steps, 200);
}

TEST(EquationSwitching, TheDerivationShowsBothSides) {
  const Model m = parsed(R"toml(
[equations]
differential = ["x' = u", "u' = m"]
algebraic = ["max(x^2, x) = t + 2"]
[initial]
x = { guess = 1.2 }
[simulation]
duration = 1
)toml");
  const std::string text = as_text(derive(m));
  EXPECT_NE(text.find("max(x^2, x)"), std::string::npos) << text;
  EXPECT_NE(text.find("(x^2 <= x ? 1 : 2*x)"), std::string::npos) << text;
  const Result r = simulate(m);
  EXPECT_NEAR(last(r, "x"), std::sqrt(3.0), 1e-10);
}

// ---- branches of nonlinear equations

TEST(EquationBranches, AnUnknownStaysOnItsOwn) {
  for (const double tolerance : {1e-5, 1e-6, 1e-7, 1e-8, 1e-10}) {
    Model m = parsed(R"toml(
[equations]
differential = ["x'^2 + y'^2 = 1"]
algebraic = ["y = 3*sin(4*x)"]
[initial]
x = 0
"x'" = { guess = 0.1 }
[simulation]
duration = 100
)toml");
    m.simulation.tolerance = tolerance;
    const Result r = simulate(m);
    ASSERT_TRUE(r.outcome.is_success()) << r.outcome.describe();
    EXPECT_NEAR(last(r, "x"), 12.81739281923, 1e4 * tolerance + 1e-9) << tolerance;
  }
}

// z³ - z = x is left by the middle root and the outer one together where 3 z² = 1: for x' = -z that is at
// 1.5 (z0² - 1/3) - ln(z0 sqrt(3)).
TEST(EquationBranches, EndWhereTheirSolutionEnds) {
  for (const double z0 : {1.0, 1.4, 0.8})
    for (const double side : {1.0, -1.0}) {
      Model m = parsed(R"toml(
[equations]
differential = ["x' = -z"]
algebraic = ["z^3 - z = x"]
[simulation]
duration = 20
)toml");
      m.equations->initial.push_back({"x", side * (z0 * z0 * z0 - z0), false, {}});
      m.equations->initial.push_back({"z", side * z0, true, {}});
      const double end = 1.5 * (z0 * z0 - 1.0 / 3) - std::log(z0 * std::sqrt(3.0));
      for (const double tolerance : {1e-6, 1e-10}) {
        m.simulation.tolerance = tolerance;
        const Result r = simulate(m);
        EXPECT_EQ(r.outcome.kind, Outcome::Kind::singular) << r.outcome.describe();
        EXPECT_NEAR(r.outcome.time, end, 10 * tolerance + 1e-9) << z0 << " " << side << " " << tolerance;
        EXPECT_NE(r.outcome.describe().find("z"), std::string::npos);
      }
    }
}

// What failed on trial says nothing of shorter steps.
TEST(EquationBranches, FaultsBelongToTheAttempt) {
  for (const double tolerance : {1e-2, 1e-4, 1e-8}) {
    Model m = parsed(R"toml(
[equations]
differential = ["x' = z"]
algebraic = ["exp(z) + z = 1 - 700*(x - 1)^3 + exp(-40*t)"]
[initial]
x = 1
[simulation]
duration = 3
)toml");
    m.simulation.tolerance = tolerance;
    const Result r = simulate(m);
    EXPECT_TRUE(r.outcome.is_success()) << r.outcome.describe();
  }
}

}  // namespace
}  // namespace plumb
