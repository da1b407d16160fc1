// A mechanism of point masses and rods written as equations: the same motion, in both doors' own words.
#include "plumb/equations/from_mechanism.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/equations/dae.h"
#include "plumb/model/reader.h"
#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"
#include "models.h"

namespace plumb {
namespace {

double distance(const Result& mechanism, const Result& equations, const std::string& body, const std::string& prefix,
                const std::string& axes) {
  double worst = 0;
  for (char axis : axes) {
    const std::vector<double> a = mechanism.trajectory[body + "." + axis], b = equations.trajectory[prefix + axis];
    EXPECT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  }
  return worst;
}

// The worksheet's equations fall out of the manual's pendulum: x' = u, y' = v, u' = -x mu, v' = -y mu - g, x² + y² = 1.
TEST(FromMechanism, ThePublishedPendulumBecomesTheWorksheet) {
  Model m = testing::pendulum(M_PI / 2);
  const Model e = equations_of_mechanism(m);
  std::vector<std::string> texts;
  for (const EquationText& t : e.equations->equations) texts.push_back(t.text);
  EXPECT_EQ(texts,
            (std::vector<std::string>{"x' = vx", "vx' = -x*mu", "z' = vz", "vz' = -z*mu - g", "x^2 + z^2 = l_rod^2"}));
}

TEST(FromMechanism, SameTrajectoryOfThePublishedPendulum) {
  Model m = read_model((find_cases() / "pendulum/model.toml").string(), {});
  m.events.clear();
  m.simulation.duration = 5;
  m.simulation.step.reset();
  m.simulation.method = "projected/dop853";
  m.simulation.tolerance = 1e-13;
  const Result a = simulate(m), b = simulate(equations_of_mechanism(m));
  ASSERT_TRUE(b.outcome.is_success()) << b.outcome.describe();
  EXPECT_LT(distance(a, b, "bob", "", "xz"), 1e-10);
}

// In space, with masses and slanted gravity, read back from its own file.
TEST(FromMechanism, DoublePendulumInSpaceThroughAFile) {
  Model m;
  m.gravity = {0.4, 0, -9.81};
  m.add(Body{.name = "upper-mass", .mass = 1.7, .position = {0.8, 0, -0.6}, .velocity = Vec3(0, 1.1, 0)});
  m.add(Body{.name = "lower", .mass = 0.4, .position = {0.8, 0.5, -1.4}});
  m.add(Joint{.name = "a", .type = "rod", .from = "ground", .to = "upper-mass", .from_point = Point{0.0, 0.0, 0.0}});
  m.add(Joint{.name = "b", .type = "rod", .from = "lower", .to = "upper-mass"});
  m.simulation.duration = 2;
  m.simulation.tolerance = 1e-13;
  const Model e = equations_of_mechanism(m);
  const Model again = parse_model(as_model_file(e), "again.toml", {});
  const Result a = simulate(m), b = simulate(again);
  ASSERT_TRUE(b.outcome.is_success()) << b.outcome.describe();
  EXPECT_LT(distance(a, b, "upper-mass", "upper_mass_", "xyz"), 1e-10);
  EXPECT_LT(distance(a, b, "lower", "lower_", "xyz"), 1e-10);
  EXPECT_NEAR(a.audit.initial.total(), b.audit.initial.total(), 1e-12);
  EXPECT_LT(b.audit.max_drift, 1e-9);
}

TEST(FromMechanism, DrivenRod) {
  Model m = testing::pendulum(0.7, 1.2, 2.0);
  m.joints[0].length = Quantity("1.2 + 0.1*sin(3*t)");
  m.simulation.duration = 2;
  m.simulation.tolerance = 1e-13;
  const Result a = simulate(m), b = simulate(equations_of_mechanism(m));
  ASSERT_TRUE(b.outcome.is_success()) << b.outcome.describe();
  EXPECT_LT(distance(a, b, "bob", "", "xz"), 1e-10);
}

TEST(FromMechanism, WhatIsNeitherMassNorRodIsNamed) {
  Model rigid = testing::chain(1, "spherical");
  EXPECT_THROW(equations_of_mechanism(rigid), InputError);
  Model spring = testing::pendulum(0.3);
  spring.add(Force{.name = "pull",
                   .type = "spring",
                   .from = "ground",
                   .to = "bob",
                   .from_point = Point{1.0, 0.0, 0.0},
                   .stiffness = 2});
  try {
    equations_of_mechanism(spring);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("force 'pull'"), std::string::npos);
  }
}

}  // namespace
}  // namespace plumb
