// Joints that do not start at zero, and starts beyond the limits.
#include "plumb/system/pose.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/model/reader.h"
#include "plumb/simulation/simulation.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

Model parsed(const std::string& text) { return parse_model(text, "test.toml"); }

double first(const Result& r, const std::string& channel) { return r.trajectory[channel].front(); }

std::string arm(const std::string& elbow, const std::string& more = "") {
  return R"toml(
[bodies.upper]
box = [0.5, 0.05, 0.05]
density = 1000
position = [0.25, 0, 0]
[bodies.fore]
box = [0.4, 0.04, 0.04]
density = 900
position = [0.7, 0, 0]
[bodies.tip]
mass = 0.3
position = [0.9, 0.1, 0]
[joints.shoulder]
type = "revolute"
from = "ground"
to = "upper"
point = [0, 0, 0]
axis = [0, 1, 0]
[joints.elbow]
type = "revolute"
from = "upper"
to = "fore"
point = [0.5, 0, 0]
axis = [0, 1, 0]
)toml" + elbow +
         R"toml(
[joints.hold]
type = "spherical"
from = "fore"
to = "tip"
[simulation]
duration = 0.001
)toml" + more;
}

TEST(Pose, WhatHangsOnAJointMovesWithItAndNothingElseDoes) {
  for (const double angle : {0.7, -2.2, 3.9}) {
    const Result r = simulate(parsed(arm("start = " + std::to_string(angle) + "\nstart_rate = 1.5\n")));
    ASSERT_TRUE(r.outcome.is_success());
    EXPECT_EQ(first(r, "upper.x"), 0.25);
    EXPECT_NEAR(first(r, "shoulder.angle"), 0, 1e-16);
    EXPECT_NEAR(first(r, "elbow.angle"), angle, 1e-12) << "whole turns are counted";
    // A positive turn about y leads from x to -z.
    EXPECT_NEAR(first(r, "fore.x"), 0.5 + 0.2 * std::cos(angle), 1e-12);
    EXPECT_NEAR(first(r, "fore.z"), -0.2 * std::sin(angle), 1e-12);
    EXPECT_NEAR(first(r, "tip.x"), 0.5 + 0.4 * std::cos(angle), 1e-12);
    EXPECT_NEAR(first(r, "tip.y"), 0.1, 1e-12);
    EXPECT_NEAR(first(r, "elbow.rate"), 1.5, 1e-12);
    EXPECT_NEAR(first(r, "shoulder.rate"), 0, 1e-12);
    EXPECT_NEAR(first(r, "tip.vz"), -0.4 * 1.5 * std::cos(angle), 1e-12);
  }
}

TEST(Pose, TheMotionIsThatOfTheSameMechanismWrittenThere) {
  Model posed = parsed(arm("start = \"-90 deg\"\n"));
  Model written = parsed(R"toml(
[bodies.upper]
box = [0.5, 0.05, 0.05]
density = 1000
position = [0.25, 0, 0]
[bodies.fore]
box = [0.4, 0.04, 0.04]
density = 900
position = [0.5, 0, 0.2]
rotation = { axis = [0, 1, 0], angle = "-90 deg" }
[bodies.tip]
mass = 0.3
position = [0.5, 0.1, 0.4]
[joints.shoulder]
type = "revolute"
from = "ground"
to = "upper"
point = [0, 0, 0]
axis = [0, 1, 0]
[joints.elbow]
type = "revolute"
from = "upper"
to = "fore"
point = [0.5, 0, 0]
axis = [0, 1, 0]
[joints.hold]
type = "spherical"
from = "fore"
to = "tip"
[simulation]
duration = 1
)toml");
  posed.simulation.duration = 1;
  const Result a = simulate(posed), b = simulate(written);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR((a.final[i].position - b.final[i].position).norm(), 0, 1e-7) << i;
}

// A parallelogram: turning the crank carries the coupler along without turning it.
TEST(Pose, LoopsFollow) {
  const std::string text = R"toml(
[bodies.crank]
box = [0.02, 0.02, 0.3]
mass = 1
position = [0, 0, 0.15]
[bodies.coupler]
box = [0.5, 0.02, 0.02]
mass = 1
position = [0.25, 0, 0.3]
[bodies.rocker]
box = [0.02, 0.02, 0.3]
mass = 1
position = [0.5, 0, 0.15]
[joints.a]
type = "revolute"
from = "ground"
to = "crank"
point = [0, 0, 0]
axis = [0, 1, 0]
start = 1.1
start_rate = -2
[joints.b]
type = "revolute"
from = "crank"
to = "coupler"
point = [0, 0, 0.3]
axis = [0, 1, 0]
[joints.c]
type = "spherical"
from = "coupler"
to = "rocker"
point = [0.5, 0, 0.3]
[joints.d]
type = "revolute"
from = "ground"
to = "rocker"
point = [0.5, 0, 0]
axis = [0, 1, 0]
[simulation]
duration = 0.001
)toml";
  const Result r = simulate(parsed(text));
  EXPECT_NEAR(first(r, "a.angle"), 1.1, 1e-12);
  EXPECT_NEAR(first(r, "b.angle"), -1.1, 1e-11);
  EXPECT_NEAR(first(r, "coupler.x"), 0.25 + 0.3 * std::sin(1.1), 1e-12);
  EXPECT_NEAR(first(r, "coupler.z"), 0.3 * std::cos(1.1), 1e-12);
  EXPECT_NEAR(first(r, "d.rate"), -2, 1e-12);
}

TEST(Pose, FreeMechanismsStayWhereTheirFirstBodyIsAndGearsFollow) {
  const Result r = simulate(parsed(R"toml(
gravity = [0, 0, 0]
[bodies.hub]
box = [1, 1, 1]
mass = 5
[bodies.left]
box = [0.2, 0.2, 0.2]
mass = 1
position = [0, 1, 0]
[bodies.right]
box = [0.2, 0.2, 0.2]
mass = 1
position = [0, -1, 0]
[bodies.slide]
mass = 0.5
position = [0, 0, 2]
[joints.l]
type = "revolute"
from = "hub"
to = "left"
point = [0, 1, 0]
axis = [1, 0, 0]
start = 0.4
[joints.r]
type = "revolute"
from = "hub"
to = "right"
point = [0, -1, 0]
axis = [1, 0, 0]
[joints.gears]
type = "gear"
joints = ["l", "r"]
ratio = -2
[joints.s]
type = "prismatic"
from = "left"
to = "slide"
axis = [0, 0, 1]
start = -0.3
[simulation]
duration = 0.001
)toml"));
  ASSERT_TRUE(r.outcome.is_success());
  EXPECT_NEAR(first(r, "hub.x"), 0, 1e-15);
  EXPECT_EQ(first(r, "hub.qw"), 1);
  EXPECT_NEAR(first(r, "l.angle"), 0.4, 1e-12);
  EXPECT_NEAR(first(r, "r.angle"), -0.8, 1e-12);
  EXPECT_NEAR(first(r, "s.displacement"), -0.3, 1e-12);
  // Carried by `left`: (0, -1, 2 - 0.3) from its pin, turned by 0.4.
  EXPECT_NEAR(first(r, "slide.y"), 1 - std::cos(0.4) - 1.7 * std::sin(0.4), 1e-12);
}

TEST(Pose, BeyondALimitItIsRefusedOrBeginsThere) {
  Model m = parsed(arm("start = 0.5\nlimits = [0.8, 3.5]\n"));
  const Result refused = simulate(m);
  EXPECT_EQ(refused.outcome.kind, Outcome::Kind::inconsistent_start);
  EXPECT_NE(refused.outcome.reason.find("0.5 rad at the start, below its limit of 0.8"), std::string::npos)
      << refused.outcome.reason;
  m.simulation.fix_start = true;
  const Result fixed = simulate(m);
  ASSERT_TRUE(fixed.outcome.is_success()) << fixed.outcome.describe();
  EXPECT_NEAR(first(fixed, "elbow.angle"), 0.8, 1e-11);
  EXPECT_NEAR(first(fixed, "upper.x"), 0.25, 1e-12);
  ASSERT_FALSE(fixed.messages.empty());
  EXPECT_NE(fixed.messages[0].find("'elbow' begins at its limit 0.8, not at 0.5"), std::string::npos);
}

TEST(Pose, ATooShortRopeIsTaut) {
  Model m = parsed(R"toml(
[bodies.ball]
mass = 2
position = [3, 0, 4]
[joints.rope]
type = "rope"
from = "ground"
to = "ball"
from_point = [0, 0, 0]
length = 4.5
[simulation]
duration = 0.001
)toml");
  EXPECT_EQ(simulate(m).outcome.kind, Outcome::Kind::inconsistent_start);
  m.simulation.fix_start = true;
  const Result r = simulate(m);
  ASSERT_TRUE(r.outcome.is_success()) << r.outcome.describe();
  EXPECT_NEAR(first(r, "ball.x"), 2.7, 1e-12);
  EXPECT_NEAR(first(r, "ball.z"), 3.6, 1e-12);
}

TEST(Pose, WhatTheJointsDoNotLetHappenIsSaid) {
  const auto said = [](const std::string& text) {
    try {
      simulate(parsed(text));
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const std::string driven = said(arm("start = 1\nangle = \"t\"\n"));
  EXPECT_NE(driven.find("joint 'elbow': a driven joint starts where its drive says"), std::string::npos) << driven;
  // A rod to the ground lets the elbow open no further.
  const std::string held = said(arm("start = 2.5\n", R"toml(
[joints.stay]
type = "rod"
from = "ground"
to = "fore"
from_point = [0, 0, 0]
to_point = [0.9, 0, 0]
[joints.stay2]
type = "rod"
from = "ground"
to = "fore"
from_point = [0, 0, -1]
to_point = [0.6, 0, 0]
)toml"));
  EXPECT_NE(held.find("joint 'elbow': it cannot start at 2.5: the other joints let it get to"), std::string::npos)
      << held;
}

}  // namespace
}  // namespace plumb
