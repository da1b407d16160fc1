// Bushings, tabulated springs, motors, torques between bodies and friction in joints.
#include <gtest/gtest.h>

#include <cmath>

#include "plumb/system/forces/table_curve.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

Body block(const std::string& name, const Vec3& at) {
  return Body{.name = name, .mass = 1.4, .inertia = Inertia{{0.05, 0.08, 0.06}, {0.01, -0.005, 0.003}}, .position = at};
}

TEST(TableCurve, PassesThroughItsPointsAndIntegratesItself) {
  const TableCurve c({{-1, -3}, {0, 0}, {0.5, 4}, {2, 5}});
  EXPECT_DOUBLE_EQ(c.value(-1), -3);
  EXPECT_DOUBLE_EQ(c.value(0.5), 4);
  EXPECT_DOUBLE_EQ(c.value(2), 5);
  for (double x = -1.9; x < 3; x += 0.0713) {
    const double h = 1e-5;
    EXPECT_NEAR((c.integral(x + h) - c.integral(x - h)) / (2 * h), c.value(x), 1e-8) << x;
    EXPECT_GE(c.value(x + h), c.value(x) - 1e-12) << "monotone points, monotone curve";
  }
  const TableCurve line({{0, 1}, {2, 5}});
  EXPECT_NEAR(line.value(7), 15, 1e-12);
}

TEST(Spring, ATableOfAStraightLineIsTheSpring) {
  const auto run = [](bool table) {
    Model m;
    m.simulation.duration = 2;
    m.simulation.tolerance = 1e-11;
    m.add(Body{.name = "bob", .mass = 0.7, .position = {0.3, 0, -1}});
    Force f{.name = "s",
            .type = "spring",
            .from = "ground",
            .to = "bob",
            .from_point = Point{0.0, 0.0, 0.0},
            .length = 0.8};
    if (table)
      f.table = std::vector<std::array<double, 2>>{{-1, -50}, {0.2, 10}, {3, 150}};
    else
      f.stiffness = 50;
    m.add(f);
    return simulate(m);
  };
  const Result a = run(true), b = run(false);
  EXPECT_NEAR((a.final[0].position - b.final[0].position).norm(), 0, 1e-9);
  EXPECT_LT(a.audit.max_drift, 1e-9);
  EXPECT_NEAR(a.audit.initial.potential, b.audit.initial.potential, 1e-12);
}

TEST(Spring, AHardeningTableKeepsItsEnergy) {
  Model m;
  m.simulation.duration = 5;
  m.simulation.tolerance = 1e-11;
  m.add(Body{.name = "bob", .mass = 0.7, .position = {0.3, 0.1, -1}});
  m.add(Force{.name = "s",
              .type = "spring",
              .from = "ground",
              .to = "bob",
              .from_point = Point{0.0, 0.0, 0.0},
              .length = 0.8,
              .table = std::vector<std::array<double, 2>>{{-0.8, -20}, {0, 0}, {0.1, 5}, {0.3, 60}}});
  EXPECT_LT(simulate(m).audit.max_drift, 1e-7);
}

TEST(Bushing, KeepsEnergyAndMomentumThroughLargeRotations) {
  Model m;
  m.gravity = Vec3::Zero();
  m.simulation.duration = 4;
  m.simulation.tolerance = 1e-11;
  m.add(block("a", {0, 0, 0})).angular_velocity = Vec3(1, 2, -1.5);
  m.add(block("b", {0.5, 0.2, 0.1})).velocity = Vec3(0.3, -0.4, 0.6);
  std::vector<double> K(36, 0.0);
  const double diagonal[] = {300, 200, 250, 4, 6, 5};
  for (int i = 0; i < 6; ++i) K[static_cast<std::size_t>(7 * i)] = diagonal[i];
  K[4] = K[24] = 8;    // x with rotation about y
  K[17] = K[32] = -5;  // z with rotation about z
  m.add(Force{.name = "rubber",
              .type = "bushing",
              .from = "a",
              .to = "b",
              .point = Point{0.3, 0.1, 0.05},
              .stiffness_matrix = K});
  const Result r = simulate(m);
  ASSERT_TRUE(r.outcome.is_success());
  EXPECT_LT(r.audit.max_drift, 1e-8 * (1 + r.audit.initial.total()));
  for (const char* c :
       {"momentum.x", "momentum.y", "momentum.z", "angular_momentum.x", "angular_momentum.y", "angular_momentum.z"})
    EXPECT_NEAR(r.trajectory[c].front(), r.trajectory[c].back(), 1e-9) << c;
  EXPECT_GT(r.audit.final.potential + r.trajectory["energy.potential"][100], 1e-3);
}

TEST(Bushing, DampedItComesToRestAndTheLossIsAccountedFor) {
  Model m;
  m.simulation.duration = 8;
  m.simulation.tolerance = 1e-10;
  m.add(block("b", {0, 0, 0})).angular_velocity = Vec3(3, -2, 1);
  m.add(Force{.name = "rubber",
              .type = "bushing",
              .from = "ground",
              .to = "b",
              .point = Point{0.0, 0.0, 0.0},
              .stiffness_matrix = std::vector<double>{300, 300, 300, 5, 5, 5},
              .damping_matrix = std::vector<double>{20, 20, 20, 0.3, 0.3, 0.3}});
  const Result r = simulate(m);
  EXPECT_LT(r.audit.max_drift, 1e-8);
  EXPECT_NEAR(r.final[0].position.z(), -1.4 * 9.81 / 300, 1e-6);  // sags under its weight
  EXPECT_NEAR(r.audit.final.kinetic, 0, 1e-9);
}

TEST(Motor, AConstantTorqueOverItsInertia) {
  Model m;
  m.gravity = Vec3::Zero();
  m.simulation.duration = 2;
  m.add(block("rotor", {0, 0, 0}));
  m.bodies[0].inertia = Inertia{{0.05, 0.08, 0.06}, Vec3::Zero()};
  m.add(Joint{.name = "shaft",
              .type = "revolute",
              .from = "ground",
              .to = "rotor",
              .point = Point{0.0, 0.0, 0.0},
              .axis = Vec3(0, 0, 1)});
  m.add(Force{.name = "drive", .type = "motor", .joint = "shaft", .effort = Quantity("0.3 + 0*shaft.rate")});
  Result r = simulate(m);
  EXPECT_NEAR(r.trajectory["shaft.rate"].back(), 0.3 / 0.06 * 2, 1e-9);
  EXPECT_NEAR(r.audit.final.work, r.audit.final.kinetic, 1e-9);
  // A torque that falls linearly with the speed: w = w0 (1 - exp(-t/T)), T = J w0/M0.
  m.forces[0].effort.reset();
  m.forces[0].table = std::vector<std::array<double, 2>>{{0, 0.6}, {20, 0}};
  r = simulate(m);
  EXPECT_NEAR(r.trajectory["shaft.rate"].back(), 20 * (1 - std::exp(-2 / (0.06 * 20 / 0.6))), 1e-8);
}

TEST(Motor, OnASlideItPushesBothBodies) {
  Model m;
  m.gravity = Vec3::Zero();
  m.simulation.duration = 1;
  m.add(block("a", {0, 0, 0}));
  m.add(block("b", {0.5, 0.3, 0}));
  m.add(Joint{.name = "rail", .type = "prismatic", .from = "a", .to = "b", .axis = Vec3(1, 0, 0)});
  m.add(Force{.name = "drive", .type = "motor", .joint = "rail", .effort = Quantity("2*cos(t)")});
  const Result r = simulate(m);
  EXPECT_LT(r.audit.max_drift, 1e-9);
  for (const char* c : {"momentum.x", "momentum.y", "angular_momentum.z"})
    EXPECT_NEAR(r.trajectory[c].back(), 0, 1e-11) << c;
  EXPECT_GT(r.trajectory["rail.rate"].back(), 0.5);
}

TEST(TorqueBetween, LeavesTheAngularMomentumAlone) {
  Model m;
  m.gravity = Vec3::Zero();
  m.simulation.duration = 2;
  m.add(block("a", {0, 0, 0})).angular_velocity = Vec3(0.3, 1, -0.2);
  m.add(block("b", {1, 0, 0}));
  m.add(Force{.name = "t",
              .type = "torque-between",
              .from = "a",
              .to = "b",
              .axis = Vec3(1, 1, 0),
              .effort = Quantity("0.2*sin(3*t)")});
  const Result r = simulate(m);
  EXPECT_LT(r.audit.max_drift, 1e-9);
  for (const char* c : {"angular_momentum.x", "angular_momentum.y", "angular_momentum.z"})
    EXPECT_NEAR(r.trajectory[c].front(), r.trajectory[c].back(), 1e-10) << c;
}

TEST(JointFriction, StopsASpinningRotorInTheTimeCoulombGives) {
  Model m;
  m.gravity = Vec3::Zero();
  m.simulation.duration = 3;
  m.simulation.tolerance = 1e-9;
  m.add(block("rotor", {0, 0, 0})).angular_velocity = Vec3(0, 0, 10);
  m.bodies[0].inertia = Inertia{{0.05, 0.08, 0.06}, Vec3::Zero()};
  m.add(Joint{.name = "shaft",
              .type = "revolute",
              .from = "ground",
              .to = "rotor",
              .point = Point{0.0, 0.0, 0.0},
              .axis = Vec3(0, 0, 1)});
  m.add(Force{.name = "rub", .type = "joint-friction", .joint = "shaft", .coulomb = 0.3, .smooth = 1e-2});
  const Result r = simulate(m);
  // 10 - 5 t: it stands after 2 s; half way it has half its speed.
  EXPECT_NEAR(r.trajectory["shaft.rate"][333], 10 - 5 * 0.999, 1e-6);
  EXPECT_NEAR(r.trajectory["shaft.rate"].back(), 0, 1e-6);
  EXPECT_LT(r.audit.max_drift, 1e-6);
  EXPECT_NEAR(r.audit.final.dissipated, r.audit.initial.kinetic, 1e-6);
}

}  // namespace
}  // namespace plumb
