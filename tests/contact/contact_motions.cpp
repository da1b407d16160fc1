// Motions with contact that are known in closed form, with numbers no case uses.
#include <gtest/gtest.h>

#include <cmath>

#include "plumb/model/reader.h"
#include "plumb/simulation/simulation.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

Model floor_model(double restitution, double friction) {
  Model m;
  m.add(Contact{
      .name = "floor", .plane = PlaneSurface{{0, 0, 0}, {0, 0, 1}}, .restitution = restitution, .friction = friction});
  m.simulation.duration = 2;
  return m;
}

TEST(ContactMotions, AFastPointIsNotMissedByALongStep) {
  // Up and down through the floor within one step of 2 s: a touch that begins and ends inside it.
  Model m = floor_model(0.5, 0);
  m.add(Body{.name = "p", .mass = 1.0, .position = {0, 0, 0.1}, .velocity = Vec3(1, 0, -0.5)});
  m.gravity = {0, 0, 2.0};
  m.simulation.method = "projected/rk4";
  m.simulation.step = 2;
  // z = 0.1 - 0.5 t + t²: no real root of the floor unless it is reached; with -0.7 it is.
  EXPECT_TRUE(simulate(m).impacts.empty());
  m.bodies[0].velocity = Vec3(1, 0, -0.7);
  const Result r = simulate(m);
  ASSERT_EQ(r.impacts.size(), 1u);
  EXPECT_NEAR(r.impacts[0].impact.time, (0.7 - std::sqrt(0.49 - 0.4)) / 2, 1e-14);
}

TEST(ContactMotions, AWallStopsWhatHitsItAndNotWhatPassesBeside) {
  for (const double y : {0.0, 0.49, 0.52, 0.7}) {
    Model m;
    m.gravity = Vec3::Zero();
    m.add(Body{.name = "b", .mass = 1.0, .shape = Sphere{0.1}, .position = {1, y, 0}, .velocity = Vec3(-1, 0, 0)});
    m.add(Contact{.name = "wall", .wall = WallSurface{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, 1.0, 1.0}, .restitution = 1});
    m.simulation.duration = 2;
    const Result r = simulate(m);
    ASSERT_TRUE(r.outcome.is_success()) << r.outcome.describe();
    EXPECT_EQ(r.impacts.size(), y > 0.6 ? 0u : 1u) << y;
    if (y < 0.5) {
      EXPECT_NEAR(r.impacts[0].impact.time, 0.9, 1e-13);
    }
    if (y == 0.52) {  // its edge
      EXPECT_NEAR(r.impacts[0].impact.time, 1 - std::sqrt(0.01 - 0.02 * 0.02), 1e-12);
      EXPECT_NEAR(r.final[0].velocity.norm(), 1, 1e-12);
    }
  }
}

TEST(ContactMotions, AWallIsSolidFromBothSidesAndAPointCannotGetThrough) {
  for (const double side : {-1.0, 1.0}) {
    Model m;
    m.gravity = Vec3::Zero();
    m.add(Body{.name = "p", .mass = 1.0, .position = {side, 0, 0}, .velocity = Vec3(-3 * side, 0, 0)});
    m.add(Contact{.name = "wall", .wall = WallSurface{{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1.0, 1.0}, .restitution = 0.5});
    m.simulation.duration = 1;
    const Result r = simulate(m);
    ASSERT_EQ(r.impacts.size(), 1u);
    EXPECT_NEAR(r.final[0].position.x(), side * 1.5 * (1 - 1.0 / 3), 1e-12);
  }
}

TEST(ContactMotions, ABoxFallsFlatAndRests) {
  Model m = floor_model(0.3, 0.5);
  m.add(Body{.name = "box", .mass = 2.0, .shape = Box{{0.4, 0.3, 0.2}}, .position = {0, 0, 0.5}});
  const Result r = simulate(m);
  ASSERT_TRUE(r.outcome.is_success()) << r.outcome.describe();
  EXPECT_NEAR(r.final[0].position.z(), 0.1, 1e-12);
  EXPECT_NEAR(r.trajectory.last("floor.fz"), 2 * 9.81, 1e-9);
  EXPECT_LT(r.audit.max_drift, 1e-9);
}

TEST(ContactMotions, ATumblingBoxComesToRestOnAFace) {
  Model m = floor_model(0.2, 0.6);
  m.add(Body{.name = "box",
             .mass = 1.0,
             .shape = Box{{0.4, 0.3, 0.2}},
             .position = {0, 0, 0.8},
             .rotation = Quaternion::from_axis_angle({1, 0.4, 0.2}, 0.6),
             .velocity = Vec3(0.3, 0, 0),
             .angular_velocity = Vec3(1, 2, 0.5)});
  m.simulation.duration = 5;
  const Result r = simulate(m);
  ASSERT_TRUE(r.outcome.is_success()) << r.outcome.describe();
  EXPECT_LT(r.final[0].velocity.norm(), 1e-9);
  const double z = r.final[0].position.z();
  EXPECT_TRUE(std::abs(z - 0.1) < 1e-9 || std::abs(z - 0.15) < 1e-9 || std::abs(z - 0.2) < 1e-9) << z;
  EXPECT_LT(r.audit.max_drift, 1e-7);
}

TEST(ContactMotions, ContactOpensWhereItsForceWouldPull) {
  // A bead leaves a sphere on which it slides down where cos(theta) = 2/3.
  Model m;
  m.add(Body{.name = "ball", .mass = 1.0, .shape = Sphere{1.0}});
  m.add(Joint{.name = "hold", .type = "fixed", .from = "ground", .to = "ball"});
  m.add(Body{.name = "bead", .mass = 0.1, .position = {std::sin(0.1), 0, std::cos(0.1)}});
  m.add(Contact{.name = "skin", .between = std::vector<std::string>{"ball", "bead"}});
  m.add(Event{
      .name = "leaves", .zero_of = "skin.fz", .direction = Event::Direction::falling, .action = Event::Action::stop});
  m.simulation.duration = 10;
  const Result r = simulate(m);
  ASSERT_EQ(r.outcome.kind, Outcome::Kind::stopped_by_event) << r.outcome.describe();
  EXPECT_NEAR(r.final[1].position.z(), 2.0 / 3 * std::cos(0.1), 1e-8);
  EXPECT_LT(r.audit.max_drift, 1e-10);
}

TEST(ContactMotions, APendulumOnARodStrikesASphereAndReportsTheRodsForces) {
  // Joints and contacts in one impact: equal masses, straight blow, restitution 1: they exchange velocities.
  Model m;
  m.add(Body{.name = "a", .mass = 1.0, .shape = Sphere{0.1}, .position = {-1, 0, 0}});
  m.add(Body{.name = "b", .mass = 1.0, .shape = Sphere{0.1}, .position = {0.2, 0, -1}});
  m.add(Joint{.name = "ra", .type = "rod", .from = "ground", .to = "a", .from_point = Point{0.0, 0.0, 0.0}});
  m.add(Joint{.name = "rb", .type = "rod", .from = "ground", .to = "b", .from_point = Point{0.2, 0.0, 0.0}});
  m.add(Contact{.name = "c", .between = std::vector<std::string>{"a", "b"}, .restitution = 1});
  m.simulation.duration = 1;
  m.simulation.tolerance = 1e-12;
  const Result r = simulate(m);
  ASSERT_GE(r.impacts.size(), 1u);
  EXPECT_NEAR(r.impacts[0].impact.normal_before, -std::sqrt(2 * 9.81), 1e-9);
  EXPECT_NEAR(r.impacts[0].impact.normal_impulse, std::sqrt(2 * 9.81), 1e-9);
  EXPECT_NEAR(r.impacts[0].impact.energy_lost, 0, 1e-12);
}

TEST(ContactMotions, OverlapAtTheStartIsAnInconsistentStartNamingTheContact) {
  Model m = floor_model(0.5, 0);
  m.add(Body{.name = "low", .mass = 1.0, .shape = Sphere{0.2}, .position = {0, 0, 0.15}});
  const Result r = simulate(m);
  EXPECT_EQ(r.outcome.kind, Outcome::Kind::inconsistent_start);
  EXPECT_EQ(r.outcome.subject, "contact 'floor'");
  EXPECT_NE(r.outcome.reason.find("'low' overlaps by 0.05 m"), std::string::npos) << r.outcome.reason;
}

TEST(ContactMotions, AreTheSameToTheLastBitOnRepetition) {
  Model m = floor_model(0.4, 0.3);
  m.add(Body{.name = "s",
             .mass = 1.0,
             .shape = Sphere{0.2},
             .position = {0, 0, 1},
             .velocity = Vec3(2, 0.1, 0),
             .angular_velocity = Vec3(1, 0, 3)});
  const Result a = simulate(m), b = simulate(m);
  EXPECT_EQ(a.final[0].position, b.final[0].position);
  EXPECT_EQ(a.impacts.size(), b.impacts.size());
}

TEST(ContactMotions, ABlowOnADrivenMechanismIsWorkOfItsDriver) {
  Model m = floor_model(0.5, 0.2);
  m.contacts[0].plane->point = {0, 0, -1.05};
  m.contacts[0].bodies = std::vector<std::string>{"ball"};
  m.add(Body{.name = "ball", .mass = 1.7, .shape = Sphere{0.12}, .position = {0.3, 0.1, -0.8}});
  m.add(Joint{.name = "string",
              .type = "rod",
              .from = "ground",
              .to = "ball",
              .from_point = Point{"0.3*sin(2*t)", 0.0, "0.2*sin(3*t)"}});
  m.simulation.duration = 3;
  const Result r = simulate(m);
  ASSERT_TRUE(r.outcome.is_success()) << r.outcome.describe();
  ASSERT_GE(r.impacts.size(), 1u);
  EXPECT_LT(r.audit.max_drift, 1e-8);
}

// Time stepping.

TEST(TimeStepping, AtRestStaysAtRest) {
  // 95 % of the friction limit, on four corners: no creep.
  Model m = floor_model(0, 0.5);
  m.add(Body{.name = "box", .mass = 2.0, .shape = Box{{0.4, 0.3, 0.2}}, .position = {0, 0, 0.1}});
  m.add(Force{.name = "push", .type = "force", .on = "box", .force = Point{0.95 * 0.5 * 2 * 9.81, 0.0, 0.0}});
  m.simulation.duration = 10;
  m.simulation.method = "moreau";
  m.simulation.step = 1e-3;
  const Result r = simulate(m);
  EXPECT_LT((r.final[0].position - Vec3(0, 0, 0.1)).norm(), 1e-9);
}

TEST(TimeStepping, AgreesWithLocatedContactsAsTheStepShrinks) {
  Model m = floor_model(0.4, 0.3);
  m.add(Body{.name = "s",
             .mass = 1.0,
             .shape = Sphere{0.2},
             .position = {0, 0, 1},
             .velocity = Vec3(2, 0.1, 0),
             .angular_velocity = Vec3(1, 0, 3)});
  const Vec3 exact = simulate(m).final[0].position;
  m.simulation.method = "moreau";
  double last = 1;
  for (const double h : {4e-3, 1e-3, 2.5e-4}) {
    m.simulation.step = h;
    const double error = (simulate(m).final[0].position - exact).norm();
    EXPECT_LT(error, 2 * h);
    EXPECT_LT(error, last);
    last = error;
  }
}

TEST(TimeStepping, JointsAndContactsHoldTogether) {
  // A pendulum that comes to rest against a stop, hanging on its rod.
  Model m;
  m.add(Body{.name = "bob", .mass = 1.0, .position = {1, 0, 0}});
  m.add(Joint{.name = "rod", .type = "rod", .from = "ground", .to = "bob", .from_point = Point{0.0, 0.0, 0.0}});
  m.add(Contact{.name = "stop", .plane = PlaneSurface{{0.3, 0, 0}, {1, 0, 0}}});
  m.simulation.duration = 2;
  m.simulation.method = "moreau";
  m.simulation.step = 1e-3;
  const Result r = simulate(m);
  EXPECT_NEAR(r.final[0].position.x(), 0.3, 1e-9);
  EXPECT_NEAR(r.final[0].position.z(), -std::sqrt(1 - 0.09), 1e-9);
  EXPECT_LT(r.final[0].velocity.norm(), 1e-9);
  EXPECT_LT(r.audit.violation[0], 1e-14);
}

TEST(ContactFiles, MistakesAreNamed) {
  const auto fault = [](const std::string& contact) {
    try {
      simulate(
          parse_model("[bodies.a]\nmass = 1\n[bodies.b]\nsphere = 1\nmass = 1\nposition = [0, 0, 3]\n[contacts.c]\n" +
                          contact + "\n[simulation]\nduration = 1\n",
                      "bad.toml"));
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const std::string plane = "plane = { point = [0, 0, 0], normal = [0, 0, 1] }\n";
  const auto expect = [&](const std::string& contact, const std::string& text) {
    const std::string message = fault(contact);
    EXPECT_NE(message.find("bad.toml:"), std::string::npos) << message;
    EXPECT_NE(message.find("contact 'c'"), std::string::npos) << message;
    EXPECT_NE(message.find(text), std::string::npos) << message;
  };
  expect(plane + "restitution = 1.2", "restitution = 1.2 must lie between 0 and 1");
  expect(plane + "friction = -0.1", "friction = -0.1 must not be negative");
  expect(plane + "law = \"hertz\"", "law = \"hertz\" must be one of: newton, poisson");
  expect(plane + "bodies = [\"aa\"]", "there is no such body; did you mean 'a'?");
  expect("between = [\"a\", \"a\"]", "'a' is named twice; a body does not touch itself");
  expect("between = [\"a\"]", "between needs at least two bodies");
  expect("plane = { point = [0, 0, 0], normal = [0, 0, 0] }", "has no direction");
  expect("wall = { center = [0, 0, 0], normal = [1, 0, 0], size = [1, -1] }", "wall height = -1 m must be positive");
  expect("friction = 0.3", "give one of: plane (a half-space), wall (a rectangle), between (a list of bodies)");
  expect("sphere = 1", "unknown key 'sphere'");
}

}  // namespace
}  // namespace plumb
