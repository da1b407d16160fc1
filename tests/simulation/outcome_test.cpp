#include "plumb/simulation/outcome.h"

#include <gtest/gtest.h>

#include "plumb/trajectory/result.h"
#include "models.h"

namespace plumb {
namespace {

TEST(Outcome, NonFiniteNamesTheBodyAndKeepsWhatWasGood) {
  Model m = testing::pendulum(1.0);
  m.add(Body{.name = "other", .mass = 1.0, .position = {3, 0, 0}});
  m.add(Force{.name = "bad", .type = "force", .on = "other", .force = Point{"sqrt(0.5 - t)", 0.0, 0.0}});
  m.simulation.method = "projected/rk4";
  m.simulation.step = 0.01;
  const Result r = simulate(m);
  EXPECT_EQ(r.outcome.kind, Outcome::Kind::non_finite);
  EXPECT_EQ(r.outcome.subject, "body 'other'");
  EXPECT_NEAR(r.outcome.time, 0.5, 0.011);
  EXPECT_GT(r.trajectory.rows(), 400u);
  for (std::size_t i = 0; i < r.trajectory.rows(); ++i)
    for (double x : r.trajectory.row(i)) ASSERT_TRUE(std::isfinite(x));
}

TEST(Outcome, NonFiniteIsFoundByAdaptiveStepsToo) {
  Model m = testing::pendulum(1.0);
  m.add(Force{.name = "bad", .type = "force", .on = "bob", .force = Point{"log(0.3 - t)", 0.0, 0.0}});
  const Result r = simulate(m);
  EXPECT_FALSE(r.outcome.is_success());
  EXPECT_NEAR(r.outcome.time, 0.3, 1e-3);
  EXPECT_LT(r.steps, 10000);
}

TEST(Outcome, BlowUpOfBaumgarteGivesItsReason) {
  Model m = testing::pendulum(1.0);
  m.simulation.method = "baumgarte/midpoint";
  m.simulation.omega = 100;
  m.simulation.step = 0.025;
  m.simulation.duration = 50;
  const Result r = simulate(m);
  ASSERT_EQ(r.warnings.size(), 1u);
  EXPECT_NE(r.warnings[0].find("omega*step = 2.5 lies beyond the stability limit 2 of midpoint"), std::string::npos);
  EXPECT_EQ(r.outcome.kind, Outcome::Kind::non_finite);
  EXPECT_NE(r.outcome.reason.find("omega*step"), std::string::npos);
}

TEST(Outcome, LimitOfSteps) {
  Model m = testing::pendulum(1.0);
  m.simulation.max_steps = 5;
  const Result r = simulate(m);
  EXPECT_EQ(r.outcome.kind, Outcome::Kind::limit_reached);
  EXPECT_EQ(r.steps, 5);
  EXPECT_FALSE(r.outcome.is_success());
}

TEST(Outcome, SwitchingFasterThanCanBeFollowedIsNamed) {
  Model m;
  m.add(Body{.name = "p", .mass = 1.0, .velocity = Vec3(1, 0, 0)});
  m.add(Force{.name = "noise", .type = "force", .on = "p", .force = Point{"1e6*sign(sin(1e9*t*t))", 0.0, 0.0}});
  m.simulation.duration = 1;
  m.simulation.tolerance = 1e-12;
  m.simulation.max_steps = 200000;
  const Result r = simulate(m);
  EXPECT_EQ(r.outcome.kind, Outcome::Kind::chattering) << r.outcome.name();
  EXPECT_EQ(r.outcome.subject, "force 'noise'");
  EXPECT_NE(r.outcome.reason.find("faster than can be followed"), std::string::npos);
}

TEST(Outcome, DriversThatFightEndTheRunNamingAJoint) {
  // Two rods to one mass, driven apart from each other until no triangle is left.
  Model m;
  m.add(Body{.name = "bob", .mass = 1.0, .position = {0, 0, -1}});
  m.add(Joint{.name = "left", .type = "rod", .from = "ground", .to = "bob", .from_point = Point{-1.0, 0.0, 0.0}});
  m.add(Joint{.name = "right",
              .type = "rod",
              .from = "ground",
              .to = "bob",
              .from_point = Point{1.0, 0.0, 0.0},
              .length = Quantity("sqrt(2) - 0.6*t")});
  m.add(Joint{.name = "plane", .type = "point-on-plane", .from = "ground", .to = "bob", .normal = Vec3(0, 1, 0)});
  m.simulation.duration = 4;
  m.simulation.tolerance = 1e-8;
  const Result r = simulate(m);
  EXPECT_FALSE(r.outcome.is_success());
  // |left| + |right| = 2 at t = 1.38.
  EXPECT_NEAR(r.outcome.time, (2 * std::sqrt(2.0) - 2) / 0.6, 0.02);
  EXPECT_FALSE(r.outcome.subject.empty());
}

TEST(Outcome, DescriptionReadsLikeACompilerMessage) {
  Outcome o{Outcome::Kind::singular, 1.5, "joint 'x'", "why", {std::make_shared<const std::string>("m.toml"), 7}};
  EXPECT_EQ(o.describe(), "m.toml:7: singular: joint 'x': why");
}

}  // namespace
}  // namespace plumb
