// Index reduction: index and freedom of known systems, the derived equations, tapes against the formulas they come
// from.
#include "plumb/equations/reduction.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/equations/flow.h"
#include "plumb/equations/from_mechanism.h"
#include "equations/equation_models.h"
#include "models.h"

namespace plumb {
namespace {

using testing::parsed;

struct Known {
  std::string name, equations;
  int index, freedom;
};

std::string model_of(const std::string& equations) {
  return "[equations]\n" + equations + "\n[simulation]\nduration = 1\n";
}

TEST(Reduction, IndexAndFreedomOfKnownSystems) {
  for (const Known& k : {
           Known{"oscillator", R"_(differential = ["x' = v", "v' = -x"])_", 0, 2},
           Known{"second order", R"_(differential = ["x'' = -x"])_", 0, 2},
           Known{"index 1", R"_(differential = ["x' = -z"]
                               algebraic = ["z + z^3 = x"])_",
                 1, 1},
           Known{"index 2", R"_(differential = ["x' = z - x"]
                               algebraic = ["x = sin(t)"])_",
                 2, 0},
           Known{"pendulum", R"_(differential = ["x' = u", "y' = v", "u' = -x*mu", "v' = -y*mu - 1"]
                                algebraic = ["x^2 + y^2 = 1"])_",
                 3, 2},
           Known{"pendulum, second order", R"_(differential = ["x'' = -x*mu", "y'' = -y*mu - 1"]
                                              algebraic = ["x^2 + y^2 = 1"])_",
                 3, 2},
           Known{"two masses pulled along a path", R"_(differential = ["x'' = k", "y'' = x - y"]
                                                      algebraic = ["y = sin(t)"])_",
                 5, 0},
           Known{"implicit", R"_(differential = ["x'^3 + x' = -x"])_", 0, 1},
       }) {
    const Reduction r = reduce(parsed(model_of(k.equations)), Form::index1, false);
    EXPECT_EQ(r.structure.index, k.index) << k.name;
    EXPECT_EQ(r.structure.degrees_of_freedom, k.freedom) << k.name;
    // States less the constraints on them are the freedom.
    EXPECT_EQ(static_cast<int>(r.states.size() - r.invariants.size()), k.freedom) << k.name;
  }
}

TEST(Reduction, ChainsHaveTwoFreedomsPerLink) {
  for (int n : {1, 2, 5, 8}) {
    Model chain;
    for (int i = 1; i <= n; ++i) {
      chain.add(Body{.name = "p" + std::to_string(i), .mass = 0.3 * i, .position = {1.0 * i, 0, 0.2 * i}});
      chain.add(Joint{.name = "r" + std::to_string(i),
                      .type = "rod",
                      .from = i > 1 ? "p" + std::to_string(i - 1) : "ground",
                      .to = "p" + std::to_string(i),
                      .from_point = i > 1 ? std::nullopt : std::optional(Point{0.0, 0.0, 0.0})});
    }
    chain.simulation.duration = 1;
    const Reduction r = reduce(equations_of_mechanism(chain), Form::projected, false);
    EXPECT_EQ(r.structure.index, 3);
    EXPECT_EQ(r.structure.degrees_of_freedom, 2 * n);
  }
}

// The multiplier's rate as derived by hand: (d/dt + w)^3 (x² + y² - l²) = 0 solved for mu'.
TEST(Reduction, MultiplierRateOfThePendulum) {
  Reduction r = reduce(parsed(testing::cartesian_pendulum), Form::index0, true);
  ASSERT_EQ(r.blocks.size(), 1u);
  Symbols& s = r.dae.symbols;
  const auto v = [&](const char* n) { return GiNaC::ex(s.derivative(*s.find(n), 0)); };
  const GiNaC::ex x = v("x"), y = v("y"), u = v("u"), w = v("v"), mu = v("mu"), om = r.omega, g = s.parameter("g", 0),
                  l = s.parameter("l", 0);
  const GiNaC::ex by_hand =
      -(8 * mu * (x * u + y * w) + 6 * g * w - 6 * om * (u * u + w * w) + 6 * om * mu * (x * x + y * y) +
        6 * om * g * y - 6 * om * om * (x * u + y * w) - om * om * om * (x * x + y * y - l * l)) /
      (2 * (x * x + y * y));
  EXPECT_TRUE((solution_of(r, r.blocks[0]) - by_hand).normal().is_zero());
  EXPECT_FALSE((solution_of(r, r.blocks[0]) - 2 * by_hand).normal().is_zero());
}

// The tape against GiNaC's own evaluation of the same formulas, at places of no symmetry.
TEST(Tape, AgreesWithTheFormulas) {
  const Model m = parsed(R"toml(
[parameters]
a = 0.7
[equations]
differential = ["x' = sin(x*y)^2/(1 + y^2) - a*exp(-z)", "y' = atan2(x, 2 + z)*sqrt(1 + x^2) - x^3/3 + cos(t)", "z' = log(2 + x^2)*tanh(z) - 1/(3 + y)^2 + x^2.5"]
[simulation]
duration = 1
)toml");
  const Reduction r = reduce(m, Form::index1, false);
  Flow flow(r, 0);
  const double y[3] = {0.83, -0.41, 1.27}, t = 0.6;
  double rate[3];
  flow.derivative(t, y, rate);
  GiNaC::exmap at;
  at[r.dae.symbols.time()] = t;
  for (int i = 0; i < 3; ++i) at[r.states[static_cast<std::size_t>(i)].symbol] = y[i];
  for (const auto& [name, symbol] : r.dae.symbols.parameters()) at[symbol] = r.dae.symbols.value(symbol);
  for (std::size_t i = 0; i < 3; ++i) {
    const double expected = GiNaC::ex_to<GiNaC::numeric>(r.states[i].rate.subs(at).evalf()).to_double();
    EXPECT_NEAR(rate[i], expected, 2e-15 * (1 + std::abs(expected)));
  }
}

TEST(Tape, SharesSubexpressions) {
  const auto operations = [](const std::string& right) {
    return Flow(reduce(parsed("[equations]\ndifferential = [\"x' = " + right + "\"]\n[simulation]\nduration = 1\n"),
                       Form::index1, false),
                0)
        .operations();
  };
  EXPECT_EQ(operations("sin(x)*cos(x) + sin(x)*cos(x)^2") - operations("sin(x)*cos(x)"), 1u);
}

// dF/dy from symbolic derivatives against differences of F, in every form.
TEST(Flow, JacobianAgainstDifferences) {
  for (const std::string& text : {testing::cartesian_pendulum, testing::second_order_pendulum})
    for (const Form form : {Form::index0, Form::index1}) {
      Flow flow(reduce(parsed(text), form, true), 3);
      const int n = flow.size();
      std::vector<double> y, J(static_cast<std::size_t>(n * n)), a(y.size()), b;
      for (int i = 0; i < n; ++i) y.push_back(0.9 + 0.3 * std::sin(2.0 * i));
      a.resize(y.size()), b.resize(y.size());
      flow.jacobian(0.2, y.data(), J.data());
      for (int j = 0; j < n; ++j) {
        const double h = 1e-6;
        std::vector<double> left = y, right = y;
        left[static_cast<std::size_t>(j)] -= h, right[static_cast<std::size_t>(j)] += h;
        flow.derivative(0.2, left.data(), a.data());
        flow.derivative(0.2, right.data(), b.data());
        for (int i = 0; i < n; ++i) {
          const double slope = (b[static_cast<std::size_t>(i)] - a[static_cast<std::size_t>(i)]) / (2 * h);
          EXPECT_NEAR(J[static_cast<std::size_t>(i * n + j)], slope, 1e-7 * (1 + std::abs(slope))) << i << " " << j;
        }
      }
    }
}

}  // namespace
}  // namespace plumb
