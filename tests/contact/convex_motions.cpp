// Solids against solids: motions known in closed form, conservation laws, and the same solid described in two ways.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "plumb/simulation/simulation.h"
#include "plumb/spatial/polyhedron.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

constexpr double pi = std::numbers::pi;
using Names = std::vector<std::string>;

Model free_space(double restitution, double friction, const Names& between) {
  Model m;
  m.gravity = Vec3::Zero();
  m.add(Contact{.name = "meet", .between = between, .restitution = restitution, .friction = friction});
  m.simulation.duration = 1;
  return m;
}

Result run(const Model& m) {
  Result r = simulate(m);
  EXPECT_TRUE(r.outcome.is_success()) << r.outcome.describe();
  return r;
}

TEST(ConvexMotions, CrossedEdgesMeetAndExchangeTheirVelocities) {
  // Cubes standing on edge, one along x, one along y: edge on edge, straight through both centres.
  Model m = free_space(1, 0.5, {"low", "high"});
  const double edge = 0.2, half_diagonal = edge / std::sqrt(2.0);
  m.add(Body{.name = "low",
             .mass = 2.0,
             .shape = Box{Vec3::Constant(edge)},
             .rotation = Quaternion::from_axis_angle({1, 0, 0}, pi / 4)});
  m.add(Body{.name = "high",
             .mass = 2.0,
             .shape = Box{Vec3::Constant(edge)},
             .position = {0, 0, 0.5},
             .rotation = Quaternion::from_axis_angle({0, 1, 0}, pi / 4),
             .velocity = Vec3(0, 0, -1)});
  const Result r = run(m);
  ASSERT_EQ(r.impacts.size(), 1u);
  EXPECT_NEAR(r.impacts[0].impact.time, 0.5 - 2 * half_diagonal, 1e-13);
  EXPECT_NEAR(r.impacts[0].impact.normal.z(), 1, 1e-15);
  EXPECT_NEAR(r.final[0].velocity.z(), -1, 1e-13);
  EXPECT_NEAR(r.final[1].velocity.norm(), 0, 1e-13);
}

TEST(ConvexMotions, CrossedCapsulesMeetWhereTheirAxesAreTwoRadiiApart) {
  Model m = free_space(0.5, 0, {"a", "b"});
  m.add(Body{.name = "a",
             .mass = 1.0,
             .shape = Capsule{0.1, 1.0},
             .rotation = Quaternion::from_axis_angle({1, 0, 0}, pi / 2)});
  m.add(Body{.name = "b",
             .mass = 1.0,
             .shape = Capsule{0.05, 1.0},
             .position = {0, 0, 0.8},
             .rotation = Quaternion::from_axis_angle({0, 1, 0}, pi / 2),
             .velocity = Vec3(0, 0, -2)});
  const Result r = run(m);
  ASSERT_EQ(r.impacts.size(), 1u);
  EXPECT_NEAR(r.impacts[0].impact.time, (0.8 - 0.15) / 2, 1e-13);
  EXPECT_NEAR(r.final[0].velocity.z(), -1.5, 1e-13);
  EXPECT_NEAR(r.final[1].velocity.z(), -0.5, 1e-13);
}

TEST(ConvexMotions, ParallelCapsulesEndToEndMeetOnce) {
  Model m = free_space(1, 0, {"a", "b"});
  m.add(Body{.name = "a", .mass = 1.0, .shape = Capsule{0.1, 0.6}});
  m.add(
      Body{.name = "b", .mass = 1.0, .shape = Capsule{0.1, 0.4}, .position = {0, 0, 1.2}, .velocity = Vec3(0, 0, -1)});
  const Result r = run(m);
  ASSERT_EQ(r.impacts.size(), 1u);
  EXPECT_NEAR(r.impacts[0].impact.time, 1.2 - 0.3 - 0.2 - 0.2, 1e-13);
  EXPECT_NEAR(r.final[0].velocity.z(), -1, 1e-13);
}

TEST(ConvexMotions, ACornerMeetsAFaceAndASphereAnEdge) {
  Model m = free_space(0.3, 0, {"block", "tip"});
  m.add(Body{.name = "block", .mass = 1e6, .shape = Box{{2, 2, 0.5}}});
  // A cube on its corner: half of its space diagonal below the centre.
  m.add(Body{.name = "tip",
             .mass = 1.0,
             .shape = Box{Vec3::Constant(0.2)},
             .position = {0.3, -0.4, 1},
             .rotation = Quaternion::from_axis_angle({1, -1, 0}, std::acos(1 / std::sqrt(3.0))),
             .velocity = Vec3(0, 0, -2)});
  Result r = run(m);
  ASSERT_GE(r.impacts.size(), 1u);
  EXPECT_NEAR(r.impacts[0].impact.time, (1 - 0.25 - 0.1 * std::sqrt(3.0)) / 2, 1e-12);
  EXPECT_NEAR(r.impacts[0].impact.normal_after, 0.6, 1e-12);

  m.bodies[1] =
      Body{.name = "tip", .mass = 1.0, .shape = Sphere{0.2}, .position = {1.1, 0.3, 1}, .velocity = Vec3(0, 0, -2)};
  r = run(m);
  ASSERT_EQ(r.impacts.size(), 1u);
  // Beside the edge x = 1 by 0.1: the centre stands sqrt(0.2² - 0.1²) above it.
  EXPECT_NEAR(r.impacts[0].impact.time, (1 - 0.25 - std::sqrt(0.03)) / 2, 1e-12);
  EXPECT_NEAR(r.impacts[0].impact.normal.x(), 0.5, 1e-11);
}

TEST(ConvexMotions, AWallIsMetWithItsEdgeToo) {
  // A bar falls across the upper edge of an upright rectangle: neither has a corner there.
  Model m;
  m.add(Body{.name = "bar", .mass = 1.0, .shape = Box{{1, 0.1, 0.1}}, .position = {0, 0, 1.5}});
  m.add(Contact{.name = "wall", .wall = WallSurface{{0, 0, 0.5}, {1, 0, 0}, {0, 1, 0}, 2.0, 1.0}, .restitution = 0.5});
  m.simulation.duration = 0.4;
  const Result r = run(m);
  ASSERT_GE(r.impacts.size(), 1u);
  EXPECT_NEAR(r.impacts[0].impact.time, std::sqrt(2 * 0.45 / 9.81), 1e-12);
  EXPECT_NEAR(r.impacts[0].impact.normal.z(), 1, 1e-12);
}

TEST(ConvexMotions, AHullOfABoxMovesLikeTheBox) {
  Model m = free_space(0.6, 0.3, {"a", "b"});
  m.simulation.duration = 0.6;
  m.add(Body{.name = "a", .mass = 2.0, .shape = Box{{0.5, 0.4, 0.3}}, .angular_velocity = Vec3(0.3, 1, -0.5)});
  m.add(Body{.name = "b",
             .mass = 1.0,
             .shape = Box{{0.2, 0.3, 0.4}},
             .position = {0.1, 0.05, 0.8},
             .rotation = Quaternion::from_axis_angle({1, 0.3, 0.2}, 0.7),
             .velocity = Vec3(0, 0.1, -2)});
  const Result box = run(m);
  for (Body& b : m.bodies) b.shape = Hull{box_polyhedron(std::get<Box>(*b.shape).size).corners};
  const Result hull = run(m);
  ASSERT_GE(box.impacts.size(), 1u);
  ASSERT_EQ(hull.impacts.size(), box.impacts.size());
  EXPECT_NEAR(hull.impacts[0].impact.time, box.impacts[0].impact.time, 1e-12);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR((hull.final[i].position - box.final[i].position).norm(), 0, 1e-9);
}

TEST(ConvexMotions, CollisionsKeepMomentumAndNeverGainEnergy) {
  Model m = free_space(0.7, 0.4, {"box", "hull", "pill", "ball"});
  m.simulation.duration = 1.5;
  m.add(Body{.name = "box", .mass = 2.0, .shape = Box{{0.5, 0.4, 0.3}}, .velocity = Vec3(0, 0, 0.5)});
  m.add(Body{.name = "hull",
             .density = 500.0,
             .shape = Hull{{{0, 0, 0}, {0.3, 0, 0.05}, {0, 0.35, 0}, {0.05, 0, 0.3}, {0.2, 0.2, 0.2}}},
             .position = {0.2, 0.1, 0.9},
             .velocity = Vec3(0, 0, -1),
             .angular_velocity = Vec3(2, -1, 0.5)});
  m.add(Body{.name = "pill",
             .mass = 0.5,
             .shape = Capsule{0.06, 0.5},
             .position = {-0.6, 0.1, 0.3},
             .rotation = Quaternion::from_axis_angle({1, 0.5, 0}, 1.0),
             .velocity = Vec3(1, 0, 0)});
  m.add(Body{
      .name = "ball", .mass = 0.3, .shape = Sphere{0.15}, .position = {0.1, 1.0, 0.2}, .velocity = Vec3(0, -1.5, 0)});
  const Result r = run(m);
  EXPECT_GE(r.impacts.size(), 3u);
  for (const ImpactRecord& i : r.impacts) EXPECT_LE(i.impact.energy_after, i.impact.energy_before + 1e-13);
  for (const char* c :
       {"momentum.x", "momentum.y", "momentum.z", "angular_momentum.x", "angular_momentum.y", "angular_momentum.z"}) {
    const auto values = r.trajectory[c];
    EXPECT_NEAR(values.front(), values.back(), 1e-11) << c;
  }
  EXPECT_LT(r.audit.max_drift, 1e-9);
}

TEST(ConvexMotions, AFlushStackStandsAndCarriesItsWeight) {
  Model m;
  Names names;
  for (int i = 0; i < 3; ++i) {
    names.push_back("box" + std::to_string(i));
    m.add(
        Body{.name = names.back(), .mass = 1.0 + i, .shape = Box{{0.4, 0.4, 0.2}}, .position = {0, 0, 0.1 + 0.2 * i}});
  }
  m.add(Contact{.name = "floor", .plane = PlaneSurface{}, .friction = 0.5});
  m.add(Contact{.name = "lower", .between = Names{"box0", "box1"}, .friction = 0.5});
  m.add(Contact{.name = "upper", .between = Names{"box1", "box2"}, .friction = 0.5});
  m.simulation.duration = 1;
  const Result r = run(m);
  EXPECT_TRUE(r.impacts.empty());
  EXPECT_NEAR(r.trajectory.last("floor.fz"), 6 * 9.81, 1e-9);
  EXPECT_NEAR(r.trajectory.last("lower.fz"), 5 * 9.81, 1e-9);
  EXPECT_NEAR(r.trajectory.last("upper.fz"), 3 * 9.81, 1e-9);
  for (const FinalBody& b : r.final) EXPECT_LT(b.velocity.norm(), 1e-12);
}

TEST(ConvexMotions, ABoxSlidesOverTheEdgeOfAnotherAndFalls) {
  Model m;
  m.add(Body{.name = "table", .mass = 500.0, .shape = Box{{1, 1, 0.5}}, .position = {0, 0, 0.25}});
  m.add(Body{.name = "box",
             .mass = 1.0,
             .shape = Box{{0.4, 0.4, 0.2}},
             .position = {0.2, 0.05, 0.6},
             .velocity = Vec3(2.5, 0.3, 0)});
  m.add(Contact{.name = "floor", .plane = PlaneSurface{}, .friction = 0.9});
  m.add(Contact{.name = "top", .between = Names{"table", "box"}, .friction = 0.1});
  m.simulation.duration = 0.4;
  const Result r = run(m);
  // While all of it is over the table friction brakes it evenly.
  const double v0 = std::hypot(2.5, 0.3), t = r.trajectory["t"][60];
  ASSERT_LT(t, 0.04);
  EXPECT_NEAR(r.trajectory["box.x"][60], 0.2 + 2.5 / v0 * (v0 * t - 0.1 * 9.81 * t * t / 2), 1e-11);
  // It tips over the edge and falls, turning forward.
  EXPECT_LT(r.trajectory.last("box.z"), 0.5);
  EXPECT_GT(r.trajectory.last("box.wy"), 0.5);
  EXPECT_LT(r.audit.max_drift, 1e-9);
}

TEST(ConvexMotions, OverlapOfSolidsIsFoundAndItsDepthTold) {
  Model m = free_space(0, 0, {"a", "b"});
  m.add(Body{.name = "a", .mass = 1.0, .shape = Box{Vec3::Constant(1)}});
  m.add(Body{.name = "b", .mass = 1.0, .shape = Box{Vec3::Constant(0.5)}, .position = {0.1, 0.1, 0.7}});
  const Result r = simulate(m);
  EXPECT_EQ(r.outcome.kind, Outcome::Kind::inconsistent_start);
  EXPECT_NE(r.outcome.reason.find("overlaps by 0.05 m"), std::string::npos) << r.outcome.reason;
}

}  // namespace
}  // namespace plumb
