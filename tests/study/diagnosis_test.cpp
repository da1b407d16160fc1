#include "plumb/study/diagnosis.h"

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

}  // namespace
}  // namespace plumb
