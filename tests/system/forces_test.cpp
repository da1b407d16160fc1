#include <gtest/gtest.h>

#include "plumb/trajectory/result.h"
#include "models.h"

namespace plumb {
namespace {

Model single(double mass = 2.0) {
  Model m;
  m.gravity = Vec3::Zero();
  m.add(Body{.name = "p", .mass = mass});
  m.simulation.duration = 2;
  m.simulation.tolerance = 1e-12;
  return m;
}

TEST(Forces, LinearDragDecaysExponentially) {
  Model m = single();
  m.bodies[0].velocity = Vec3(3, 0, 4);
  m.add(Force{.name = "air", .type = "drag", .linear = 0.7});
  const Result r = simulate(m);
  EXPECT_NEAR((r.final[0].velocity - std::exp(-0.7) * Vec3(3, 0, 4)).norm(), 0, 1e-11);
}

TEST(Forces, QuadraticDragHasItsTerminalSpeed) {
  Model m = single();
  m.gravity = {0, 0, -9.81};
  m.add(Force{.name = "air", .type = "drag", .quadratic = 0.5});
  const Result r = simulate(m);
  // v = v_t tanh(g t/v_t), v_t = sqrt(m g/c)
  const double vt = std::sqrt(2.0 * 9.81 / 0.5);
  EXPECT_NEAR(r.final[0].velocity.z(), -vt * std::tanh(9.81 * 2 / vt), 1e-10);
  EXPECT_LT(r.audit.max_drift, 1e-9);
}

TEST(Forces, ExpressionOfStateActsLikeTheSpringItDescribes) {
  Model a = single(), b = single();
  a.bodies[0].position = b.bodies[0].position = {0.4, 0, 0};
  a.add(Force{.name = "f", .type = "force", .on = "p", .force = Point{"-k*p.x - c*p.vx", 0.0, 0.0}});
  a.parameters = {{"k", 20.0}, {"c", 0.3}};
  b.add(Force{.name = "s",
              .type = "spring",
              .from = "ground",
              .to = "p",
              .from_point = Point{-100.0, 0.0, 0.0},
              .stiffness = 20.0,
              .damping = 0.3,
              .length = 100.0});
  EXPECT_NEAR(simulate(a).final[0].position.x(), simulate(b).final[0].position.x(), 1e-10);
}

TEST(Forces, TorqueInBodyAxesTurnsWithTheBody) {
  // A constant body torque about a principal axis spins about that axis, wherever it points.
  Model m;
  m.gravity = Vec3::Zero();
  m.add(Body{.name = "b",
             .mass = 1.0,
             .inertia = Inertia{{0.2, 0.3, 0.4}, Vec3::Zero()},
             .rotation = Quaternion::from_axis_angle({1, 1, 1}, 1.0)});
  m.add(Force{.name = "t", .type = "torque", .on = "b", .torque = Point{0.0, 0.0, 0.8}, .axes = "body"});
  m.simulation.duration = 1.5;
  m.simulation.tolerance = 1e-12;
  const Result r = simulate(m);
  const Vec3 axis = Quaternion::from_axis_angle({1, 1, 1}, 1.0).rotate(Vec3::UnitZ());
  EXPECT_NEAR((*r.final[0].angular_velocity - 3.0 * axis).norm(), 0, 1e-11);
}

TEST(Forces, ForceOffTheCentreTurnsTheBody) {
  Model m;
  m.gravity = Vec3::Zero();
  m.add(Body{.name = "b", .mass = 2.0, .inertia = Inertia{{1, 1, 1}, Vec3::Zero()}});
  m.add(Force{.name = "f",
              .type = "force",
              .on = "b",
              .local = Point{0.5, 0.0, 0.0},
              .force = Point{0.0, 4.0, 0.0},
              .axes = "body"});
  m.simulation.duration = 0.5;
  m.simulation.tolerance = 1e-12;
  const Result r = simulate(m);
  EXPECT_NEAR(r.final[0].angular_velocity->z(), 0.5 * 4 / 1 * 0.5, 1e-12);
  // Work done on it is its kinetic energy.
  EXPECT_NEAR(r.audit.final.work, r.audit.final.kinetic, 1e-11);
}

TEST(Forces, SpringAtLengthZeroDoesNotBreakTheRun) {
  Model m = single();
  m.bodies[0].velocity = Vec3(1, 0, 0);
  m.add(Force{.name = "s",
              .type = "spring",
              .from = "ground",
              .to = "p",
              .from_point = Point{0.0, 0.0, 0.0},
              .stiffness = 8.0,
              .length = 0.0});
  const Result r = simulate(m);
  ASSERT_TRUE(r.outcome.is_success());
  EXPECT_NEAR(r.final[0].position.x(), 0.5 * std::sin(4.0), 1e-10);
}

}  // namespace
}  // namespace plumb
