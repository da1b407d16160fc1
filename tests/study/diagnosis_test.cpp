#include "plumb/study/diagnosis.h"
#include "plumb/study/cases/n_four_bar.h"
#include "plumb/trajectory/result.h"

#include <gtest/gtest.h>

#include "plumb/model/reader.h"
#include "models.h"

namespace plumb {
namespace {

TEST(Diagnosis, CountsFreedomAndMass) {
  const Diagnosis d = diagnose(testing::pendulum(1.0, 1.0, 2.5));
  EXPECT_EQ(d.degrees_of_freedom, 2);
  EXPECT_EQ(d.constraints, 1);
  EXPECT_EQ(d.rank, 1);
  EXPECT_DOUBLE_EQ(d.mass, 2.5);
  EXPECT_TRUE(d.redundancies.empty());
  EXPECT_TRUE(d.consistent);
}

TEST(Diagnosis, FindsTheRedundantPinsOfTheBar) {
  const Diagnosis d = diagnose(read_model(PLUMB_SOURCE_DIR "/cases/pinned-bar/prism.toml"));
  EXPECT_EQ(d.constraints, 6);
  EXPECT_EQ(d.rank, 5);
  EXPECT_EQ(d.degrees_of_freedom, 1);
  ASSERT_EQ(d.redundancies.size(), 1u);
  EXPECT_EQ(d.redundancies[0].joints, (std::vector<std::string>{"pin1", "pin2"}));
}

TEST(Diagnosis, NamesOnlyTheJointsThatTakePart) {
  // A planar four-bar of revolute joints has three redundant rows, an independent pendulum beside it none.
  Model m;
  const auto bar = [&](const char* name, const Vec3& a, const Vec3& b) {
    m.add(Body{.name = name, .mass = 1.0, .shape = Box{{1, 0.1, 0.1}}, .position = (a + b) / 2});
  };
  const Vec3 p[] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 1.2}, {1.3, 0, 0}};
  bar("ab", p[0], p[1]);
  bar("bc", p[1], p[2]);
  bar("cd", p[2], p[3]);
  const char* ends[][2] = {{"ground", "ab"}, {"ab", "bc"}, {"bc", "cd"}, {"cd", "ground"}};
  for (int i = 0; i < 4; ++i)
    m.add(Joint{.name = std::string(1, static_cast<char>('A' + i)),
                .type = "revolute",
                .from = ends[i][0],
                .to = ends[i][1],
                .point = Point{p[i].x(), p[i].y(), p[i].z()},
                .axis = Vec3(0, 1, 0)});
  const Model pendulum = testing::pendulum(0.3);
  m.add(pendulum.bodies[0]);
  m.add(pendulum.joints[0]);
  const Diagnosis d = diagnose(m);
  EXPECT_EQ(d.constraints, 21);
  EXPECT_EQ(d.rank, 18);
  EXPECT_EQ(d.degrees_of_freedom, 3);
  ASSERT_EQ(d.redundancies.size(), 3u);
  for (const Redundancy& r : d.redundancies)
    for (const std::string& j : r.joints) EXPECT_NE(j, "rod");
}

TEST(Diagnosis, WorksForLongChains) {
  const Diagnosis d = diagnose(testing::chain(3000, "revolute"));
  EXPECT_EQ(d.rank, 15000);
  EXPECT_EQ(d.degrees_of_freedom, 3000);
  EXPECT_EQ(d.solver, "sparse");
}

TEST(Diagnosis, OfABodyThatNothingHolds) {
  Model m;
  m.add(Body{.name = "free", .mass = 2.0});
  const Diagnosis d = diagnose(m);
  EXPECT_EQ(d.rank, 0);
  EXPECT_EQ(d.degrees_of_freedom, 3);
}

TEST(Diagnosis, ListsAllOverlapsWithTheirDepth) {
  Model m;
  m.add(Body{.name = "a", .mass = 1.0, .shape = Sphere{0.5}, .position = {0, 0, 0.4}});
  m.add(Body{.name = "b", .mass = 1.0, .shape = Sphere{0.5}, .position = {0, 0.8, 2}});
  m.add(Body{.name = "c", .mass = 1.0, .shape = Sphere{0.5}, .position = {0, 0, 2}});
  m.add(Contact{.name = "floor", .plane = PlaneSurface{{0, 0, 0}, {0, 0, 1}}});
  m.add(Contact{.name = "balls", .between = std::vector<std::string>{"a", "b", "c"}});
  const Diagnosis d = diagnose(m);
  ASSERT_EQ(d.overlaps.size(), 2u);
  EXPECT_EQ(d.overlaps[0].contact, "floor");
  EXPECT_NEAR(d.overlaps[0].depth, 0.1, 1e-15);
  EXPECT_EQ(d.overlaps[1].bodies, (std::vector<std::string>{"b", "c"}));
  EXPECT_NEAR(d.overlaps[1].depth, 0.2, 1e-15);
  EXPECT_FALSE(d.consistent);
}

TEST(Diagnosis, TellsOfAnInconsistentStart) {
  Model m = testing::pendulum(1.0);
  m.add(Joint{.name = "far",
              .type = "rod",
              .from = "ground",
              .to = "bob",
              .from_point = Point{9.0, 0.0, 0.0},
              .length = Quantity(1.0)});
  const Diagnosis d = diagnose(m);
  EXPECT_FALSE(d.consistent);
  EXPECT_NE(d.fault.find("inconsistent start"), std::string::npos);
}

TEST(Diagnosis, SaysWhichReactionsAreNotUnique) {
  const Diagnosis d = diagnose(read_model(PLUMB_SOURCE_DIR "/cases/pinned-bar/prism.toml"));
  // Two pins along y: how they share a force along y is open, nothing else.
  ASSERT_EQ(d.open_reactions.size(), 2u);
  for (const OpenReaction& r : d.open_reactions) EXPECT_EQ(r.components, std::vector<std::string>{"fy"}) << r.joint;
  EXPECT_EQ(d.freedom_by_count(), 0);
  EXPECT_EQ(d.degrees_of_freedom, 1);
  EXPECT_EQ(d.singular_start, 0);
}

Model parallelogram(double angle) {
  Model m;
  const Vec3 up(std::cos(angle), 0, std::sin(angle)), along(1, 0, 0);
  const auto bar = [&](const char* name, const Vec3& a, const Vec3& b) {
    m.add(
        Body{.name = name, .mass = 1.0, .inertia = Inertia{{0.08, 0.08, 0.08}, Vec3::Zero()}, .position = (a + b) / 2});
  };
  const Vec3 p[] = {Vec3::Zero(), up, up + along, along};
  bar("ab", p[0], p[1]);
  bar("bc", p[1], p[2]);
  bar("cd", p[2], p[3]);
  const char* ends[][2] = {{"ground", "ab"}, {"ab", "bc"}, {"bc", "cd"}, {"cd", "ground"}};
  for (int i = 0; i < 4; ++i)
    m.add(Joint{.name = std::string(1, static_cast<char>('A' + i)),
                .type = "revolute",
                .from = ends[i][0],
                .to = ends[i][1],
                .point = Point{p[i].x(), p[i].y(), p[i].z()},
                .axis = Vec3(0, 1, 0)});
  return m;
}

TEST(Diagnosis, ASingularStartIsNoticed) {
  EXPECT_EQ(diagnose(parallelogram(1.1)).singular_start, 0);
  const Diagnosis flat = diagnose(parallelogram(0));
  EXPECT_EQ(flat.singular_start, 1);
  EXPECT_EQ(flat.degrees_of_freedom, 2);  // for the moment
}

TEST(Diagnosis, SuspectsWrongUnits) {
  Model m = testing::chain(2, "revolute");
  EXPECT_TRUE(diagnose(m).suspicions.empty());
  m.bodies[1].inertia = Inertia{{2e4, 6e4, 5e4}, Vec3::Zero()};  // kg mm²
  const Diagnosis d = diagnose(m);
  ASSERT_EQ(d.suspicions.size(), 1u);
  EXPECT_NE(d.suspicions[0].find("body 'link1'"), std::string::npos) << d.suspicions[0];
  m.bodies[1].inertia.reset();
  m.bodies[1].shape = Box{{100, 10, 10}};  // mm
  m.bodies[1].mass = 0.5;
  EXPECT_EQ(diagnose(m).suspicions.size(), 1u);
}

TEST(Diagnosis, NamesBodiesNothingHolds) {
  Model m = testing::chain(2, "revolute");
  m.add(Body{.name = "stone", .mass = 1.0, .position = {0, 3, 0}});
  m.add(Body{.name = "leaf", .mass = 0.1, .position = {0, 3, 1}});
  m.add(Joint{.name = "string", .type = "rod", .from = "stone", .to = "leaf"});
  EXPECT_EQ(diagnose(m).unheld, (std::vector<std::string>{"stone", "leaf"}));
  m.gravity = Vec3::Zero();
  EXPECT_TRUE(diagnose(m).unheld.empty());
}

TEST(Diagnosis, ADriveBeyondReachIsNamedWithItsTime) {
  // A slider-crank whose slider is driven further than crank and rod are long: 0.3 + 0.5.
  Model m;
  m.simulation.duration = 4;
  m.add(Body{
      .name = "crank", .mass = 1.0, .inertia = Inertia{{0.01, 0.01, 0.01}, Vec3::Zero()}, .position = {0, 0, 0.15}});
  m.add(Body{
      .name = "slider", .mass = 1.0, .inertia = Inertia{{0.01, 0.01, 0.01}, Vec3::Zero()}, .position = {0.4, 0, 0}});
  m.add(Joint{.name = "pin",
              .type = "revolute",
              .from = "ground",
              .to = "crank",
              .point = Point{0.0, 0.0, 0.0},
              .axis = Vec3(0, 1, 0)});
  m.add(Joint{.name = "rod", .type = "rod", .from = "crank", .to = "slider", .from_point = Point{0.0, 0.0, 0.3}});
  m.add(Joint{.name = "ram",
              .type = "prismatic",
              .from = "ground",
              .to = "slider",
              .axis = Vec3(1, 0, 0),
              .displacement = Quantity("0.2*t")});
  const Diagnosis d = diagnose(m);
  ASSERT_EQ(d.unreachable.size(), 1u);
  EXPECT_NEAR(d.unreachable[0].time, 2.0, 0.05);  // 0.4 + 0.2 t = 0.8
  m.joints[2].displacement = Quantity("0.2*sin(t)");
  EXPECT_TRUE(diagnose(m).unreachable.empty());
}

TEST(Diagnosis, RollingRestrictsVelocitiesOnly) {
  Model m;
  m.add(Body{.name = "ball", .mass = 1.0, .shape = Sphere{0.2}, .position = {0, 0, 0.2}});
  m.add(Joint{
      .name = "floor", .type = "rolling", .from = "ground", .to = "ball", .normal = Vec3(0, 0, 1), .radius = 0.2});
  const Diagnosis d = diagnose(m);
  EXPECT_EQ(d.degrees_of_freedom, 3);
  EXPECT_EQ(d.nonholonomic, 2);
}

// Steps of a third of a radian pass the singular positions of a row of parallelograms at a distance; they are the same
// ones that short steps see.
TEST(SingularPositions, AreFoundWhateverTheStep) {
  Model m = n_four_bar(2, 3);
  m.bodies[0].angular_velocity = Vec3(0, 0, -6);
  std::vector<std::vector<double>> times;
  for (const double tolerance : {1e-7, 1e-8, 1e-11}) {
    m.simulation.tolerance = tolerance;
    const Result r = simulate(m);
    ASSERT_TRUE(r.outcome.is_success()) << r.outcome.describe();
    times.emplace_back();
    for (const SingularPosition& p : r.singular_positions) times.back().push_back(p.time);
  }
  EXPECT_GE(times[2].size(), 6u);
  for (const auto& list : times) {
    ASSERT_EQ(list.size(), times[2].size());
    for (std::size_t i = 0; i < list.size(); ++i) EXPECT_NEAR(list[i], times[2][i], 1e-4);
  }
}

}  // namespace
}  // namespace plumb
