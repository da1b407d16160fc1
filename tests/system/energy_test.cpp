#include <gtest/gtest.h>

#include "plumb/trajectory/result.h"
#include "models.h"

namespace plumb {
namespace {

TEST(Energy, OfBodiesBySteinersFormula) {
  // A bar turning about one end: (J + m d²) w²/2, however it is described.
  Model m;
  m.add(Body{.name = "bar",
             .mass = 3.0,
             .shape = Box{{2, 0.2, 0.2}},
             .position = {1, 0, 4},
             .angular_velocity = Vec3(0, 2, 0)});
  m.add(Joint{.name = "pin",
              .type = "revolute",
              .from = "ground",
              .to = "bar",
              .point = Point{0.0, 0.0, 4.0},
              .axis = Vec3(0, 1, 0)});
  m.simulation.duration = 0.1;
  const Result r = simulate(m);
  const double J = 3.0 * (4 + 0.04) / 12 + 3.0;
  EXPECT_NEAR(r.audit.initial.kinetic, J * 4 / 2, 1e-12);
  EXPECT_NEAR(r.audit.initial.potential, 3.0 * 9.81 * 4, 1e-12);
}

TEST(Energy, WorkAndLossesBalanceWithEverythingAtOnce) {
  Model m = testing::chain(3, "spherical");
  m.add(Force{.name = "spring",
              .type = "spring",
              .from = "ground",
              .to = "link2",
              .from_point = Point{2.0, 1.0, 0.5},
              .to_local = Point{0.5, 0.0, 0.0},
              .stiffness = 30.0,
              .damping = 1.5,
              .length = 0.4});
  m.add(Force{.name = "push",
              .type = "force",
              .on = "link1",
              .local = Point{0.1, 0.2, 0.0},
              .force = Point{"3*sin(4*t)", "-link1.vy", 1.0},
              .axes = "body"});
  m.add(Force{.name = "twist", .type = "torque", .on = "link0", .torque = Point{0.1, "0.2*cos(t)", "-0.05*link0.wz"}});
  m.add(Force{.name = "air",
              .type = "drag",
              .bodies = std::vector<std::string>{"link0", "link2"},
              .linear = 0.1,
              .quadratic = 0.3});
  m.joints[0].point.reset();
  m.joints[0].from_point = Point{"0.1*sin(3*t)", 0.0, "0.05*t"};
  m.joints[0].to_local = Point{-0.5, 0.0, 0.0};
  m.simulation.duration = 3;
  m.simulation.tolerance = 1e-11;
  const Result r = simulate(m);
  ASSERT_TRUE(r.outcome.is_success());
  EXPECT_GT(std::abs(r.audit.final.work), 0.1);
  EXPECT_GT(r.audit.final.dissipated, 0.1);
  EXPECT_LT(r.audit.max_drift, 1e-8);
}

TEST(Energy, MomentumChangesByTheExternalForcesOnly) {
  // Two bodies held together by a spring in free fall: d/dt p = m g.
  Model m;
  m.add(Body{.name = "a", .mass = 1.0, .position = {0, 0, 0}, .velocity = Vec3(1, 0, 0)});
  m.add(Body{.name = "b", .mass = 2.0, .shape = Sphere{0.1}, .position = {1, 0, 0}, .angular_velocity = Vec3(1, 2, 3)});
  m.add(Force{.name = "s",
              .type = "spring",
              .from = "a",
              .to = "b",
              .to_local = Point{0.05, 0.05, 0.0},
              .stiffness = 50.0,
              .length = 0.5});
  m.simulation.duration = 2;
  m.simulation.tolerance = 1e-12;
  const Result r = simulate(m);
  EXPECT_NEAR(r.trajectory.last("momentum.x"), 1, 1e-11);
  EXPECT_NEAR(r.trajectory.last("momentum.z"), -3 * 9.81 * 2, 1e-9);
}

}  // namespace
}  // namespace plumb
