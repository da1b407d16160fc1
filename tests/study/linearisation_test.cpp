#include "plumb/study/linearisation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "plumb/model/reader.h"
#include "plumb/simulation/simulation.h"
#include "plumb/study/equilibrium.h"
#include "models.h"

namespace plumb {
namespace {

Linearisation linearised(const Model& model) {
  const Simulation s(model);
  EXPECT_FALSE(s.outcome());
  return linearise_about(s.system(), {s.state(), s.state() + s.system().size()});
}

TEST(Linearisation, CompoundPendulum) {
  // omega² = m g a/(J + m a²) about the pin
  const double a = 0.37, J = 0.06, mass = 1.7;
  Model m;
  m.simulation.duration = 1;
  m.add(Body{.name = "bar", .mass = mass, .inertia = Inertia{{0.02, J, 0.05}, Vec3::Zero()}, .position = {0, 0, -a}});
  m.add(Joint{.name = "pin",
              .type = "revolute",
              .from = "ground",
              .to = "bar",
              .point = Point{0.0, 0.0, 0.0},
              .axis = Vec3(0, 1, 0)});
  const Linearisation l = linearised(m);
  ASSERT_EQ(l.modes.size(), 1u);
  EXPECT_EQ(l.neutral, 0);
  EXPECT_NEAR(l.modes[0].eigenvalue.imag(), std::sqrt(mass * 9.81 * a / (J + mass * a * a)), 1e-9);
  EXPECT_NEAR(l.modes[0].eigenvalue.real(), 0, 1e-9);
  EXPECT_LT(l.residual, 1e-12);
  // The bar turns about y: per radian its centre moves by a.
  EXPECT_NEAR(std::abs(l.modes[0].shape[0].rotation.y()), 1, 1e-9);
  EXPECT_NEAR(std::abs(l.modes[0].shape[0].translation.x()), a, 1e-9);
}

TEST(Linearisation, HangingChainOfPointMasses) {
  // Equal masses on equal rods: omega² = (g/l) times the roots of Laguerre's polynomial of degree n; each twice, for
  // two directions of swing.
  const int n = 4;
  const double roots[n] = {0.322547689619392, 1.745761101158347, 4.536620296921128, 9.395070912301133};
  const double l = 0.6, g = 9.81;
  Model m;
  m.simulation.duration = 1;
  for (int i = 0; i < n; ++i) {
    m.add(Body{.name = "m" + std::to_string(i), .mass = 0.4, .position = {0, 0, -(i + 1) * l}});
    Joint j{.name = "rod" + std::to_string(i),
            .type = "rod",
            .from = i ? "m" + std::to_string(i - 1) : "ground",
            .to = "m" + std::to_string(i)};
    if (i == 0) j.from_point = Point{0.0, 0.0, 0.0};
    m.add(j);
  }
  const Linearisation lin = linearised(m);
  ASSERT_EQ(lin.modes.size(), 2u * n);
  for (int i = 0; i < 2 * n; ++i)
    EXPECT_NEAR(lin.modes[i].eigenvalue.imag(), std::sqrt(g / l * roots[i / 2]), 1e-8) << i;
}

TEST(Linearisation, DampedOscillatorAndAFreeDirection) {
  Model m;
  m.gravity = Vec3::Zero();
  m.simulation.duration = 1;
  m.add(Body{.name = "cart", .mass = 2.0, .position = {1, 0, 0}});
  m.add(Joint{.name = "rail", .type = "point-on-plane", .from = "ground", .to = "cart", .normal = Vec3(0, 0, 1)});
  m.add(Force{.name = "k", .type = "force", .on = "cart", .force = Point{"-32*(cart.x - 1) - 4*cart.vx", 0.0, 0.0}});
  const Linearisation l = linearised(m);
  EXPECT_EQ(l.neutral, 2);  // y is free
  ASSERT_EQ(l.modes.size(), 1u);
  EXPECT_NEAR(l.modes[0].eigenvalue.real(), -1, 1e-9);
  EXPECT_NEAR(l.modes[0].eigenvalue.imag(), std::sqrt(15), 1e-9);
  EXPECT_NEAR(l.modes[0].damping_ratio(), 0.25, 1e-9);
}

TEST(Linearisation, SpinningTopIsStiffenedByItsSpin) {
  // A sleeping top is stable above (C n)² = 4 A m g l, with frequencies (C n ± sqrt(C² n² - 4 A m g l))/2A.
  const double A = 0.02, C = 0.01, mass = 0.5, l = 0.1, spin = 45;
  Model m;
  m.simulation.duration = 1;
  m.add(Body{.name = "top",
             .mass = mass,
             .inertia = Inertia{{A - mass * l * l, A - mass * l * l, C}, Vec3::Zero()},
             .position = {0, 0, l}})
      .angular_velocity = Vec3(0, 0, spin);
  m.add(Joint{.name = "tip", .type = "spherical", .from = "ground", .to = "top", .point = Point{0.0, 0.0, 0.0}});
  const auto upright = [&](double n) {
    m.bodies[0].angular_velocity = Vec3(0, 0, n);
    return linearised(m);
  };
  const Linearisation fast = upright(2 * spin);
  const double root = std::sqrt(C * C * 4 * spin * spin - 4 * A * mass * 9.81 * l);
  ASSERT_EQ(fast.modes.size(), 2u);
  EXPECT_NEAR(fast.modes[0].eigenvalue.imag(), (C * 2 * spin - root) / (2 * A), 1e-7);
  EXPECT_NEAR(fast.modes[1].eigenvalue.imag(), (C * 2 * spin + root) / (2 * A), 1e-7);
  double growth = 0;
  for (const Mode& mode : upright(0.9 * std::sqrt(4 * A * mass * 9.81 * l) / C).modes)
    growth = std::max(growth, mode.eigenvalue.real());
  EXPECT_GT(growth, 0.1) << "too slow";
}

TEST(Linearisation, BicycleAgreesWithThePublishedMatrices) {
  // M q'' + v C1 q' + (g K0 + v² K2) q = 0 for lean and steer, as published with the benchmark.
  Eigen::Matrix2d M, C1, K0, K2;
  M << 80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686;
  C1 << 0, 33.86641391492494, -0.85035641456978, 1.68540397397560;
  K0 << -80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618;
  K2 << 0, 76.59734589573222, 0, 2.65431523794604;
  for (const double v : {2.0, 4.5, 8.0}) {
    const Linearisation l =
        linearised(read_model(PLUMB_SOURCE_DIR "/cases/bicycle/model.toml", {{"v", std::to_string(v)}}));
    Eigen::Matrix4d A = Eigen::Matrix4d::Zero();
    A.topRightCorner<2, 2>().setIdentity();
    A.bottomLeftCorner<2, 2>() = -M.inverse() * (9.81 * K0 + v * v * K2);
    A.bottomRightCorner<2, 2>() = -M.inverse() * v * C1;
    const Eigen::Vector4cd exact = A.eigenvalues();
    EXPECT_EQ(l.positions, 7);
    EXPECT_EQ(l.velocities, 3);
    EXPECT_EQ(l.neutral, 6);
    for (const Mode& mode : l.modes)
      EXPECT_LT((exact.array() - mode.eigenvalue).abs().minCoeff(), 1e-7) << v << " m/s: " << mode.eigenvalue;
  }
}

TEST(Equilibrium, PendulumFallsToTheBottomFromAnywhere) {
  for (const double angle : {0.3, 1.5, 3.0}) {
    const Equilibrium e = find_equilibrium(testing::pendulum(angle, 0.8, 2.0));
    ASSERT_TRUE(e.found) << e.fault;
    EXPECT_NEAR(e.bodies[0].position.z(), -0.8, 1e-12);
    EXPECT_GT(e.least_stiffness, 0);
    EXPECT_NEAR(e.reactions[0].force.z(), 2 * 9.81, 1e-9);
  }
}

TEST(Equilibrium, BarOnASpringBalances) {
  // A bar hinged at one end, held by a vertical force k (h - z_tip) at the other: m g/2 = k (h - L sin(a)).
  const double L = 1, mass = 3, k = 60;
  Model m;
  m.simulation.duration = 1;
  m.add(Body{.name = "bar", .mass = mass, .shape = Box{{L, 0.02, 0.02}}, .position = {L / 2, 0, 0}});
  m.add(Joint{.name = "hinge",
              .type = "revolute",
              .from = "ground",
              .to = "bar",
              .point = Point{0.0, 0.0, 0.0},
              .axis = Vec3(0, 1, 0)});
  m.add(Force{.name = "lift",
              .type = "force",
              .on = "bar",
              .local = Point{L / 2, 0.0, 0.0},
              .force = Point{0.0, 0.0, "-60*(2*bar.z - 0.1)"}});
  const Equilibrium e = find_equilibrium(m);
  ASSERT_TRUE(e.found) << e.fault;
  EXPECT_NEAR(2 * e.bodies[0].position.z(), 0.1 - mass * 9.81 / (2 * k), 1e-10);
  EXPECT_NEAR(e.reactions[0].force.z(), mass * 9.81 / 2, 1e-8);
}

TEST(Equilibrium, NothingHoldsAFallingBody) {
  Model m;
  m.simulation.duration = 1;
  m.add(Body{.name = "stone", .mass = 1.0});
  const Equilibrium e = find_equilibrium(m);
  EXPECT_FALSE(e.found);
  EXPECT_NE(e.fault.find("stone"), std::string::npos) << e.fault;
}

// Whatever a drive does over time, at rest it only holds: the hinge carries the weight and its moment.
TEST(Equilibrium, DrivesHoldWithoutRateOrAcceleration) {
  struct Drive {
    const char *angle, *rate;
    double held;
  };
  for (const Drive& d : {Drive{"0.3 + 2*t^2", nullptr, 0.3}, Drive{"0.2*cos(9*t) + t", nullptr, 0.2},
                         Drive{nullptr, "4 + 30*t", 0.0}, Drive{nullptr, "5*sin(t) - 2*hinge.angle", 0.0}}) {
    const double mass = 1.7, arm = 0.6;
    Model m;
    m.simulation.duration = 1;
    m.add(Body{.name = "bar", .mass = mass, .shape = Box{{2 * arm, 0.1, 0.1}}, .position = {arm, 0, 0}});
    m.add(Joint{.name = "hinge",
                .type = "revolute",
                .from = "ground",
                .to = "bar",
                .point = Point{0.0, 0.0, 0.0},
                .axis = Vec3(0, -1, 0),
                .angle = d.angle ? std::optional<Quantity>(d.angle) : std::nullopt,
                .rate = d.rate ? std::optional<Quantity>(d.rate) : std::nullopt});
    const Equilibrium e = find_equilibrium(m);
    ASSERT_TRUE(e.found) << e.fault;
    EXPECT_EQ(e.degrees_of_freedom, 0);
    EXPECT_NEAR(e.bodies[0].position.z(), arm * std::sin(d.held), 1e-14);
    EXPECT_LT((e.reactions[0].force - Vec3(0, 0, mass * 9.81)).norm(), 1e-12);
    EXPECT_NEAR(e.reactions[0].moment.y(), -mass * 9.81 * arm * std::cos(d.held), 1e-12);
  }
}

// A pendulum on a moving pivot: at rest, and its frequency about rest, as if the pivot stood still.
TEST(Equilibrium, MovingPivotsStandStill) {
  Model m;
  m.simulation.duration = 1;
  m.add(Body{.name = "bob", .mass = 0.4, .position = {0.5, 0, 0}});
  m.add(Joint{
      .name = "rod", .type = "rod", .from = "ground", .to = "bob", .from_point = Point{"0.2*sin(7*t)", 0.0, "3*t^2"}});
  const Equilibrium e = find_equilibrium(m);
  ASSERT_TRUE(e.found) << e.fault;
  EXPECT_LT((e.bodies[0].position - Vec3(0, 0, -0.5)).norm(), 1e-12);
  const Linearisation l = linearise_about(e.system, e.y);
  EXPECT_LT(l.residual, 1e-12);
  ASSERT_EQ(l.modes.size(), 2u);
  for (const Mode& mode : l.modes) EXPECT_NEAR(mode.eigenvalue.imag(), std::sqrt(9.81 / 0.5), 1e-9);
}

}  // namespace
}  // namespace plumb
