// Motions with a known answer: closed forms, invariants, or the same mechanics written in minimal coordinates.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "plumb/study/cases/pendulum_exact.h"
#include "plumb/study/convergence.h"
#include "plumb/trajectory/result.h"
#include "models.h"

namespace plumb {
namespace {

constexpr double pi = std::numbers::pi;

// Classical Runge-Kutta for references in minimal coordinates, independent of the engine.
template <std::size_t N, class F>
std::array<double, N> reference(std::array<double, N> y, double duration, int steps, const F& f) {
  const double h = duration / steps;
  const auto plus = [](std::array<double, N> a, double s, const std::array<double, N>& b) {
    for (std::size_t i = 0; i < N; ++i) a[i] += s * b[i];
    return a;
  };
  for (int n = 0; n < steps; ++n) {
    const double t = n * h;
    const auto k1 = f(t, y), k2 = f(t + h / 2, plus(y, h / 2, k1)), k3 = f(t + h / 2, plus(y, h / 2, k2)),
               k4 = f(t + h, plus(y, h, k3));
    for (std::size_t i = 0; i < N; ++i) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return y;
}

double range(const std::vector<double>& v) {
  const auto [low, high] = std::ranges::minmax(v);
  return high - low;
}

TEST(KnownMotions, PendulumAgainstEllipticFunctions) {
  Model m = testing::pendulum(2.8, 0.6, 3.0, 3.7);  // almost upside down
  m.simulation.duration = 20;
  m.simulation.tolerance = 1e-12;
  const Result r = simulate(m);
  const PendulumExact exact{0.6, 3.7, 2.8};
  for (std::size_t i = 0; i < r.trajectory.rows(); ++i) {
    const auto row = r.trajectory.row(i);
    EXPECT_NEAR(row[r.trajectory.column("bob.x")], 0.6 * std::sin(exact.angle(row[0])), 2e-9);
  }
}

TEST(KnownMotions, SphericalPendulumKeepsAngularMomentumAboutTheVertical) {
  Model m = testing::pendulum(1.1, 1.4, 0.8);
  m.bodies[0].velocity = Vec3(0.3, 2.1, 0.589);
  m.simulation.duration = 30;
  m.simulation.tolerance = 1e-12;
  const Result r = simulate(m);
  EXPECT_LT(range(r.trajectory["angular_momentum.z"]), 1e-10);
  EXPECT_LT(r.audit.max_drift, 1e-9);
  EXPECT_LT(r.audit.violation[0], 1e-14);
}

TEST(KnownMotions, ConicalPendulumTurnsAtItsRate) {
  // Steady circle: omega² = g/(l cos a).
  const double a = 0.6, l = 1.3, omega = std::sqrt(9.81 / (l * std::cos(a)));
  Model m = testing::pendulum(a, l);
  m.bodies[0].velocity = Vec3(0, omega * l * std::sin(a), 0);
  m.simulation.duration = 7;
  m.simulation.tolerance = 1e-12;
  const Result r = simulate(m);
  EXPECT_NEAR(r.final[0].position.x(), l * std::sin(a) * std::cos(7 * omega), 1e-9);
  EXPECT_NEAR(r.final[0].position.y(), l * std::sin(a) * std::sin(7 * omega), 1e-9);
  EXPECT_LT(range(r.trajectory["bob.z"]), 1e-10);
  // Tension of the rod m g / cos a, pulling the mass up.
  EXPECT_NEAR(r.trajectory.last("rod.fz"), 9.81, 1e-8);
  EXPECT_NEAR(std::hypot(r.trajectory.last("rod.fx"), r.trajectory.last("rod.fy")), 9.81 * std::tan(a), 1e-8);
}

TEST(KnownMotions, FreeBodySpinningAboutItsMiddleAxis) {
  Model m;
  m.gravity = Vec3::Zero();
  m.add(Body{.name = "handle",
             .mass = 1.0,
             .inertia = Inertia{{1.0, 2.0, 2.7}, Vec3::Zero()},
             .position = {0, 0, 0},
             .velocity = Vec3(0.1, 0.2, 0.3),
             .angular_velocity_body = Vec3(1e-3, 5, 1e-3)});
  m.simulation.duration = 100;
  m.simulation.tolerance = 1e-14;
  const Result r = simulate(m);
  EXPECT_LT(r.audit.max_drift, 1e-10);
  for (const char* c : {"angular_momentum.x", "angular_momentum.y", "angular_momentum.z"})
    EXPECT_LT(range(r.trajectory[c]), 1e-10) << c;
  // It tumbles: the middle axis turns right over, from up to down, and back.
  double lowest = 1;
  for (std::size_t i = 0; i < r.trajectory.rows(); ++i) {
    const double qx = r.trajectory["handle.qx"][i], qz = r.trajectory["handle.qz"][i];
    lowest = std::min(lowest, 1 - 2 * (qx * qx + qz * qz));
  }
  EXPECT_LT(lowest, -0.99);
  EXPECT_NEAR((r.final[0].position - Vec3(10, 20, 30)).norm(), 0, 1e-10);
}

TEST(KnownMotions, SymmetricTopPrecessesAtItsRate) {
  // Torque-free: the spin axis circles the angular momentum at |L|/J.
  const double J = 0.4, spin = 3, across = 1.1, axial = 0.9;
  Model m;
  m.gravity = Vec3::Zero();
  m.add(Body{.name = "top",
             .mass = 1.0,
             .inertia = Inertia{{J, J, axial * J}, Vec3::Zero()},
             .angular_velocity_body = Vec3(across, 0, spin)});
  m.simulation.tolerance = 1e-12;
  const Vec3 L(J * across, 0, axial * J * spin);
  m.simulation.duration = 2 * pi / (L.norm() / J);  // one turn of the spin axis about L
  const Result r = simulate(m);
  const Vec3 axis = r.final[0].rotation->rotate(Vec3::UnitZ());
  EXPECT_NEAR((axis - Vec3::UnitZ()).norm(), 0, 1e-9);
}

Model heavy_top(double duration) {
  Model m;
  m.add(Body{.name = "top",
             .mass = 15.0,
             .inertia = Inertia{{0.234375, 0.46875, 0.234375}, Vec3::Zero()},
             .position = {0, 1, 0},
             .angular_velocity_body = Vec3(0, 150, -4.61538)});
  m.add(Joint{.name = "tip", .type = "spherical", .from = "ground", .to = "top", .point = Point{0.0, 0.0, 0.0}});
  m.simulation.duration = duration;
  return m;
}

TEST(KnownMotions, HeavyTopConvergesWithTheOrderOfTheMethod) {
  Model m = heavy_top(0.5);
  m.simulation.tolerance = 1e-13;
  const Result exact = simulate(m);
  // Energy and the momentum about the vertical are kept.
  EXPECT_LT(exact.audit.max_drift / exact.audit.initial.kinetic, 1e-11);
  EXPECT_LT(range(exact.trajectory["angular_momentum.z"]), 1e-9);
  m.simulation.tolerance.reset();
  for (const auto& [method, order] :
       {std::pair("projected/midpoint", 2), {"projected/rk4", 4}, {"projected/dopri5", 5}, {"rattle", 2}}) {
    std::vector<double> steps, errors;
    for (const int n : {1000, 1500, 2250}) {
      m.simulation.method = method;
      m.simulation.step = 0.5 / n;
      steps.push_back(0.5 / n);
      errors.push_back((simulate(m).final[0].position - exact.final[0].position).norm());
    }
    EXPECT_NEAR(measured_order(steps, errors), order, 0.3) << method;
  }
}

// Angles from the vertical, unit masses and lengths.
std::array<double, 4> double_pendulum(double, const std::array<double, 4>& y) {
  const auto [a, b, u, w] = y;
  const double d = a - b, c = std::cos(d), s = std::sin(d), g = 9.81;
  // [2 c; c 1] (u', w') = (-2 g sin a - w² s, -g sin b + u² s)
  const double p = -2 * g * std::sin(a) - w * w * s, q = -g * std::sin(b) + u * u * s, det = 2 - c * c;
  return {u, w, (p - c * q) / det, (2 * q - c * p) / det};
}

Model double_pendulum_of_points() {
  Model m;
  const double a = pi / 3, b = pi / 5;
  const Vec3 p1(std::sin(a), 0, 2 - std::cos(a)), p2 = p1 + Vec3(std::sin(b), 0, -std::cos(b));
  m.add(Body{.name = "m1", .mass = 1.0, .position = p1});
  m.add(Body{.name = "m2", .mass = 1.0, .position = p2});
  m.add(Joint{.name = "rod1", .type = "rod", .from = "ground", .to = "m1", .from_point = Point{0.0, 0.0, 2.0}});
  m.add(Joint{.name = "rod2", .type = "rod", .from = "m1", .to = "m2"});
  m.simulation.duration = 2;
  m.simulation.tolerance = 1e-12;
  return m;
}

TEST(KnownMotions, DoublePendulumAgreesWithMinimalCoordinates) {
  const auto y = reference<4>({pi / 3, pi / 5, 0, 0}, 2, 200000, double_pendulum);
  const Vec3 p1(std::sin(y[0]), 0, 2 - std::cos(y[0])), p2 = p1 + Vec3(std::sin(y[1]), 0, -std::cos(y[1]));
  const Result r = simulate(double_pendulum_of_points());
  EXPECT_NEAR((r.final[0].position - p1).norm(), 0, 1e-9);
  EXPECT_NEAR((r.final[1].position - p2).norm(), 0, 1e-9);
}

TEST(KnownMotions, MassOnASpringWithDamper) {
  const double m0 = 1.7, k = 40, c = 2.2, g = 9.81;
  Model m;
  m.add(Body{.name = "mass", .mass = m0, .position = {0, 0, -1.2}});
  m.add(Force{.name = "spring",
              .type = "spring",
              .from = "ground",
              .to = "mass",
              .from_point = Point{0.0, 0.0, 0.0},
              .stiffness = k,
              .damping = c,
              .length = 1.0});
  m.simulation.duration = 4;
  m.simulation.tolerance = 1e-12;
  const Result r = simulate(m);
  const double rest = -1 - m0 * g / k, delta = c / (2 * m0), omega = std::sqrt(k / m0 - delta * delta),
               x0 = -1.2 - rest;
  const auto x = [&](double t) {
    return rest + x0 * std::exp(-delta * t) * (std::cos(omega * t) + delta / omega * std::sin(omega * t));
  };
  for (std::size_t i = 0; i < r.trajectory.rows(); i += 37) {
    const auto row = r.trajectory.row(i);
    EXPECT_NEAR(row[r.trajectory.column("mass.z")], x(row[0]), 1e-10);
  }
  // What the energy lost, the damper took.
  EXPECT_LT(r.audit.max_drift, 1e-10);
  EXPECT_NEAR(r.audit.final.dissipated, r.audit.initial.total() - r.audit.final.total(), 1e-10);
  EXPECT_GT(r.audit.final.dissipated, 0.5);
}

TEST(KnownMotions, DrivenPendulumAgreesWithMinimalCoordinates) {
  // Pivot shaken along x and z: l th'' = -(g + zp'') sin th - xp'' cos th.
  Model m = testing::pendulum(0.4, 0.9, 1.1);
  m.joints[0].from_point = Point{"0.1*sin(7*t)", 0.0, "0.05*(1 - cos(11*t))"};
  m.simulation.duration = 5;
  m.simulation.tolerance = 1e-12;
  const Result r = simulate(m);
  // The mass starts with the least motion the moving pivot allows: along the rod. Seen from the pivot, whose
  // velocity is (0.7, 0, 0), it therefore moves across the rod at -0.7 cos(0.4).
  const auto y =
      reference<2>({0.4, -0.7 * std::cos(0.4) / 0.9}, 5, 200000, [](double t, const std::array<double, 2>& s) {
        const double ax = -4.9 * std::sin(7 * t), az = 6.05 * std::cos(11 * t);
        return std::array<double, 2>{s[1], (-(9.81 + az) * std::sin(s[0]) - ax * std::cos(s[0])) / 0.9};
      });
  const Vec3 pivot(0.1 * std::sin(35.0), 0, 0.05 * (1 - std::cos(55.0)));
  EXPECT_NEAR((r.final[0].position - pivot - 0.9 * Vec3(std::sin(y[0]), 0, -std::cos(y[0]))).norm(), 0, 1e-8);
  EXPECT_LT(r.audit.max_drift, 1e-8);
  EXPECT_GT(std::abs(r.audit.final.work), 0.01);
}

TEST(KnownMotions, DrivenRevoluteFollowsItsAngleExactly) {
  Model m;
  m.add(Body{.name = "arm", .mass = 2.0, .shape = Box{{1, 0.1, 0.1}}, .position = {0.5, 0, 0}});
  m.add(Joint{.name = "motor",
              .type = "revolute",
              .from = "ground",
              .to = "arm",
              .point = Point{0.0, 0.0, 0.0},
              .axis = Vec3(0, -1, 0),
              .angle = Quantity("3*t - sin(t)")});
  m.simulation.duration = 6;
  m.simulation.tolerance = 1e-12;
  const Result r = simulate(m);
  for (std::size_t i = 0; i < r.trajectory.rows(); i += 50) {
    const auto row = r.trajectory.row(i);
    EXPECT_NEAR(row[r.trajectory.column("motor.angle")], 3 * row[0] - std::sin(row[0]),
                1e-12);  // several turns, counted
    EXPECT_NEAR(row[r.trajectory.column("motor.rate")], 3 - std::cos(row[0]), 1e-12);
  }
  // The motor's torque: J theta'' + gravity.
  const double theta = 18 - std::sin(6.0), J = 2.0 * (1 + 0.01) / 12 + 2.0 * 0.25;
  EXPECT_NEAR(r.trajectory.last("motor.ty"), -(J * std::sin(6.0) + 2.0 * 9.81 * 0.5 * std::cos(theta)), 1e-8);
  EXPECT_LT(r.audit.max_drift, 1e-9);
}

TEST(KnownMotions, DrivenRodPumpsASwing) {
  // A swing of variable length: l th'' + 2 l' th' + g sin th = 0.
  Model m = testing::pendulum(0.3, 1.0, 1.0);
  m.joints[0].length = Quantity("1 + 0.1*sin(6*t)");
  m.simulation.duration = 6;
  m.simulation.tolerance = 1e-12;
  const Result r = simulate(m);
  const auto y = reference<2>({0.3, 0}, 6, 200000, [](double t, const std::array<double, 2>& s) {
    const double l = 1 + 0.1 * std::sin(6 * t), rate = 0.6 * std::cos(6 * t);
    return std::array<double, 2>{s[1], -(2 * rate * s[1] + 9.81 * std::sin(s[0])) / l};
  });
  const double l = 1 + 0.1 * std::sin(36.0);
  EXPECT_NEAR(r.final[0].position.x(), l * std::sin(y[0]), 1e-8);
  EXPECT_NEAR(r.final[0].position.z(), -l * std::cos(y[0]), 1e-8);
  EXPECT_LT(r.audit.max_drift, 1e-8);
}

TEST(KnownMotions, TorsionPendulumWindsSeveralTurns) {
  // J th'' = -k th from th = 9 rad: more than one turn, so the spring must count turns.
  Model m;
  m.gravity = Vec3::Zero();
  m.add(Body{.name = "disc", .mass = 1.0, .shape = Cylinder{0.5, 0.1}, .angular_velocity = Vec3(0, 0, 30)});
  m.add(Joint{.name = "pin",
              .type = "revolute",
              .from = "ground",
              .to = "disc",
              .point = Point{0.0, 0.0, 0.0},
              .axis = Vec3(0, 0, 1)});
  m.add(Force{.name = "spring", .type = "torsion", .joint = "pin", .stiffness = 1.1});
  m.simulation.duration = 5;
  m.simulation.tolerance = 1e-11;
  const Result r = simulate(m);
  const double omega = std::sqrt(1.1 / (0.25 / 2));
  EXPECT_GT(std::ranges::max(r.trajectory["pin.angle"]), 2 * pi);
  EXPECT_NEAR(r.trajectory.last("pin.angle"), 30 / omega * std::sin(omega * 5), 1e-8);
  EXPECT_LT(r.audit.max_drift, 1e-8);
}

TEST(KnownMotions, CompoundPendulumOnARevoluteJoint) {
  // A rigid body swings like a mathematical pendulum of length J/(m d).
  const Box box{{0.2, 0.3, 0.9}};
  const double d = 0.35, J = (0.2 * 0.2 + 0.9 * 0.9) / 12 + d * d, a = 1.0;
  Model m;
  m.add(Body{.name = "bar",
             .mass = 2.5,
             .shape = box,
             .position = {d * std::sin(a), 0, -d * std::cos(a)},
             .rotation = Quaternion::from_axis_angle({0, 1, 0}, -a)});
  m.add(Joint{.name = "pin",
              .type = "revolute",
              .from = "ground",
              .to = "bar",
              .point = Point{0.0, 0.0, 0.0},
              .axis = Vec3(0, 1, 0)});
  m.simulation.duration = 3;
  m.simulation.tolerance = 1e-12;
  const Result r = simulate(m);
  const PendulumExact exact{J / d, 9.81, a};
  EXPECT_NEAR(r.final[0].position.x(), d * std::sin(exact.angle(3)), 1e-10);
  // Tilting the whole arrangement, gravity included, changes nothing.
  const Quaternion tilt = Quaternion{0.7, 0.3, -0.5, 0.2}.normalized();
  Model tilted = m;
  tilted.gravity = tilt.rotate(m.gravity);
  tilted.bodies[0].position = tilt.rotate(m.bodies[0].position);
  tilted.bodies[0].rotation = tilt * m.bodies[0].rotation;
  tilted.joints[0].axis = tilt.rotate(*m.joints[0].axis);
  EXPECT_NEAR((simulate(tilted).final[0].position - tilt.rotate(r.final[0].position)).norm(), 0, 1e-10);
}

TEST(KnownMotions, MassCentreOffsetOnlyMovesTheCoordinates) {
  // The same body described about its centre and about a corner.
  const Inertia I{{0.4, 0.5, 0.3}, {0.02, -0.05, 0.04}};
  const Quaternion q = Quaternion{0.6, 0.2, 0.3, -0.4}.normalized();
  Model a, b;
  a.add(Body{.name = "body", .mass = 2.0, .inertia = I, .position = {0.3, 0.1, -0.2}, .rotation = q});
  a.add(Joint{.name = "pin",
              .type = "spherical",
              .from = "ground",
              .to = "body",
              .from_local = Point{0.0, 0.0, 0.0},
              .to_local = Point{0.1, 0.2, 0.3}});
  b.add(Body{.name = "body",
             .mass = 2.0,
             .inertia = I,
             .mass_center = Vec3(-0.5, 0.4, 0.2),
             .position = {0.3, 0.1, -0.2},
             .rotation = q});
  b.add(Joint{.name = "pin",
              .type = "spherical",
              .from = "ground",
              .to = "body",
              .from_local = Point{0.0, 0.0, 0.0},
              .to_local = Point{-0.4, 0.6, 0.5}});
  a.simulation.duration = b.simulation.duration = 1;
  const Result ra = simulate(a), rb = simulate(b);
  EXPECT_NEAR((ra.final[0].position - rb.final[0].position).norm(), 0, 1e-10);
}

TEST(KnownMotions, TwoMechanismsInOneFileDoNotDisturbEachOther) {
  Model both = double_pendulum_of_points();
  Model top = heavy_top(2);
  both.add(top.bodies[0]);
  both.add(top.joints[0]);
  const Result r = simulate(both), alone = simulate(double_pendulum_of_points());
  for (int i = 0; i < 2; ++i) EXPECT_NEAR((r.final[i].position - alone.final[i].position).norm(), 0, 1e-10);
  top.simulation.tolerance = 1e-12;
  EXPECT_NEAR((r.final[2].position - simulate(top).final[0].position).norm(), 0, 1e-7);
}

TEST(KnownMotions, HeavyMassOnALightChain) {
  // Ten links of 1 g carry 1000 kg: the pendulum period of the load is that of a rod of ten metres.
  Model m;
  const int n = 10;
  const double a = 0.01;
  for (int i = 0; i < n; ++i) {
    const Vec3 at = (i + 0.5) * Vec3(std::sin(a), 0, -std::cos(a));
    m.add(Body{.name = "link" + std::to_string(i),
               .mass = 1e-3,
               .inertia = Inertia{{1e-4, 1e-4, 1e-6}, Vec3::Zero()},
               .position = at,
               .rotation = Quaternion::from_axis_angle({0, 1, 0}, -a)});
    const Vec3 p = i * Vec3(std::sin(a), 0, -std::cos(a));
    m.add(Joint{.name = "j" + std::to_string(i),
                .type = "spherical",
                .from = i ? "link" + std::to_string(i - 1) : "ground",
                .to = "link" + std::to_string(i),
                .point = Point{p.x(), p.y(), p.z()}});
  }
  const Vec3 end = n * Vec3(std::sin(a), 0, -std::cos(a));
  m.add(Body{.name = "load", .mass = 1000.0, .position = end});
  m.add(Joint{.name = "hook", .type = "spherical", .from = "link9", .to = "load"});
  const PendulumExact exact{static_cast<double>(n), 9.81, a};
  m.simulation.duration = exact.period() / 4;
  m.simulation.tolerance = 1e-9;
  const Result r = simulate(m);
  ASSERT_TRUE(r.outcome.is_success());
  EXPECT_NEAR(r.final[n].position.x(), 0, 2e-5);
  EXPECT_LT(r.audit.violation[0], 1e-12);
  EXPECT_LT(r.audit.max_drift, 1e-4);
}

}  // namespace
}  // namespace plumb
