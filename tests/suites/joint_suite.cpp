// What every joint must pass, whatever its parts and ends: derivatives against finite differences, no drift, energy
// accounted for, reactions that balance Newton's and Euler's equations.
#include <gtest/gtest.h>

#include <random>

#include "plumb/simulation/simulation.h"
#include "plumb/simulation/start.h"
#include "plumb/system/projection.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

struct JointCase {
  std::string name;
  std::function<void(Model&)> build;  // adds joints between "a", "b" (rigid) and "p" (point mass)
};

Body rigid(const std::string& name, const Vec3& at) {
  // Inertia with products: principal axes are not the body's.
  return Body{.name = name,
              .mass = 1.3,
              .inertia = Inertia{{0.5, 0.6, 0.7}, {0.05, -0.03, 0.08}},
              .position = at,
              .rotation = Quaternion{0.8, 0.1, -0.4, 0.3}.normalized()};
}

const Point here{0.3, -0.2, 0.4};

void add_two(Model& m, Joint j) {
  m.add(rigid("a", {0.1, 0.2, 0.3}));
  m.add(rigid("b", {0.7, -0.4, 0.5}));
  j.from = "a", j.to = "b", j.name = "joint";
  m.add(j);
}

void add_ground(Model& m, Joint j, bool to_ground = false) {
  m.add(rigid("b", {0.7, -0.4, 0.5}));
  j.from = to_ground ? "b" : "ground", j.to = to_ground ? "ground" : "b", j.name = "joint";
  m.add(j);
}

// Two joints, on the ground or on a body "c" that moves freely, and a coupling between them.
void add_coupled(Model& m, const std::string& coupling, bool carrier) {
  m.add(rigid("a", {0.1, 0.2, 0.3}));
  m.add(rigid("b", {0.7, -0.4, 0.5}));
  if (carrier) m.add(rigid("c", {0.3, 0.3, -0.6}));
  const std::string base = carrier ? "c" : "ground";
  m.add(Joint{.name = "first", .type = "revolute", .from = base, .to = "a", .point = here, .axis = Vec3(1, 2, -0.5)});
  const bool slides = coupling == "rack-and-pinion" || coupling == "cam";
  m.add(Joint{.name = "second",
              .type = slides ? "prismatic" : "revolute",
              .from = slides ? "b" : base,
              .to = slides ? base : "b",
              .point = Point{0.5, 0.4, 0.1},
              .axis = Vec3(-1, 0.3, 0.6)});
  Joint j{.name = "joint", .type = coupling, .joints = std::vector<std::string>{"first", "second"}};
  if (coupling == "gear") j.ratio = -2.5;
  if (coupling == "rack-and-pinion") j.radius = 0.3;
  if (coupling == "coupler") j.coefficients = std::vector<double>{0.7, -1.9};
  if (coupling == "cam") {
    j.type = "coupler";
    j.joints = std::vector<std::string>{"second", "first"};
    j.function = "0.2*sin(2*x) + 0.1*x^2";
  }
  m.add(j);
}

std::vector<JointCase> joint_cases() {
  std::vector<JointCase> cases;
  const auto both = [&](const std::string& name, const Joint& j) {
    cases.push_back({name + "/two bodies", [j](Model& m) { add_two(m, j); }});
    cases.push_back({name + "/on the ground", [j](Model& m) { add_ground(m, j); }});
    cases.push_back({name + "/from a body to the ground", [j](Model& m) { add_ground(m, j, true); }});
  };
  const Vec3 axis(1, 2, -0.5);
  both("spherical", Joint{.type = "spherical", .point = here});
  both("revolute", Joint{.type = "revolute", .point = here, .axis = axis});
  both("fixed", Joint{.type = "fixed", .point = here});
  both("prismatic", Joint{.type = "prismatic", .point = here, .axis = axis});
  both("point-on-plane", Joint{.type = "point-on-plane", .point = here, .normal = axis});
  both("driven revolute", Joint{.type = "revolute", .point = here, .axis = axis, .angle = Quantity("0.4*sin(2*t)")});
  both("driven prismatic",
       Joint{.type = "prismatic", .point = here, .axis = axis, .displacement = Quantity("0.3*sin(t) + t^2/5")});
  both("rod", Joint{.type = "rod", .from_point = Point{0.3, 0.1, 0.0}, .to_point = Point{1.1, -0.2, 0.6}});
  both("driven rod", Joint{.type = "rod",
                           .from_point = Point{0.3, 0.1, 0.0},
                           .to_point = Point{1.1, -0.2, 0.6},
                           .length = Quantity("1.0 + 0.1*sin(3*t)")});
  both("moving rod end",
       Joint{.type = "rod", .from_local = Point{"0.1*t", "0.2*sin(t)", 0.3}, .to_local = Point{0.1, 0.0, "0.2*t^2"}});
  both("moving spherical", Joint{.type = "spherical",
                                 .from_local = Point{"0.1*t", "0.2*sin(t)", 0.3},
                                 .to_local = Point{0.1, 0.0, "0.2*t^2"}});
  both("moving plane", Joint{.type = "point-on-plane",
                             .from_local = Point{"0.1*t", "0.2*sin(t)", 0.3},
                             .to_local = Point{0.1, 0.0, "0.2*t^2"},
                             .normal = axis});
  const Vec3 across(2, -1, 0.3);  // not quite perpendicular to the axis: the start is assembled
  both("universal", Joint{.type = "universal", .point = here, .axis = axis, .axis_to = across});
  // Shafts that hang: folded back on each other the joint is singular, as its mechanism is.
  both("constant-velocity",
       Joint{.type = "constant-velocity", .point = here, .axis = Vec3(0.3, 0.5, -2), .axis_to = Vec3(1, 0.4, -2)});
  both("cylindrical", Joint{.type = "cylindrical", .point = here, .axis = axis});
  both("driven cylindrical", Joint{.type = "cylindrical",
                                   .point = here,
                                   .axis = axis,
                                   .angle = Quantity("0.4*sin(2*t)"),
                                   .displacement = Quantity("0.3*sin(t)")});
  both("screw", Joint{.type = "screw", .point = here, .axis = axis, .pitch = 0.4});
  both("left-handed driven screw",
       Joint{.type = "screw", .point = here, .axis = axis, .angle = Quantity("3*sin(t)"), .pitch = -0.7});
  both("planar", Joint{.type = "planar", .point = here, .normal = axis});
  both("point-on-line", Joint{.type = "point-on-line", .point = here, .axis = axis});
  both("in-line", Joint{.type = "in-line", .from_point = here, .to_point = Point{0.4, 0.0, 0.35}, .axis = axis});
  both("parallel-axes", Joint{.type = "parallel-axes", .axis = axis});
  both("perpendicular-axes", Joint{.type = "perpendicular-axes", .axis = axis, .axis_to = across});
  both("revolute with a driven rate",
       Joint{.type = "revolute", .point = here, .axis = axis, .rate = Quantity("sin(3*t)")});
  both(
      "prismatic with a driven rate",
      Joint{.type = "prismatic", .point = here, .axis = axis, .rate = Quantity("0.3*cos(t) - 0.2*joint.displacement")});
  both("revolute with a rate that depends on the motion",
       Joint{.type = "revolute", .point = here, .axis = axis, .rate = Quantity("sin(3*t) - joint.angle + 0.1*b.z")});
  both("point-on-curve", Joint{.type = "point-on-curve",
                               .to_point = here,
                               .curve = Point{"0.5*cos(s)", "0.7*sin(s)", "0.1*s"},
                               .range = std::vector<double>{-3, 3}});
  const auto rolling = [](Joint j) {
    j.type = "rolling", j.radius = 0.35, j.normal = Vec3(0.1, -0.2, 1);
    return j;
  };
  for (const bool disc : {false, true}) {
    Joint j = rolling(disc ? Joint{.axis = Vec3(1, 0.3, 0.4)} : Joint{.to_local = Point{0.1, 0.05, -0.1}});
    const std::string name = disc ? "rolling disc" : "rolling sphere";
    cases.push_back({name + "/two bodies", [j](Model& m) { add_two(m, j); }});
    cases.push_back({name + "/on the ground", [j](Model& m) { add_ground(m, j); }});
  }
  for (const bool carrier : {false, true})
    for (const std::string coupling : {"gear", "rack-and-pinion", "coupler", "cam"})
      cases.push_back({coupling + (carrier ? "/on a moving carrier" : "/on the ground"),
                       [=](Model& m) { add_coupled(m, coupling, carrier); }});
  cases.push_back({"rod/point on the ground", [](Model& m) {
                     m.add(Body{.name = "p", .mass = 0.4, .position = {1, 2, 3}});
                     m.add(Joint{.name = "joint", .type = "rod", .from = "ground", .to = "p", .from_point = here});
                   }});
  cases.push_back({"rod/point and body", [](Model& m) {
                     m.add(rigid("b", {0.7, -0.4, 0.5}));
                     m.add(Body{.name = "p", .mass = 0.4, .position = {1, 2, 3}});
                     m.add(Joint{.name = "joint", .type = "rod", .from = "p", .to = "b", .to_point = here});
                   }});
  cases.push_back({"rod/two points", [](Model& m) {
                     m.add(Body{.name = "p", .mass = 0.4, .position = {1, 2, 3}});
                     m.add(Body{.name = "q", .mass = 1.4, .position = {1, -2, 1}});
                     m.add(Joint{.name = "joint", .type = "rod", .from = "q", .to = "p"});
                   }});
  cases.push_back({"fixed/point on a body", [](Model& m) {
                     m.add(rigid("b", {0.7, -0.4, 0.5}));
                     m.add(Body{.name = "p", .mass = 0.4, .position = {1, 0, 1}});
                     m.add(Joint{.name = "joint", .type = "fixed", .from = "b", .to = "p"});
                   }});
  cases.push_back({"prismatic/bead on a moving wire", [](Model& m) {
                     m.add(rigid("b", {0.7, -0.4, 0.5}));
                     m.add(Body{.name = "p", .mass = 0.4, .position = {1, 0, 1}});
                     m.add(Joint{.name = "joint", .type = "prismatic", .from = "b", .to = "p", .axis = Vec3(0, 1, 1)});
                   }});
  cases.push_back(
      {"point-on-plane/point on a body", [](Model& m) {
         m.add(rigid("b", {0.7, -0.4, 0.5}));
         m.add(Body{.name = "p", .mass = 0.4, .position = {1, 0, 1}});
         m.add(Joint{.name = "joint", .type = "point-on-plane", .from = "b", .to = "p", .normal = Vec3(0, 1, 1)});
       }});
  // Two joints coupled through a body, one of them kept by several parts.
  cases.push_back(
      {"chain of different joints", [](Model& m) {
         add_two(m, Joint{.type = "revolute", .point = here, .axis = Vec3(0, 1, 1)});
         m.add(Joint{.name = "base", .type = "spherical", .from = "ground", .to = "a", .point = Point{0.0, 0.0, 0.0}});
         m.add(Body{.name = "p", .mass = 0.4, .position = {1, 0, 1}});
         m.add(Joint{.name = "tip", .type = "rod", .from = "b", .to = "p"});
       }});
  return cases;
}

class JointSuite : public ::testing::TestWithParam<JointCase> {
 protected:
  JointSuite() {
    GetParam().build(model_);
    model_.gravity = {0.5, 0.7, -9.0};
    model_.simulation.duration = 3;
    system_ = compile(model_);
  }

  // A state on the constraints at t = 0 with random consistent velocities.
  std::vector<double> random_state(Dynamics& d, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<double> y = system_.start;
    for (int i = 0; i < system_.nv; ++i) y[system_.nq + i] = normal(random);
    EXPECT_TRUE(make_consistent(d, y).consistent);
    return y;
  }

  Model model_;
  System system_;
};

// Moves along v for the time e: x + e v, q o exp(e w).
std::vector<double> moved(const System& system, const std::vector<double>& y, double e) {
  std::vector<double> z = y, d(y.begin() + system.nq, y.begin() + system.nq + system.nv);
  for (double& x : d) x *= e;
  displace(system, d.data(), z.data());
  return z;
}

TEST_P(JointSuite, RateIsTheDerivativeOfTheConstraint) {
  Dynamics d(system_);
  std::vector<double> plus(system_.rows), minus(system_.rows), rate(system_.rows);
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const std::vector<double> y = random_state(d, seed);
    const double e = 1e-5;
    const std::vector<double> before = moved(system_, y, -e), after = moved(system_, y, e);
    d.place(e, after.data());
    d.residual(plus.data());
    d.place(-e, before.data());
    d.residual(minus.data());
    d.place(0, y.data());
    d.linearise();
    d.rate_residual(rate.data());
    for (int r = 0; r < system_.rows; ++r) EXPECT_NEAR(rate[r], (plus[r] - minus[r]) / (2 * e), 1e-8) << "row " << r;
  }
}

TEST_P(JointSuite, JacobianIsTheDerivativeInEveryDirection) {
  Dynamics d(system_);
  std::vector<double> plus(system_.rows), minus(system_.rows), column(system_.rows);
  const std::vector<double> y = random_state(d, 9);
  for (int k = 0; k < system_.nv; ++k) {
    std::vector<double> unit = y;
    for (int i = 0; i < system_.nv; ++i) unit[system_.nq + i] = i == k;
    const double e = 1e-5;
    const std::vector<double> before = moved(system_, unit, -e), after = moved(system_, unit, e);
    d.place(0, after.data());
    d.residual(plus.data());
    d.place(0, before.data());
    d.residual(minus.data());
    d.place(0, unit.data());
    d.linearise();
    d.constraints().multiply(unit.data() + system_.nq, column.data());
    for (int r : system_.velocity_rows()) column[r] = 0;  // no g to differentiate; the bias is tested below
    for (int r = 0; r < system_.rows; ++r)
      EXPECT_NEAR(column[r], (plus[r] - minus[r]) / (2 * e), 1e-9) << "row " << r << " velocity " << k;
  }
}

TEST_P(JointSuite, BiasIsTheDerivativeOfTheRateAtConstantVelocity) {
  Dynamics d(system_);
  std::vector<double> plus(system_.rows), minus(system_.rows), bias(system_.rows), zero(system_.nv);
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const std::vector<double> y = random_state(d, seed);
    const double e = 1e-5;
    const std::vector<double> before = moved(system_, y, -e), after = moved(system_, y, e);
    d.place(e, after.data());
    d.linearise();
    d.rate_residual(plus.data());
    d.place(-e, before.data());
    d.linearise();
    d.rate_residual(minus.data());
    d.place(0, y.data());
    d.acceleration_residual(zero.data(), bias.data());
    for (int r = 0; r < system_.rows; ++r)
      EXPECT_NEAR(bias[r], (plus[r] - minus[r]) / (2 * e), 1e-8 * (1 + std::abs(bias[r]))) << "row " << r;
  }
}

TEST_P(JointSuite, AccelerationsSatisfyTheConstraintToRounding) {
  Dynamics d(system_);
  std::vector<double> rate(system_.size()), rows(system_.rows);
  const std::vector<double> y = random_state(d, 3);
  d.derivative(0, y.data(), {}, rate.data());
  d.place(0, y.data());
  d.acceleration_residual(rate.data() + system_.nq, rows.data());
  for (double r : rows) EXPECT_NEAR(r, 0, 1e-12);
}

TEST_P(JointSuite, ReactionsBalanceTheMotionOfEveryBody) {
  // Newton and Euler with the reported reactions: m v' = m g + sum of forces; d/dt (R J w) = sum of moments. A single
  // joint, or the sum over all joints at a body.
  Dynamics d(system_);
  std::vector<double> rate(system_.size());
  const std::vector<double> y = random_state(d, 4);
  d.derivative(0, y.data(), {}, rate.data());
  for (std::size_t i = 0; i < system_.bodies.size(); ++i) {
    const SystemBody& b = system_.bodies[i];
    const double* const a = rate.data() + system_.nq + b.v;
    Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
    for (std::size_t k = 0; k < system_.joints.size(); ++k) {
      double f[3], m[3];
      d.joint_load(static_cast<int>(k), static_cast<int>(i), f, m);
      force += Vec3(f[0], f[1], f[2]);
      moment += Vec3(m[0], m[1], m[2]);
    }
    const Vec3 newton = b.mass * (Vec3(a[0], a[1], a[2]) - model_.gravity) - force;
    EXPECT_NEAR(newton.norm(), 0, 1e-11) << b.name;
    if (b.kind != BodyKind::rigid) continue;
    const Vec3 w(y[system_.nq + b.v + 3], y[system_.nq + b.v + 4], y[system_.nq + b.v + 5]), alpha(a[3], a[4], a[5]);
    const Vec3 L_rate = b.moments.cwiseProduct(alpha) + w.cross(b.moments.cwiseProduct(w));
    const Mat3 R = Quaternion{y[b.q + 3], y[b.q + 4], y[b.q + 5], y[b.q + 6]}.matrix();
    EXPECT_NEAR((R * L_rate - moment).norm(), 0, 1e-11) << b.name;
  }
}

TEST_P(JointSuite, TheReactionOnToBalancesWhatFromBears) {
  // The reported wrench on `to` about its anchor, against the loads on the bodies. A joint between two bodies exerts
  // the same wrench, reversed, on `from`, at the same point in space.
  Dynamics d(system_);
  std::vector<double> rate(system_.size());
  const std::vector<double> y = random_state(d, 6);
  d.derivative(0, y.data(), {}, rate.data());
  for (std::size_t k = 0; k < system_.joints.size(); ++k) {
    const SystemJoint& j = system_.joints[k];
    if (j.coupler >= 0) continue;
    double f[3], m[3], p[3], load[3], torque[3];
    d.reaction(static_cast<int>(k), f, m);
    position(d.placement(), j.to, p);
    for (const auto& [end, sign] : {std::pair(j.to, 1.0), std::pair(j.from, -1.0)}) {
      if (end.body < 0) continue;
      const SystemBody& b = system_.bodies[end.body];
      d.joint_load(static_cast<int>(k), end.body, load, torque);
      const Vec3 F = sign * Vec3(f[0], f[1], f[2]), arm(p[0] - y[b.q], p[1] - y[b.q + 1], p[2] - y[b.q + 2]);
      EXPECT_NEAR((F - Vec3(load[0], load[1], load[2])).norm(), 0, 1e-11) << b.name;
      if (b.kind != BodyKind::rigid) continue;
      EXPECT_NEAR((sign * Vec3(m[0], m[1], m[2]) + arm.cross(F) - Vec3(torque[0], torque[1], torque[2])).norm(), 0,
                  1e-11)
          << b.name;
    }
  }
}

TEST_P(JointSuite, HoldsForAHundredSeconds) {
  // Without gravity nothing flies away, and lengths stay of the size the violation is measured against.
  model_.gravity = Vec3::Zero();
  // Anchors that move as t² are kilometres away by then, and the lever arms with them.
  model_.simulation.duration = GetParam().name.starts_with("moving") ? 5 : 100;
  model_.simulation.tolerance = 1e-9;
  model_.simulation.output_every = 10;
  model_.bodies[0].velocity = Vec3(0.03, -0.05, 0.02);
  if (!model_.bodies[0].is_point()) model_.bodies[0].angular_velocity = Vec3(1, 0.4, -0.7);
  const Result r = simulate(model_);
  ASSERT_EQ(r.outcome.kind, Outcome::Kind::completed) << r.outcome.describe();
  double size = 1;
  for (const FinalBody& b : r.final) size = std::max(size, b.position.norm());
  EXPECT_LT(r.audit.violation[0], 1e-12 * size);
  EXPECT_LT(r.audit.violation[1], 1e-12 * size);
  EXPECT_LT(r.audit.max_drift, 1e-6 * (1 + r.audit.initial.total() + r.audit.final.kinetic));
}

TEST_P(JointSuite, RunsWithoutDriftAndAccountsForEnergy) {
  model_.simulation.tolerance = 1e-11;
  model_.bodies[0].velocity = Vec3(0.3, -0.5, 0.2);
  if (!model_.bodies[0].is_point()) model_.bodies[0].angular_velocity = Vec3(1, 0.4, -0.7);
  const Result r = simulate(model_);
  ASSERT_EQ(r.outcome.kind, Outcome::Kind::completed) << r.outcome.describe();
  EXPECT_LT(r.audit.violation[0], 1e-12);
  EXPECT_LT(r.audit.violation[1], 1e-12);
  EXPECT_LT(r.audit.acceleration_violation, 1e-10);
  EXPECT_LT(r.audit.max_drift, 1e-8 * (1 + std::abs(r.audit.initial.total()) + r.audit.final.kinetic));
}

std::string test_name(const ::testing::TestParamInfo<JointCase>& info) {
  std::string name = info.param.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(AllJoints, JointSuite, ::testing::ValuesIn(joint_cases()), test_name);

}  // namespace
}  // namespace plumb
