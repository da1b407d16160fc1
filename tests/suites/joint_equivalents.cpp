// Every joint against an equivalent built from other joints through bodies of next to no mass: the accelerations of the
// two bodies joined, and the wrench between them, must agree.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "plumb/simulation/start.h"
#include "plumb/system/dynamics.h"

namespace plumb {
namespace {

constexpr double next_to_nothing = 1e-8;
const Point here{0.3, -0.2, 0.4};
const Vec3 place(0.3, -0.2, 0.4), axis(1, 2, -0.5);

Body rigid(const std::string& name, const Vec3& at) {
  return Body{.name = name,
              .mass = 1.3,
              .inertia = Inertia{{0.5, 0.6, 0.7}, {0.05, -0.03, 0.08}},
              .position = at,
              .rotation = Quaternion{0.8, 0.1, -0.4, 0.3}.normalized()};
}

Body ghost(const std::string& name) {
  const double m = next_to_nothing;
  return Body{.name = name, .mass = m, .inertia = Inertia{{m, m, m}, Vec3::Zero()}, .position = place};
}

Joint between(const std::string& name, const std::string& from, const std::string& to, Joint j) {
  j.name = name, j.from = from, j.to = to;
  return j;
}

Joint revolute(const Vec3& a) { return {.type = "revolute", .point = here, .axis = a}; }
Joint prismatic(const Vec3& a) { return {.type = "prismatic", .point = here, .axis = a}; }

struct Equivalent {
  std::string name;
  Joint joint;
  std::vector<Joint> chain;  // from a through ghosts to b; several with no ghost in between act side by side
  bool side_by_side = false;
};

std::vector<Equivalent> equivalents() {
  const Vec3 first = complete_frame(axis.normalized()).first, second = complete_frame(axis.normalized()).second;
  std::vector<Equivalent> list;
  list.push_back({"universal",
                  {.type = "universal", .point = here, .axis = first, .axis_to = second},
                  {revolute(first), revolute(second)}});
  list.push_back(
      {"spherical", {.type = "spherical", .point = here}, {revolute(first), revolute(second), revolute(axis)}});
  list.push_back(
      {"cylindrical", {.type = "cylindrical", .point = here, .axis = axis}, {prismatic(axis), revolute(axis)}});
  list.push_back({"planar",
                  {.type = "planar", .point = here, .normal = axis},
                  {prismatic(first), prismatic(second), revolute(axis)}});
  list.push_back({"point_on_line",
                  {.type = "point-on-line", .point = here, .axis = axis},
                  {prismatic(axis), {.type = "spherical", .point = here}}});
  list.push_back({"point_on_plane",
                  {.type = "point-on-plane", .point = here, .normal = axis},
                  {prismatic(first), prismatic(second), {.type = "spherical", .point = here}}});
  list.push_back({"fixed",
                  {.type = "fixed", .point = here},
                  {{.type = "spherical", .point = here},
                   {.type = "parallel-axes", .axis = axis},
                   {.type = "perpendicular-axes", .axis = first, .axis_to = second}},
                  true});
  list.push_back({"revolute",
                  revolute(axis),
                  {{.type = "spherical", .point = here}, {.type = "parallel-axes", .axis = axis}},
                  true});
  list.push_back({"prismatic",
                  prismatic(axis),
                  {{.type = "in-line", .point = here, .axis = axis},
                   {.type = "parallel-axes", .axis = axis},
                   {.type = "perpendicular-axes", .axis = first, .axis_to = second}},
                  true});
  list.push_back(
      {"screw", {.type = "screw", .point = here, .axis = axis, .pitch = 0.4}, {prismatic(axis), revolute(axis)}});
  return list;
}

struct Answer {
  std::vector<double> acceleration;  // of a and b
  Vec3 force, torque;                // on b about its mass centre
};

Answer answer(const Model& model) {
  const System system = compile(model);
  Dynamics d(system);
  std::vector<double> y = system.start, rate(system.size());
  EXPECT_TRUE(make_consistent(d, y).consistent);
  d.derivative(0, y.data(), {}, rate.data());
  Answer a;
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 6; ++k) a.acceleration.push_back(rate[system.nq + system.bodies[i].v + k]);
  a.force = a.torque = Vec3::Zero();
  for (std::size_t j = 0; j < system.joints.size(); ++j) {
    double f[3], m[3];
    d.joint_load(static_cast<int>(j), 1, f, m);
    a.force += Vec3(f[0], f[1], f[2]);
    a.torque += Vec3(m[0], m[1], m[2]);
  }
  return a;
}

class JointEquivalents : public ::testing::TestWithParam<Equivalent> {};

TEST_P(JointEquivalents, MoveAndBearTheSame) {
  const Equivalent& e = GetParam();
  Model one;
  one.gravity = {0.5, 0.7, -9.0};
  one.simulation.duration = 1;
  one.add(rigid("a", {0.1, 0.2, 0.3})).angular_velocity = Vec3(1, 0.4, -0.7);
  one.add(rigid("b", {0.7, -0.4, 0.5}));
  // Something for the joint to bear: b is pulled and twisted.
  one.add(Force{.name = "pull", .type = "force", .on = "b", .force = Point{3.0, -2.0, 4.0}});
  one.add(Force{.name = "twist", .type = "torque", .on = "b", .torque = Point{0.6, 0.9, -0.4}});
  Model other = one;
  one.add(between("joint", "a", "b", e.joint));
  std::string from = "a";
  for (std::size_t i = 0; i < e.chain.size(); ++i) {
    const bool last = i + 1 == e.chain.size();
    const std::string to = last || e.side_by_side ? "b" : "ghost" + std::to_string(i);
    if (!last && !e.side_by_side) other.add(ghost(to));
    other.add(between("part" + std::to_string(i), from, to, e.chain[i]));
    if (!e.side_by_side) from = to;
  }
  if (e.name == "screw") {  // turning and sliding coupled
    const double advance = 0.4 / (2 * M_PI);
    other.add(Joint{.name = "thread",
                    .type = "rack-and-pinion",
                    .radius = advance,
                    .joints = std::vector<std::string>{"part1", "part0"}});
  }
  const Answer direct = answer(one), built = answer(other);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(direct.acceleration[i], built.acceleration[i], 2e-5) << i;
  EXPECT_NEAR((direct.force - built.force).norm(), 0, 2e-5);
  EXPECT_NEAR((direct.torque - built.torque).norm(), 0, 2e-5);
  EXPECT_GT(direct.force.norm() + direct.torque.norm(), 0.1);
}

INSTANTIATE_TEST_SUITE_P(All, JointEquivalents, ::testing::ValuesIn(equivalents()),
                         [](const auto& test) { return test.param.name; });

TEST(ConstantVelocityJoint, TurnsBothShaftsEquallyFast) {
  // Shafts at an angle, each on its own bearing: the output turns exactly as fast as the input, all the time.
  Model m;
  m.gravity = Vec3::Zero();
  m.simulation.duration = 3;
  m.simulation.tolerance = 1e-11;
  const Vec3 out(std::cos(0.7), 0, std::sin(0.7));
  m.add(Body{.name = "in", .mass = 1.0, .inertia = Inertia{{0.2, 0.3, 0.3}, Vec3::Zero()}, .position = {-0.5, 0, 0}})
      .angular_velocity = Vec3(5, 0, 0);
  m.add(Body{.name = "out", .mass = 1.0, .inertia = Inertia{{0.2, 0.3, 0.25}, Vec3::Zero()}, .position = 0.5 * out});
  m.add(Joint{.name = "bearing1",
              .type = "revolute",
              .from = "ground",
              .to = "in",
              .point = Point{-0.5, 0.0, 0.0},
              .axis = Vec3::UnitX()});
  m.add(Joint{.name = "bearing2", .type = "parallel-axes", .from = "ground", .to = "out", .axis = out});
  m.add(Joint{.name = "cv",
              .type = "constant-velocity",
              .from = "in",
              .to = "out",
              .point = Point{0.0, 0.0, 0.0},
              .axis = Vec3::UnitX(),
              .axis_to = out});
  const System system = compile(m);
  Dynamics d(system);
  std::vector<double> y = system.start;
  ASSERT_TRUE(make_consistent(d, y).consistent);
  d.place(0, y.data());
  Vec3 w;
  for (int k = 0; k < 3; ++k) w[k] = d.channel({Channel::Kind::angular_velocity, 1, k, {}});
  EXPECT_NEAR(w.dot(out), 5, 1e-12);
  EXPECT_NEAR((w - out * w.dot(out)).norm(), 0, 1e-12);
}

}  // namespace
}  // namespace plumb
