// What is said of equations that cannot be used: where, what, and what would be right.
#include <gtest/gtest.h>

#include "plumb/equations/equation_simulation.h"
#include "equations/equation_models.h"

namespace plumb {
namespace {

struct Bad {
  std::string name, text;
  std::vector<std::string> expected;
};

std::string complaint(const std::string& text) {
  try {
    const EquationSimulation s(testing::parsed(text));
    return s.outcome() ? s.outcome()->describe() : "accepted";
  } catch (const InputError& e) {
    return e.what();
  }
}

std::string model_of(const std::string& equations, const std::string& more = "") {
  return "[equations]\n" + equations + "\n" + more + "\n[simulation]\nduration = 1\n";
}

class BadEquations : public ::testing::TestWithParam<Bad> {};

TEST_P(BadEquations, AreExplained) {
  const std::string said = complaint(GetParam().text);
  for (const std::string& e : GetParam().expected) EXPECT_NE(said.find(e), std::string::npos) << said;
}

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '(') + "x" + std::string(static_cast<std::size_t>(depth), ')');
}

std::string repeated(const std::string& what, int times) {
  std::string s = what;
  for (int i = 1; i < times; ++i) s += " + " + what;
  return s;
}

INSTANTIATE_TEST_SUITE_P(
    All, BadEquations,
    ::testing::Values(
        Bad{"Syntax",
            model_of(R"_(differential = ["x' = 2*x + * 3"])_"),
            {"test.toml:2: equation 1:", "a value is expected here", "x' = 2*x + * 3\n               ^"}},
        Bad{"NoEquals", model_of(R"_(differential = ["x' - x"])_"), {"'=' is missing"}},
        Bad{"TwoEquals", model_of(R"_(differential = ["x' = y = 2"])_"), {"a second '='"}},
        Bad{"Comparison", model_of(R"_(differential = ["x' <= 2"])_"), {"'=' is missing"}},
        Bad{"Equal", model_of(R"_(differential = ["x' = x == 2 ? 1 : 0"])_"), {"hold at single instants", "<= or >="}},
        Bad{"Condition", model_of(R"_(differential = ["x' = if(x, 1, 2)"])_"), {"a condition compares"}},
        Bad{"UnknownFunction",
            model_of(R"_(differential = ["x' = sinn(x)"])_"),
            {"unknown function 'sinn'", "did you mean 'sin'"}},
        Bad{"DerivativeOfAParameter",
            "[parameters]\nk = 2\n" + model_of(R"_(differential = ["x' = k'"])_"),
            {"'k' is a constant"}},
        Bad{"TooManyPrimes", model_of(R"_(differential = ["x'''''''''' = 1"])_"), {"up to order 9"}},
        Bad{"DerivativeInAConstraint",
            model_of("differential = [\"x' = y\"]\nalgebraic = [\"y = x'\"]"),
            {"constraint 1", "x' is a derivative", "differential"}},
        Bad{"Nothing", model_of(R"_(differential = ["x' = x'"])_"), {"both sides are the same"}},
        Bad{"NotFinite", model_of(R"_(differential = ["x' = 1/(2 - 2)"])_"), {"not finite"}},
        Bad{"Empty", model_of("differential = []"), {"give differential"}},
        Bad{"Mixed",
            model_of(R"_(differential = ["x' = -x"])_", "[bodies.ball]\nmass = 1\n"),
            {"body 'ball'", "not of both"}},
        Bad{"Under",
            "[parameters]\ngravity = 9.81\n" + model_of(R"_(differential = ["x' = v", "v' = -gravitty"])_"),
            {"underdetermined", "2 equations for 3 unknowns", "did you mean 'gravity'"}},
        Bad{"Over",
            model_of("differential = [\"x' = v\", \"v' = -x\"]\nalgebraic = [\"x^2 + v^2 = 1\"]"),
            {"overdetermined", "constraint 1: x^2 + v^2 = 1", "1 must go"}},
        Bad{"Singular",
            model_of("differential = [\"x' = y + z + w\"]\nalgebraic = [\"x = 1\", \"x = 2\", \"y + x = 3\"]"),
            {"structurally singular", "constraint 1: x = 1", "constraint 2: x = 2", "only the unknowns x"}},
        Bad{"Initial",
            model_of(R"_(differential = ["angle' = -angle"])_", "[initial]\nangel = 1\n"),
            {"initial: 'angel' is no unknown", "did you mean 'angle'"}},
        Bad{"InitialOfARate",
            model_of(R"_(differential = ["x' = -x"])_", "[initial]\n\"x'\" = 1\n"),
            {"x' follows from the equations"}},
        Bad{"Watch",
            model_of(R"_(differential = ["x' = -x"])_", "[initial]\nx = 1\n[watch]\ne = \"x^2 + yy\"\n"),
            {"watch 'e'", "unknown name 'yy'"}},
        Bad{"WatchTwice",
            model_of(R"_(differential = ["x' = -x"])_", "[initial]\nx = 1\n[watch]\nx = \"2*x\"\n"),
            {"watch 'x'", "already"}},
        Bad{"Misled",
            model_of("differential = [\"x' + y' = -x\", \"2*x' + 2*y' = y + z\"]\nalgebraic = [\"z = x\"]"),
            {"the structure misleads", "equation 1, equation 2"}},
        Bad{"SingularStart",
            model_of("differential = [\"x' = z\"]\nalgebraic = [\"x*z = 1\"]"),
            {"singular at the start"}},
        Bad{"Nested", model_of("differential = [\"x' = " + nested(100000) + "\"]"), {"nested too deeply"}},
        Bad{"Long",
            model_of("differential = [\"x' = " + repeated("x*t", 30000) + "\"]"),
            {"more than 20000 operations"}},
        Bad{"HighPower", model_of("differential = [\"x' = z\"]\nalgebraic = [\"(x + z)^100000 = 1\"]"), {"singular"}}),
    [](const auto& bad) { return bad.param.name; });

TEST(BadEquationSettings, MethodsAreSuggested) {
  const std::string said =
      complaint("[equations]\ndifferential = [\"x' = -x\"]\n[simulation]\nduration = 1\nmethod = \"projektd/rk4\"\n");
  EXPECT_NE(said.find("did you mean 'projected/rk4'"), std::string::npos) << said;
}

TEST(BadEquationSettings, MechanismsHaveNoStart) {
  EXPECT_THROW(testing::parsed("[bodies.b]\nmass = 1\n[initial]\nx = 1\n"), InputError);
}

}  // namespace
}  // namespace plumb
