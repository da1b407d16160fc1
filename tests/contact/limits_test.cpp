// Limits of joints and ropes: closed forms of when they strike and how they rebound.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "plumb/trajectory/result.h"
#include "models.h"

namespace plumb {
namespace {

TEST(Rope, AFallingMassIsCaughtWhenTheRopeIsTaut) {
  Model m;
  m.simulation.duration = 1;
  m.simulation.tolerance = 1e-12;
  m.add(Body{.name = "stone", .mass = 2.0});
  m.add(Joint{.name = "rope",
              .type = "rope",
              .from = "ground",
              .to = "stone",
              .from_point = Point{0.0, 0.0, 0.0},
              .to_local = Point{0.0, 0.0, 0.0},
              .length = Quantity(0.8)});
  m.bodies[0].position = {0, 0, -0.1};
  Result r = simulate(m);
  ASSERT_TRUE(r.outcome.is_success()) << r.outcome.describe();
  ASSERT_EQ(r.impacts.size(), 1u);
  const double t = std::sqrt(2 * 0.7 / 9.81), v = 9.81 * t;
  EXPECT_NEAR(r.impacts[0].impact.time, t, 1e-11);
  EXPECT_NEAR(r.impacts[0].impact.energy_lost, v * v, 1e-9);
  EXPECT_NEAR(r.final[0].position.z(), -0.8, 1e-11);
  EXPECT_NEAR(r.trajectory["rope-taut.fz"].back(), 2 * 9.81, 1e-8);
  EXPECT_LT(r.audit.max_drift, 1e-9);
  // Elastic: it is thrown back up.
  m.joints[0].restitution = 0.5;
  m.simulation.duration = t + 0.1;
  r = simulate(m);
  EXPECT_NEAR(r.final[0].velocity.z(), 0.5 * v - 0.981, 1e-9);
}

TEST(Rope, TautItIsAPendulumUntilItGoesSlack) {
  // Thrown around the top too slowly: the rope goes slack where the centripetal force falls to zero,
  // v² = g l cos(phi), phi from the upright; v0² at the bottom = g l (2 + 3 cos(phi)).
  const double l = 0.9, g = 9.81, phi = 0.8;
  Model m;
  m.simulation.duration = 3;
  m.simulation.tolerance = 1e-12;
  m.add(Body{.name = "stone",
             .mass = 0.5,
             .position = {0, 0, -l},
             .velocity = Vec3(std::sqrt(g * l * (2 + 3 * std::cos(phi))), 0, 0)});
  m.add(Joint{.name = "rope", .type = "rope", .from = "ground", .to = "stone", .from_point = Point{0.0, 0.0, 0.0}});
  m.add(Event{.name = "slack",
              .zero_of = "rope-taut.gap - 1e-6",
              .direction = Event::Direction::rising,
              .action = Event::Action::stop});
  const Result r = simulate(m);
  ASSERT_EQ(r.outcome.kind, Outcome::Kind::stopped_by_event) << r.outcome.describe();
  // A gap of 1e-6 m opens a little later, as the cube of the time: within about 1e-2.
  EXPECT_NEAR(std::atan2(r.final[0].position.x(), r.final[0].position.z()), phi, 0.05);
  EXPECT_LT(r.audit.max_drift, 1e-9);
}

TEST(Limits, APendulumBouncesAtItsLargestAngle) {
  for (const bool reversed : {false, true}) {
    Model m;
    m.simulation.duration = 1.2;
    m.simulation.tolerance = 1e-12;
    m.add(Body{
        .name = "bar", .mass = 1.0, .inertia = Inertia{{0.02, 0.06, 0.05}, Vec3::Zero()}, .position = {0.5, 0, 0}});
    m.add(Joint{.name = "pin",
                .type = "revolute",
                .from = reversed ? "bar" : "ground",
                .to = reversed ? "ground" : "bar",
                .point = Point{0.0, 0.0, 0.0},
                .axis = Vec3(0, reversed ? -1 : 1, 0),
                .limits = std::vector<double>{-1, 0.7},
                .restitution = 0.6});
    m.simulation.output_every = 0.001;
    const Result r = simulate(m);
    ASSERT_TRUE(r.outcome.is_success()) << r.outcome.describe();
    ASSERT_GE(r.impacts.size(), 1u);
    // Falls by 0.5 sin(0.7): w² = 2 m g h/J.
    const double J = 0.06 + 0.25, w = std::sqrt(2 * 9.81 * 0.5 * std::sin(0.7) / J);
    EXPECT_NEAR(r.impacts[0].impact.normal_before, -w, 1e-9);
    EXPECT_NEAR(r.impacts[0].impact.normal_after, 0.6 * w, 1e-9);
    EXPECT_NEAR(r.impacts[0].impact.energy_lost, J * w * w / 2 * (1 - 0.36), 1e-9);
    for (double a : r.trajectory["pin.angle"]) EXPECT_LT(a, 0.7 + 1e-9);
    EXPECT_LT(r.audit.max_drift, 1e-9);
    EXPECT_LT(r.audit.violation[0], 1e-12);
  }
}

TEST(Limits, ASliderComesToRestAtItsEnd) {
  // On a rail that itself turns: the block slides outwards and stays at the end, held by the centripetal force.
  Model m;
  m.gravity = Vec3::Zero();
  m.simulation.duration = 3;
  m.simulation.tolerance = 1e-11;
  m.add(Body{.name = "rail", .mass = 1.0, .inertia = Inertia{{0.1, 0.1, 0.2}, Vec3::Zero()}});
  m.add(Body{
      .name = "block", .mass = 0.5, .inertia = Inertia{{0.01, 0.01, 0.01}, Vec3::Zero()}, .position = {0.2, 0, 0}});
  m.add(Joint{.name = "axle",
              .type = "revolute",
              .from = "ground",
              .to = "rail",
              .point = Point{0.0, 0.0, 0.0},
              .axis = Vec3(0, 0, 1),
              .rate = Quantity(2.0)});
  m.add(Joint{.name = "slide",
              .type = "prismatic",
              .from = "rail",
              .to = "block",
              .axis = Vec3(1, 0, 0),
              .limits = std::vector<double>{-0.1, 0.5}});
  const Result r = simulate(m);
  ASSERT_TRUE(r.outcome.is_success()) << r.outcome.describe();
  EXPECT_NEAR(r.trajectory["slide.displacement"].back(), 0.5, 1e-10);
  // 0.2 cosh(2 t) = 0.7
  EXPECT_NEAR(r.impacts.at(0).impact.time, std::acosh(3.5) / 2, 1e-10);
  const double f = std::hypot(r.trajectory["slide-largest.fx"].back(), r.trajectory["slide-largest.fy"].back());
  EXPECT_NEAR(f, 0.5 * 4 * 0.7, 1e-8);
}

// A mass between two distances of a fixed point, without gravity: it strikes one after the other, and both times are
// known.
TEST(Distance, AMassIsKeptBetweenItsLimits) {
  Model m;
  m.gravity = Vec3::Zero();
  m.simulation.duration = 1.5;
  m.simulation.tolerance = 1e-12;
  m.add(Body{.name = "bead", .mass = 2.0, .position = {1, 0, 0}, .velocity = Vec3(2, 0, 0)});
  m.add(Joint{.name = "slack",
              .type = "distance",
              .from = "ground",
              .to = "bead",
              .from_point = Point{0.0, 0.0, 0.0},
              .to_local = Point{0.0, 0.0, 0.0},
              .limits = std::vector<double>{0.5, 1.6},
              .restitution = 1.0});
  const Result r = simulate(m);
  ASSERT_TRUE(r.outcome.is_success()) << r.outcome.describe();
  ASSERT_EQ(r.impacts.size(), 3u);
  EXPECT_NEAR(r.impacts[0].impact.time, 0.3, 1e-12);
  EXPECT_NEAR(r.impacts[1].impact.time, 0.85, 1e-12);
  EXPECT_NEAR(r.impacts[2].impact.time, 1.4, 1e-12);
  EXPECT_NEAR(r.final[0].position.x(), 1.4, 1e-11);
  // Pushed against the nearer one it turns about the point at that distance, bearing the centripetal force.
  m.joints[0].restitution = 0.0;
  m.bodies[0].position = {0.5, 0, 0};
  m.bodies[0].velocity = Vec3(-1e-9, 0.8, 0);
  m.add(Force{.name = "push", .type = "force", .on = "bead", .force = Point{"-50*bead.x", "-50*bead.y", 0.0}});
  const Result held = simulate(m);
  ASSERT_TRUE(held.outcome.is_success()) << held.outcome.describe();
  EXPECT_NEAR(held.final[0].position.norm(), 0.5, 1e-12);
  EXPECT_NEAR(held.final[0].velocity.norm(), 0.8, 1e-10);
  const double angle = 0.8 * 1.5 / 0.5, force = 25 - 2 * 0.64 / 0.5;
  EXPECT_NEAR(held.trajectory["slack-least.fx"].back(), force * std::cos(angle), 1e-7);
}

// Time stepping keeps limits too: a bar falls onto a stop and stays there, within the order of the step.
TEST(Limits, HoldInTimeStepping) {
  for (const char* method : {"moreau", "trapezoidal"}) {
    Model m;
    m.simulation.duration = 1;
    m.simulation.step = 1e-3;
    m.simulation.method = method;
    m.add(Body{
        .name = "bar", .mass = 2.0, .inertia = Inertia{{1e-3, 0.06, 0.06}, Vec3::Zero()}, .position = {0.3, 0, 0}});
    m.add(Joint{.name = "pin",
                .type = "revolute",
                .from = "ground",
                .to = "bar",
                .point = Point{0.0, 0.0, 0.0},
                .axis = Vec3::UnitY(),
                .limits = std::vector<double>{-0.2, 0.7}});
    m.add(Body{.name = "stone", .mass = 0.5, .position = {2, 0, 0}});
    m.add(Joint{.name = "rope",
                .type = "rope",
                .from = "ground",
                .to = "stone",
                .from_point = Point{2.0, 0.0, 0.0},
                .to_local = Point{0.0, 0.0, 0.0},
                .length = Quantity(0.4)});
    const Result r = simulate(m);
    ASSERT_TRUE(r.outcome.is_success()) << method << ": " << r.outcome.describe();
    EXPECT_NEAR(r.trajectory["pin.angle"].back(), 0.7, 1e-6) << method;
    EXPECT_NEAR(r.trajectory["pin.rate"].back(), 0, 1e-6) << method;
    // It bears what gravity turns with.
    EXPECT_NEAR(std::abs(r.trajectory["pin-largest.fy"].back()), 2 * 9.81 * 0.3 * std::cos(0.7), 1e-3) << method;
    EXPECT_NEAR(r.final[1].position.z(), -0.4, 1e-6) << method;
    EXPECT_NEAR(r.trajectory["rope-taut.fz"].back(), 0.5 * 9.81, 1e-4) << method;
    // A blow without rebound may take two steps; together they lose what was fallen, but for the force times the way of
    // a step.
    double lost = 0;
    for (const ImpactRecord& i : r.impacts) lost += i.impact.energy_lost;
    EXPECT_GE(r.impacts.size(), 2u) << method;
    EXPECT_NEAR(lost, 2 * 9.81 * 0.3 * std::sin(0.7) + 0.5 * 9.81 * 0.4, 0.05) << method;
  }
}

}  // namespace
}  // namespace plumb
