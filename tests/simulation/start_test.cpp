#include "plumb/simulation/start.h"

#include <gtest/gtest.h>

#include "plumb/simulation/simulation.h"
#include "plumb/trajectory/result.h"
#include "models.h"

namespace plumb {
namespace {

TEST(Start, IsMovedOntoTheJointsAndSaysHowFar) {
  Model m = testing::pendulum(0.8);
  m.joints[0].length = Quantity(1.2);  // the mass was given at distance 1
  const Result r = simulate(m);
  ASSERT_EQ(r.messages.size(), 1u);
  EXPECT_EQ(r.messages[0], "start: body 'bob' was moved by 0.2 m onto the joints");
  EXPECT_NEAR(std::hypot(r.trajectory.row(0)[1], r.trajectory.row(0)[3]), 1.2, 1e-15);
  EXPECT_LT(r.audit.violation[0], 1e-14);
}

TEST(Start, LighterBodyMovesFarther) {
  Model m;
  m.add(Body{.name = "light", .mass = 1.0, .position = {0, 0, 0}});
  m.add(Body{.name = "heavy", .mass = 9.0, .position = {1, 0, 0}});
  m.add(Joint{.name = "rod", .type = "rod", .from = "light", .to = "heavy", .length = Quantity(2.0)});
  m.simulation.duration = 1;
  const Simulation s(m);
  ASSERT_EQ(s.start().moved.size(), 2u);
  EXPECT_NEAR(s.start().moved[0].distance, 0.9, 1e-12);
  EXPECT_NEAR(s.start().moved[1].distance, 0.1, 1e-12);
}

TEST(Start, VelocitiesNotGivenFollowFromThoseThatAre) {
  // A four-bar: only the crank's speed is given; the others, and the crank's own centre, follow.
  Model m;
  const auto bar = [&](const std::string& name, const Vec3& a, const Vec3& b) {
    const Vec3 d = (b - a).normalized();
    m.add(Body{.name = name,
               .mass = 1.0,
               .shape = Box{{(b - a).norm(), 0.05, 0.05}},
               .position = (a + b) / 2,
               .rotation = Quaternion::from_axis_angle({0, -1, 0}, std::atan2(d.z(), d.x()))});
  };
  const auto pin = [&](const std::string& name, const std::string& from, const std::string& to, const Vec3& p) {
    m.add(Joint{.name = name,
                .type = "revolute",
                .from = from,
                .to = to,
                .point = Point{p.x(), p.y(), p.z()},
                .axis = Vec3(0, 1, 0)});
  };
  const Vec3 A(0, 0, 0), B(0, 0, 0.4), C(1.0, 0, 0.9), D(1.2, 0, 0);
  bar("crank", A, B);
  bar("coupler", B, C);
  bar("rocker", C, D);
  pin("a", "ground", "crank", A);
  pin("b", "crank", "coupler", B);
  pin("c", "coupler", "rocker", C);
  pin("d", "rocker", "ground", D);
  m.bodies[0].angular_velocity = Vec3(0, 3, 0);
  m.simulation.duration = 1;
  m.simulation.tolerance = 1e-10;
  const Result r = simulate(m);
  ASSERT_TRUE(r.outcome.is_success());
  EXPECT_TRUE(r.messages.empty());
  const auto first = r.trajectory.row(0);
  const auto value = [&](const char* c) { return first[r.trajectory.column(c)]; };
  EXPECT_NEAR(value("crank.wy"), 3, 1e-12);        // as given
  EXPECT_NEAR(value("crank.vx"), 3 * 0.2, 1e-12);  // w x r
  // Velocity of C from both sides: v_B + w_coupler x (C - B) = w_rocker x (C - D)
  const Vec3 vB(1.2, 0, 0), wc(0, value("coupler.wy"), 0), wr(0, value("rocker.wy"), 0);
  EXPECT_NEAR((vB + wc.cross(C - B) - wr.cross(C - D)).norm(), 0, 1e-12);
  EXPECT_LT(r.audit.violation[0], 1e-12);  // a closed loop that stays closed
  EXPECT_LT(r.audit.max_drift, 1e-7);
}

TEST(Start, GivenVelocitiesThatContradictTheJointsAreChangedAndSaidSo) {
  Model m = testing::pendulum(0.0);
  m.bodies[0].velocity = Vec3(1, 0, 0.5);  // 0.5 along the rod is impossible
  const Result r = simulate(m);
  ASSERT_EQ(r.messages.size(), 1u);
  EXPECT_NE(r.messages[0].find("the given velocities of bob contradict the joints"), std::string::npos);
  EXPECT_NEAR(r.trajectory.row(0)[r.trajectory.column("bob.vz")], 0, 1e-15);
  EXPECT_NEAR(r.trajectory.row(0)[r.trajectory.column("bob.vx")], 1, 1e-15);
}

TEST(Start, ThatCannotBeAssembledNamesTheWorstJoint) {
  Model m = testing::pendulum(0.5);
  m.add(Joint{.name = "far",
              .type = "rod",
              .from = "ground",
              .to = "bob",
              .from_point = Point{5.0, 0.0, 0.0},
              .length = Quantity(1.0)});
  const Result r = simulate(m);
  EXPECT_EQ(r.outcome.kind, Outcome::Kind::inconsistent_start);
  EXPECT_EQ(r.outcome.name(), "inconsistent start");
  EXPECT_TRUE(r.outcome.subject == "joint 'far'" || r.outcome.subject == "joint 'rod'") << r.outcome.subject;
  EXPECT_EQ(r.trajectory.rows(), 0u);
}

TEST(Start, FarFromAssembledIsFoundByShorteningMoves) {
  // Links thrown about at random assemble into a chain.
  Model m = testing::chain(6, "spherical");
  for (std::size_t i = 0; i < m.joints.size(); ++i) {
    m.joints[i].point.reset();
    m.joints[i].from_local = i == 0 ? Point{0.0, 0.0, 0.0} : Point{0.5, 0.0, 0.0};
    m.joints[i].to_local = Point{-0.5, 0.0, 0.0};
    m.bodies[i].position +=
        Vec3(0.3 * std::sin(7.0 * static_cast<double>(i)), 0.4 * std::cos(3.0 * static_cast<double>(i)), 0.2);
    m.bodies[i].rotation = Quaternion::from_axis_angle({1, 2, 3}, 0.8 * std::sin(2.0 * static_cast<double>(i)));
  }
  const Simulation s(m);
  EXPECT_TRUE(s.start().consistent);
  EXPECT_GT(s.start().moved.size(), 4u);
}

}  // namespace
}  // namespace plumb
