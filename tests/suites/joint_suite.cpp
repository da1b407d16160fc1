// What every joint must pass, whatever its parts and ends: derivatives against finite differences, no drift, energy
// accounted for, reactions that balance Newton's and Euler's equations.
#include <gtest/gtest.h>

#include <random>

#include "plumb/simulation/simulation.h"
#include "plumb/simulation/start.h"
#include "plumb/system/projection.h"
#include "plumb/trajectory/result.h"
#include "suites/joint_cases.h"

namespace plumb {
namespace {

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

INSTANTIATE_TEST_SUITE_P(AllJoints, JointSuite, ::testing::ValuesIn(joint_cases()), joint_case_name);

}  // namespace
}  // namespace plumb
