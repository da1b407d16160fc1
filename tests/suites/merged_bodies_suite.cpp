// Bodies that fixed joints hold together move as one: every joint and force, with weights fixed to its bodies and its
// ground made a body that is fixed to the ground, moves as it does with every body on its own, and every reaction is
// the same, those within included.
#include <gtest/gtest.h>

#include "plumb/simulation/simulation.h"
#include "plumb/study/diagnosis.h"
#include "suites/joint_cases.h"

namespace plumb {
namespace {

Body weight(const std::string& name, const Vec3& at, double mass) {
  return Body{.name = name,
              .mass = mass,
              .inertia = Inertia{{0.03, 0.05, 0.04}, {0.004, -0.003, 0.002}},
              .mass_center = Vec3(0.02, -0.01, 0.03),
              .position = at,
              .rotation = Quaternion{0.3, -0.6, 0.2, 0.7}.normalized()};
}

// A weight on every rigid body, one more on the first weight, and forces on them.
void add_weights(Model& m) {
  const std::vector<Body> bodies = m.bodies;
  std::string last;
  for (const Body& b : bodies) {
    if (b.is_point()) continue;
    const std::string name = b.name + "-weight";
    m.add(weight(name, b.position + Vec3(0.2, -0.3, 0.25), 0.4));
    m.add(Joint{.name = name + "-weld", .type = "fixed", .from = b.name, .to = name});
    last = name;
  }
  if (last.empty()) return;
  m.add(weight("more", m.bodies.back().position + Vec3(-0.1, 0.1, 0.3), 0.2));
  m.add(Joint{.name = "more-weld", .type = "fixed", .from = "more", .to = last, .to_local = Point{0.1, 0.2, 0.3}});
  m.add(Force{.name = "pull",
              .type = "spring",
              .from = "ground",
              .to = "more",
              .from_point = Point{1.0, 1.0, -1.0},
              .to_local = Point{0.1, 0.0, 0.1},
              .stiffness = 7.0,
              .damping = 0.3});
  m.add(Force{.name = "air", .type = "drag", .linear = 0.1, .quadratic = 0.05});
  m.add(Force{.name = "jet",
              .type = "force",
              .on = "more",
              .local = Point{0.0, 0.1, 0.0},
              .force = Point{"0.5*sin(2*t)", 0.3, "-0.2*more.vx"},
              .axes = "body"});
  m.add(Force{.name = "spin", .type = "torque", .on = last, .torque = Point{0.1, "0.2*t", -0.1}, .axes = "body"});
  m.add(Force{.name = "pad",
              .type = "bushing",
              .from = last,
              .to = "more",
              .point = Point{0.2, 0.2, 0.2},
              .stiffness_matrix = std::vector<double>{5, 6, 7, 0.5, 0.6, 0.7}});
}

// A body that is fixed to the ground and takes its place, in joints and springs.
void replace_ground(Model& m) {
  Body base = weight("base", {0.4, 0.3, -0.7}, 3);
  base.mass_center.reset();
  for (const Joint& j : m.joints)
    if (j.from_local || j.to_local || j.curve || j.type == "rolling") {  // given in coordinates of the ground
      base.position = Vec3::Zero();
      base.rotation = Quaternion{};
    }
  for (Joint& j : m.joints) {
    if (j.from == "ground") j.from = "base";
    if (j.to == "ground") j.to = "base";
  }
  for (Force& f : m.forces)
    if (f.from == "ground") f.from = "base";
  m.add(base);
  m.add(Joint{.name = "footing", .type = "fixed", .from = "base", .to = "ground"});
}

class MergedJoints : public ::testing::TestWithParam<JointCase> {};

void expect_the_same(const Model& model) {
  Simulation merged(model), written(model, Simulation::Bodies::as_written);
  ASSERT_LT(merged.system().bodies.size(), written.system().bodies.size());
  for (Simulation* s : {&merged, &written}) {
    const Outcome outcome = s->run();
    ASSERT_EQ(outcome.kind, Outcome::Kind::completed) << outcome.describe();
  }
  ASSERT_EQ(all_channels(merged.system()).size(), all_channels(written.system()).size());
  merged.measurement().look_at(merged.time(), merged.state());
  written.measurement().look_at(written.time(), written.state());
  for (const Channel& c : all_channels(written.system())) {
    if (c.name.starts_with("violation.") || c.name == "energy.drift") continue;
    const double expected = written.measurement().value(c);
    EXPECT_NEAR(merged.measurement().value(c), expected, 2e-8 * (1 + std::abs(expected))) << c.name;
  }
}

TEST_P(MergedJoints, MoveAndReactAsIfEachWereOnItsOwn) {
  Model m;
  GetParam().build(m);
  add_weights(m);
  if (m.forces.empty()) return;  // only point masses: nothing to merge
  m.gravity = {0.5, 0.7, -9.0};
  m.simulation.duration = 0.7;
  m.simulation.tolerance = 1e-12;
  m.bodies[0].velocity = Vec3(0.3, -0.5, 0.2);
  expect_the_same(m);
  replace_ground(m);
  expect_the_same(m);
}

// A hammer, head and handle of different solids, falls on a table that is fixed to the ground, slides and comes to
// rest.
Model hammer() {
  Model m;
  m.add(Body{.name = "table", .mass = 8.0, .shape = Box{{2, 2, 0.2}}, .position = {0, 0, -0.1}});
  m.add(Body{.name = "handle",
             .mass = 0.3,
             .shape = Cylinder{0.02, 0.3},
             .position = {0, 0, 0.4},
             .rotation = Quaternion::from_axis_angle(Vec3(0, 1, 0), 1.4),
             .velocity = Vec3(0.4, 0.1, 0)});
  m.add(Body{.name = "head", .mass = 0.9, .shape = Box{{0.12, 0.05, 0.05}}, .position = {0.15, 0.01, 0.42}});
  m.add(Joint{.name = "legs", .type = "fixed", .from = "ground", .to = "table"});
  m.add(Joint{.name = "wedge", .type = "fixed", .from = "handle", .to = "head"});
  for (const char* part : {"handle", "head"})
    m.add(Contact{.name = std::string(part) + "-clatter",
                  .between = std::vector<std::string>{part, "table"},
                  .restitution = 0.3,
                  .friction = 0.4});
  m.simulation.duration = 1.5;
  m.simulation.tolerance = 1e-12;
  return m;
}

TEST(MergedBodies, TouchAndComeToRestAsIfEachWereOnItsOwn) {
  expect_the_same(hammer());
  Simulation s(hammer());
  s.run();
  Measurement& m = s.measurement();
  m.look_at(s.time(), s.state());
  const auto value = [&](const char* name) { return m.value(*m.find(name)); };
  EXPECT_NEAR(value("head.vx"), 0, 1e-12);
  EXPECT_NEAR(value("legs.fz"), (8 + 0.3 + 0.9) * 9.81, 1e-9);
  EXPECT_NEAR(value("head-clatter.gap"), 0, 1e-12);
}

// Parts of one body overlap where they are joined, and never strike each other.
TEST(MergedBodies, DoNotTouchThemselves) {
  Model m = hammer();
  m.contacts.clear();
  m.add(Contact{.name = "clatter", .between = std::vector<std::string>{"handle", "table", "head"}});
  Simulation s(m);
  EXPECT_EQ(s.run().kind, Outcome::Kind::completed);
  EXPECT_TRUE(diagnose(m).overlaps.empty());
}

// A link of next to no mass at the end of an arm: held by a joint it made every step as short as its inertia is small.
TEST(MergedBodies, LightOnesDoNotShortenTheSteps) {
  Model m;
  m.add(Body{.name = "arm", .mass = 2.0, .shape = Box{{0.6, 0.1, 0.1}}, .position = {0.3, 0, 0}});
  m.add(Body{.name = "tip",
             .mass = 4e-15,
             .inertia = Inertia{{2e-27, 2e-27, 2e-27}, Vec3::Zero()},
             .position = {0.75, 0, 0.3}});
  m.add(Joint{.name = "hinge",
              .type = "revolute",
              .from = "ground",
              .to = "arm",
              .point = Point{0.0, 0.0, 0.0},
              .axis = Vec3(0, 1, 0)});
  m.add(Joint{.name = "glue", .type = "fixed", .from = "arm", .to = "tip", .point = Point{0.6, 0.0, 0.0}});
  m.simulation.duration = 2;
  Simulation with(m);
  EXPECT_EQ(with.run().kind, Outcome::Kind::completed);
  m.bodies.pop_back();
  m.joints.pop_back();
  Simulation without(m);
  without.run();
  EXPECT_LE(with.steps(), without.steps() + 2);
  // The glue gives the tip the acceleration it has.
  Measurement& at = with.measurement();
  at.look_at(with.time(), with.state());
  const auto value = [&](const char* name) { return at.value(*at.find(name)); };
  const double w = value("arm.wy"), c = std::cos(value("hinge.angle")), s = std::sin(value("hinge.angle"));
  const double inertia = 2.0 * (0.6 * 0.6 + 0.1 * 0.1) / 12 + 2.0 * 0.3 * 0.3;
  const double alpha = 2.0 * 9.81 * 0.3 * c / inertia;  // about y
  const double x = value("tip.x"), z = value("tip.z");
  EXPECT_NEAR(x, 0.75 * c + 0.3 * s, 1e-9);
  EXPECT_NEAR(value("glue.fx") / 4e-15, alpha * z - w * w * x, 1e-2);
  EXPECT_NEAR(value("glue.fz") / 4e-15, -alpha * x - w * w * z + 9.81, 1e-2);
}

// Welds in a circle share their forces in more ways than one, and what another joint holds too is no one's business but
// its own: these stay as they are written.
TEST(MergedBodies, OnlyTreesOfWeldsAreMerged) {
  Model m;
  for (const char* name : {"a", "b", "c"})
    m.add(Body{.name = name, .mass = 1.0, .shape = Box{{0.1, 0.1, 0.1}}, .position = {0.2 * (name[0] - 'a'), 0, 0}});
  m.add(Joint{.name = "ab", .type = "fixed", .from = "a", .to = "b"});
  m.add(Joint{.name = "bc", .type = "fixed", .from = "b", .to = "c"});
  m.simulation.duration = 0.1;
  EXPECT_EQ(Simulation(m).system().bodies.size(), 1u);
  Model circle = m;
  circle.add(Joint{.name = "ca", .type = "fixed", .from = "c", .to = "a"});
  EXPECT_EQ(Simulation(circle).system().bodies.size(), 3u);
  Model held = m;
  held.add(Joint{.name = "stay", .type = "rod", .from = "a", .to = "c"});
  EXPECT_EQ(Simulation(held).system().bodies.size(), 3u);
  Model moving = m;
  moving.joints[1].from_local = Point{"0.1*t", 0.0, 0.0};
  moving.joints[1].to_local = Point{-0.2, 0.0, 0.0};
  EXPECT_EQ(Simulation(moving).system().bodies.size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(AllJoints, MergedJoints, ::testing::ValuesIn(joint_cases()), joint_case_name);

}  // namespace
}  // namespace plumb
