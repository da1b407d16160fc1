// Starts: completed where values are missing, refused by name where they contradict an equation.
#include "plumb/equations/consistent_start.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/equations/equation_simulation.h"
#include "equations/equation_models.h"

namespace plumb {
namespace {

using testing::parsed;

Model pendulum_from(const std::string& initial) {
  std::string text = testing::cartesian_pendulum;
  return parsed(text.replace(text.find("x = 1.3"), 7, initial));
}

ConsistentStart start_of(const Model& m) {
  Flow flow(reduce(m, Form::projected, false), 0);
  return find_start(m, flow);
}

double value(const ConsistentStart& s, const std::string& name) {
  for (const StartValue& v : s.values)
    if (v.name == name) return v.value;
  return std::nan("");
}

TEST(EquationStart, MissingValuesFollowFromTheConstraints) {
  const ConsistentStart s = start_of(pendulum_from("x = 0.5\ny = { guess = -1 }\nu = 2"));
  ASSERT_TRUE(s.consistent);
  EXPECT_NEAR(value(s, "y"), -1.2, 1e-14);           // l² = 1.69
  EXPECT_NEAR(value(s, "v"), 2 * 0.5 / 1.2, 1e-14);  // x u + y v = 0
  const double v2 = 4 + std::pow(2 * 0.5 / 1.2, 2);
  EXPECT_NEAR(value(s, "mu"), (v2 + 3.7 * 1.2) / 1.69, 1e-13);
  EXPECT_EQ(value(s, "x"), 0.5);
  EXPECT_EQ(value(s, "u"), 2);
}

// Nothing is given and the gradient vanishes where the search begins.
TEST(EquationStart, FromASingularGuess) {
  const ConsistentStart s = start_of(pendulum_from("u = 0"));
  ASSERT_TRUE(s.consistent);
  EXPECT_NEAR(std::hypot(value(s, "x"), value(s, "y")), 1.3, 1e-12);
}

TEST(EquationStart, AViolatedConstraintIsNamedAndTheNearestStartOffered) {
  const ConsistentStart s = start_of(pendulum_from("x = 1.3\ny = 0.2"));
  EXPECT_FALSE(s.consistent);
  EXPECT_EQ(s.equation, "constraint 1");
  EXPECT_NEAR(s.residual, 0.04, 1e-12);
  ASSERT_TRUE(s.has_nearest);
  // The nearest point of a circle lies on the ray.
  EXPECT_NEAR(value(s, "y") / value(s, "x"), 0.2 / 1.3, 1e-6);
  EXPECT_NEAR(std::hypot(value(s, "x"), value(s, "y")), 1.3, 1e-12);
}

TEST(EquationStart, AViolatedHiddenConstraintIsNamed) {
  const ConsistentStart s = start_of(pendulum_from("x = 1.3\ny = 0\nu = 1"));
  EXPECT_FALSE(s.consistent);
  EXPECT_EQ(s.equation, "constraint 1, differentiated once");
  EXPECT_NEAR(s.residual, 2 * 1.3, 1e-12);
  EXPECT_NEAR(value(s, "u"), 0, 1e-14);
}

TEST(EquationStart, AMultiplierThatIsGivenMustBeRight) {
  const ConsistentStart wrong = start_of(pendulum_from("x = 1.3\nmu = 5"));
  EXPECT_FALSE(wrong.consistent);
  EXPECT_NE(wrong.equation.find("mu = 5"), std::string::npos);
  EXPECT_TRUE(start_of(pendulum_from("x = 1.3\nv = 1.3\nmu = 1")).consistent);
}

TEST(EquationStart, RefusedUnlessToBeFixed) {
  Model m = pendulum_from("x = 1.3\ny = 0.2");
  EXPECT_EQ(EquationSimulation(m).outcome()->kind, Outcome::Kind::inconsistent_start);
  m.simulation.fix_start = true;
  EquationSimulation fixed(m);
  EXPECT_FALSE(fixed.outcome());
  ASSERT_EQ(fixed.messages().size(), 1u);
  EXPECT_NE(fixed.messages()[0].find("moved"), std::string::npos);
}

TEST(EquationStart, ContradictionsThatNothingCanResolve) {
  const ConsistentStart s = start_of(parsed(R"toml(
[equations]
differential = ["x' = z", "y' = w"]
algebraic = ["x^2 + y^2 = -1", "x - y = 0"]
[simulation]
duration = 1
)toml"));
  EXPECT_FALSE(s.consistent);
  EXPECT_FALSE(s.has_nearest);
  EXPECT_EQ(s.equation, "constraint 1");
}

// Given values stay and guesses move, also where they belong to derivatives of different order.
TEST(EquationStart, GivenValuesStayAndGuessesMove) {
  for (const double u : {3.0, 4.0, -3.0}) {
    Model m = parsed(R"toml(
[equations]
differential = ["u' = -m*u", "v'' = -m*v"]
algebraic = ["u^2 + v^2 = 25"]
[initial]
v = { guess = 3 }
[simulation]
duration = 0.1
)toml");
    m.equations->initial.push_back({"u", u, false, {}});
    const ConsistentStart s = start_of(m);
    ASSERT_TRUE(s.consistent) << s.describe();
    EXPECT_EQ(value(s, "u"), u);
    EXPECT_NEAR(value(s, "v"), std::sqrt(25 - u * u), 1e-12);
  }
}

// Names of subexpressions follow in the order in which they depend on each other: none of them is looked for from zero,
// where 1/length is infinite.
TEST(EquationStart, DefinitionsAreEvaluatedInOrder) {
  const ConsistentStart s = start_of(parsed(R"toml(
[equations]
differential = ["x'' = -k*ex - ex*lambda", "y'' = -k*ey - 1"]
algebraic = ["ex = x/length", "ey = y/length", "k = log(length) + 2", "length = sqrt(x^2 + y^2 + 0*x)",
             "x - ex*length/2 = 1.5"]
[initial]
x = 3
y = 4
[simulation]
duration = 1
)toml"));
  ASSERT_TRUE(s.consistent) << s.describe();
  EXPECT_NEAR(value(s, "length"), 5, 1e-12);
  EXPECT_NEAR(value(s, "ex"), 0.6, 1e-12);
}

// What is solved for may be what is known: the state follows from it.
TEST(EquationStart, StatesFollowFromWhatIsSolvedFor) {
  const ConsistentStart s = start_of(parsed(R"toml(
[equations]
differential = ["0.001*uc' = i"]
algebraic = ["u1 - u2 = uc", "u1 = 3 - 10*i", "u2 = 10*i + 0.1*i^3"]
[initial]
u1 = 2.5
[simulation]
duration = 0.1
)toml"));
  ASSERT_TRUE(s.consistent) << s.describe();
  EXPECT_NEAR(value(s, "i"), 0.05, 1e-9);
  EXPECT_NEAR(value(s, "uc"), 2.5 - 0.5 - 0.1 * 0.05 * 0.05 * 0.05, 1e-9);
}

TEST(EquationStart, SingularSystemsAreToldApart) {
  const auto model = [](const std::string& equations) {
    return parsed("[equations]\n" + equations + "\n[simulation]\nduration = 1\n");
  };
  const ConsistentStart here = start_of(model(R"_(differential = ["x' = z"]
algebraic = ["x*z = 1"])_"));
  EXPECT_FALSE(here.is_regular);
  EXPECT_FALSE(here.is_singular_everywhere);
  const ConsistentStart misled = start_of(model(R"_(differential = ["x' + y' = -x", "2*x' + 2*y' = y + z"]
algebraic = ["z = x"])_"));
  EXPECT_FALSE(misled.is_regular);
  EXPECT_TRUE(misled.is_singular_everywhere);
}

}  // namespace
}  // namespace plumb
