// What both methods of time stepping promise: order two between impacts, rest without creep, a ledger; and of the
// linearly implicit one, steps far longer than the stiffest vibration.
#include <gtest/gtest.h>

#include <cmath>

#include "plumb/simulation/simulation.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

class TimeStepping : public ::testing::TestWithParam<const char*> {};

Result run(Model& m, const std::string& method, double step) {
  m.simulation.method = method;
  m.simulation.tolerance.reset();
  m.simulation.step = step;
  Result r = simulate(m);
  EXPECT_TRUE(r.outcome.is_success()) << r.outcome.describe();
  return r;
}

// A rigid pendulum and a point on a spring with a damper, under a force of time: joints, spin, all kinds of forces.
Model smooth_model() {
  Model m;
  m.add(Body{.name = "bar", .mass = 1.0, .shape = Box{{0.1, 0.2, 0.8}}, .position = {0.4, 0, 0}});
  m.add(Joint{.name = "pin", .type = "spherical", .from = "ground", .to = "bar", .point = Point{0.0, 0.0, 0.0}});
  m.add(Body{.name = "bob", .mass = 0.5, .position = {0.9, 0.3, -0.2}});
  m.add(Force{.name = "spring",
              .type = "spring",
              .from = "bar",
              .to = "bob",
              .stiffness = 30.0,
              .damping = 0.4,
              .length = 0.4});
  m.add(Force{.name = "wind", .type = "force", .on = "bob", .force = Point{0.0, "0.5*sin(3*t)", 0.0}});
  m.simulation.duration = 0.8;
  return m;
}

TEST_P(TimeStepping, OrderTwoBetweenImpacts) {
  Model m = smooth_model();
  m.simulation.tolerance = 1e-12;
  const Result exact = simulate(m);
  double errors[3];
  int k = 0;
  for (double h : {0.01, 0.005, 0.0025}) {
    const Result r = run(m, GetParam(), h);
    errors[k++] =
        (r.final[1].position - exact.final[1].position).norm() + (r.final[0].position - exact.final[0].position).norm();
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.2);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2, 0.1);
}

TEST_P(TimeStepping, ABlockBelowTheFrictionLimitDoesNotCreep) {
  Model m;
  const double angle = 0.3;
  m.gravity = 9.81 * Vec3(std::sin(angle), 0, -std::cos(angle));
  m.add(Body{.name = "block", .mass = 2.0, .shape = Box{{0.4, 0.3, 0.2}}, .position = {0, 0, 0.1}});
  m.add(Contact{.name = "floor", .plane = PlaneSurface{}, .friction = std::tan(angle) / 0.95});
  m.simulation.duration = 10;
  const Result r = run(m, GetParam(), 0.01);
  EXPECT_LT(r.final[0].position.head<2>().norm(), 1e-9);
  EXPECT_NEAR(r.trajectory.last("floor.fz"), 2 * 9.81 * std::cos(angle), 1e-6);
  EXPECT_NEAR(r.trajectory.last("floor.fx"), -2 * 9.81 * std::sin(angle), 1e-6);
}

TEST_P(TimeStepping, ImpactsAreEnteredInTheLedgerWithinAStep) {
  Model m;
  m.add(Body{.name = "ball", .mass = 0.7, .shape = Sphere{0.1}, .position = {0, 0, 1.1}});
  m.add(Contact{.name = "floor", .plane = PlaneSurface{}, .restitution = 0.5});
  m.simulation.duration = 1.2;
  const double h = 1e-3, fall = std::sqrt(2 / 9.81);
  const Result r = run(m, GetParam(), h);
  ASSERT_GE(r.impacts.size(), 3u);
  EXPECT_NEAR(r.impacts[0].impact.time, fall, h);
  EXPECT_NEAR(r.impacts[1].impact.time, 2 * fall, 4 * h);
  EXPECT_NEAR(r.impacts[0].impact.normal_impulse, 0.7 * 1.5 * 9.81 * fall, 0.02);
  for (const ImpactRecord& i : r.impacts) EXPECT_LE(i.impact.energy_after, i.impact.energy_before + 1e-12);
}

TEST_P(TimeStepping, BoxesOnBoxesComeToRest) {
  Model m;
  m.add(Body{.name = "low", .mass = 2.0, .shape = Box{{0.5, 0.5, 0.2}}, .position = {0, 0, 0.1}});
  m.add(Body{.name = "high", .mass = 1.0, .shape = Box{{0.3, 0.3, 0.2}}, .position = {0.05, 0, 0.35}});
  m.add(Contact{.name = "floor", .plane = PlaneSurface{}, .friction = 0.5});
  m.add(Contact{.name = "pair", .between = std::vector<std::string>{"low", "high"}, .friction = 0.5});
  m.simulation.duration = 2;
  const Result r = run(m, GetParam(), 0.002);
  EXPECT_NEAR(r.final[1].position.z(), 0.3, 1e-5);
  EXPECT_LT(r.final[1].velocity.norm(), 1e-6);
  EXPECT_NEAR(r.trajectory.last("pair.fz"), 9.81, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Methods, TimeStepping, ::testing::Values("moreau", "trapezoidal"),
                         [](const auto& p) { return std::string(p.param); });

TEST(Trapezoidal, StepsFarLongerThanTheStiffestVibration) {
  // 1e5 rad/s, a step of 0.01 s: the stiff spring settles to its stretch under the weight, the soft one swings on.
  Model m;
  m.add(Body{.name = "a", .mass = 1.0, .position = {0, 0, -1}});
  m.add(Body{.name = "b", .mass = 0.5, .position = {0, 0, -2.05}});
  m.add(Force{.name = "stiff",
              .type = "spring",
              .from = "ground",
              .to = "a",
              .from_point = Point{0.0, 0.0, 0.0},
              .stiffness = 1e10,
              .damping = 1e7,
              .length = 1.0});
  m.add(Force{.name = "soft", .type = "spring", .from = "a", .to = "b", .stiffness = 40.0, .length = 1.0});
  m.simulation.duration = 3;
  const Result r = run(m, "trapezoidal", 0.01);
  EXPECT_NEAR(r.final[0].position.z(), -1, 1e-7);
  // The soft one swings about its rest at 1 + m g/k with the amplitude of its start.
  const double rest = 2 + 0.5 * 9.81 / 40, amplitude = 2.05 - rest, omega = std::sqrt(80.0);
  EXPECT_NEAR(r.final[1].position.z(), -(rest + amplitude * std::cos(3 * omega)), 2e-3 * 10 * std::abs(amplitude));
  // The explicit method cannot.
  m.simulation.method = "moreau";
  EXPECT_FALSE(simulate(m).outcome.is_success());
}

TEST(Trapezoidal, RedundantJointsShareTheLoad) {
  Model m;
  m.add(Body{.name = "plank", .mass = 3.0, .shape = Box{{1, 0.1, 0.1}}});
  for (const double x : {-0.4, 0.0, 0.4})
    m.add(Joint{.name = "pin" + std::to_string(static_cast<int>(10 * x)),
                .type = "revolute",
                .from = "ground",
                .to = "plank",
                .point = Point{x, 0.0, 0.0},
                .axis = Vec3(1, 0, 0)});
  m.bodies[0].angular_velocity = Vec3(2, 0, 0);
  m.simulation.duration = 1;
  const Result r = run(m, "trapezoidal", 0.01);
  EXPECT_LT(r.final[0].position.norm(), 1e-12);
  EXPECT_NEAR(r.final[0].angular_velocity->x(), 2, 1e-9);
}

TEST(Moreau, ALargerThetaDamps) {
  Model m = smooth_model();
  m.forces.pop_back();
  m.forces[0].damping.reset();
  double lost[2];
  int k = 0;
  for (double theta : {0.5, 1.0}) {
    m.simulation.theta = theta;
    const Result r = run(m, "moreau", 0.005);
    lost[k++] = r.trajectory["energy.total"].front() - r.trajectory["energy.total"].back();
  }
  EXPECT_LT(std::abs(lost[0]), 0.1 * std::abs(lost[1]));
}

}  // namespace
}  // namespace plumb
