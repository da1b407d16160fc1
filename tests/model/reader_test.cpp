#include "plumb/model/reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

const char* const crane = R"toml(
title = "Crane with a load"
gravity = [0, 0, "-g"]

[parameters]
g = 9.7
reach = "2*half"          # order does not matter
half = 0.6
swing = "25 deg"

[bodies.boom]
box = [0.1, 0.1, "reach"]
density = 500
position = [0, 0, "reach/2"]

[bodies.load]             # a point mass
mass = 3
position = ["0.8*sin(swing)", 0, "reach - 0.8*cos(swing)"]
velocity = [0, 0.5, 0]

[joints.foot]
type = "revolute"
from = "ground"
to = "boom"
point = [0, 0, 0]
axis = [0, 2, 0]

[joints.cable]
type = "rod"
from = "boom"
to = "load"
from_local = [0, 0, "reach/2"]

[forces.spring]
type = "torsion"
joint = "foot"
stiffness = "400"
damping = 3

[forces.wind]
type = "force"
on = "load"
force = ["2*sin(3*t) - 0.1*load.vx", 0, 0]

[events.lowest]
zero_of = "load.vz"
direction = "rising"

[simulation]
duration = 2
tolerance = 1e-11
output_every = 0.1
)toml";

// The same model in C++.
Model crane_in_code() {
  const double reach = 1.2, swing = 25 * (std::numbers::pi / 180);
  Model m;
  m.title = "Crane with a load";
  m.gravity = {0, 0, -9.7};
  m.add(Body{.name = "boom", .density = 500.0, .shape = Box{{0.1, 0.1, reach}}, .position = {0, 0, reach / 2}});
  m.add(Body{.name = "load",
             .mass = 3.0,
             .position = {0.8 * std::sin(swing), 0, reach - 0.8 * std::cos(swing)},
             .velocity = Vec3(0, 0.5, 0)});
  m.add(Joint{.name = "foot",
              .type = "revolute",
              .from = "ground",
              .to = "boom",
              .point = Point{0.0, 0.0, 0.0},
              .axis = Vec3(0, 2, 0)});
  m.add(Joint{.name = "cable", .type = "rod", .from = "boom", .to = "load", .from_local = Point{0.0, 0.0, reach / 2}});
  m.add(Force{.name = "spring", .type = "torsion", .joint = "foot", .stiffness = 400.0, .damping = 3.0});
  m.add(Force{.name = "wind", .type = "force", .on = "load", .force = Point{"2*sin(3*t) - 0.1*load.vx", 0.0, 0.0}});
  m.add(Event{.name = "lowest", .zero_of = "load.vz", .direction = Event::Direction::rising});
  m.simulation.duration = 2;
  m.simulation.tolerance = 1e-11;
  m.simulation.output_every = 0.1;
  return m;
}

TEST(Reader, FileAndCodeGiveTheSameBits) {
  const Result file = simulate(parse_model(crane, "crane.toml")), code = simulate(crane_in_code());
  ASSERT_TRUE(file.outcome.is_success());
  ASSERT_EQ(file.trajectory.columns(), code.trajectory.columns());
  ASSERT_EQ(file.trajectory.rows(), code.trajectory.rows());
  for (std::size_t i = 0; i < file.trajectory.rows(); ++i)
    for (std::size_t k = 0; k < file.trajectory.columns().size(); ++k)
      EXPECT_EQ(file.trajectory.row(i)[k], code.trajectory.row(i)[k]) << file.trajectory.columns()[k] << " row " << i;
  ASSERT_EQ(file.events.size(), code.events.size());
  ASSERT_GT(file.events.size(), 0u);
  EXPECT_EQ(file.events[0].time, code.events[0].time);
  EXPECT_LT(file.audit.max_drift, 1e-8);
}

TEST(Reader, ParametersAreOverriddenAndExpressionsFollow) {
  const Model m = parse_model(crane, "crane.toml", {{"half", "0.5"}, {"swing", "pi/4"}});
  EXPECT_DOUBLE_EQ(m.parameters.at("reach"), 1.0);
  EXPECT_DOUBLE_EQ(m.bodies[1].position.x(), 0.8 * std::sin(std::numbers::pi / 4));
  EXPECT_NE(model_hash(m), model_hash(parse_model(crane, "crane.toml")));
}

TEST(Reader, ElementsKeepTheOrderOfTheFile) {
  const Model m = parse_model(R"toml(
[bodies.zebra]
mass = 1
[bodies.ant]
mass = 2
[bodies.mole]
mass = 3
[simulation]
duration = 1
)toml",
                              "order.toml");
  EXPECT_EQ(m.bodies[0].name, "zebra");
  EXPECT_EQ(m.bodies[1].name, "ant");
  EXPECT_EQ(m.bodies[2].name, "mole");
}

TEST(Reader, RotationsShapesAndInertias) {
  const Model m = parse_model(R"toml(
[bodies.a]
sphere = 0.2
mass = 5
rotation = { quaternion = [0, 0, 0, 2] }
angular_velocity_body = [1, 2, 3]
[bodies.b]
capsule = [0.1, 0.4]
density = 1000
rotation = { axis = [0, 0, 3], angle = "90 deg" }
[bodies.c]
mass = 2
inertia = [1, 2, 2.5, 0.1, 0.2, 0.3]
mass_center = [0.1, 0, 0]
[simulation]
duration = 1
)toml",
                              "shapes.toml");
  EXPECT_DOUBLE_EQ(m.bodies[0].rotation.z, 1);
  EXPECT_NEAR(m.bodies[1].rotation.rotate(Vec3::UnitX()).y(), 1, 1e-15);
  EXPECT_DOUBLE_EQ(m.bodies[2].inertia->products.z(), 0.3);
  EXPECT_NEAR(mass_properties(m.bodies[0]).inertia->moments.x(), 0.4 * 5 * 0.04, 1e-15);
  EXPECT_NEAR(mass_properties(m.bodies[1]).mass, 1000 * std::numbers::pi * 0.01 * (0.4 + 0.4 / 3), 1e-12);
}

TEST(Reader, NamesMayHaveHyphens) {
  const Result r = simulate(parse_model(R"toml(
[bodies.the-bob]
mass = 1
position = [1, 0, 0]
[joints.rod-1]
type = "rod"
from = "ground"
to = "the-bob"
from_point = [0, 0, 0]
[forces.pull]
type = "force"
on = "the-bob"
force = ["0.1-the-bob.x", 0, 0]
[events.stop]
zero_of = "rod-1.fx-the-bob.vz"
[simulation]
duration = 0.1
)toml",
                                        "hyphen.toml"));
  EXPECT_TRUE(r.outcome.is_success());
  EXPECT_NO_THROW(r.trajectory.column("rod-1.fz"));
}

TEST(Reader, WorldAndBodyCoordinatesDescribeTheSameJoint) {
  const std::string head = R"toml(
[bodies.bar]
mass = 2
inertia = [0.3, 0.4, 0.5]
position = [1, 2, 3]
rotation = { axis = [1, 1, 0], angle = 0.7 }
[joints.pin]
type = "spherical"
from = "ground"
to = "bar"
)toml",
                    tail = R"toml(
[simulation]
duration = 1
)toml";
  const Quaternion q = Quaternion::from_axis_angle({1, 1, 0}, 0.7);
  const Vec3 world = Vec3(1, 2, 3) + q.rotate({0.2, -0.1, 0.4});
  const Result a = simulate(parse_model(head + "to_local = [0.2, -0.1, 0.4]" + tail, "a"));
  char text[200];
  std::snprintf(text, sizeof text, "point = [%.17g, %.17g, %.17g]", world.x(), world.y(), world.z());
  const Result b = simulate(parse_model(head + text + tail, "b"));
  EXPECT_NEAR((a.final[0].position - b.final[0].position).norm(), 0, 1e-12);
}

}  // namespace
}  // namespace plumb
