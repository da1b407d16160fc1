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

}  // namespace
}  // namespace plumb
