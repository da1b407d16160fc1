#include "plumb/time_stepping/rattle.h"

#include <gtest/gtest.h>

#include "plumb/simulation/simulation.h"
#include "plumb/trajectory/result.h"
#include "models.h"

namespace plumb {
namespace {

TEST(Rattle, KeepsTheEnergyOfAFreeBodyWithoutTrend) {
  Model m;
  m.gravity = Vec3::Zero();
  m.add(Body{.name = "b",
             .mass = 1.0,
             .inertia = Inertia{{1.0, 2.0, 2.7}, Vec3::Zero()},
             .angular_velocity_body = Vec3(0.02, 1, 0.03)});
  m.simulation.method = "rattle";
  m.simulation.step = 0.02;
  m.simulation.duration = 400;
  const Result r = simulate(m);
  // Length of the angular momentum to rounding, its direction too; energy within O(h²), as large at first as at last.
  for (const char* c : {"angular_momentum.x", "angular_momentum.y", "angular_momentum.z"}) {
    const std::vector<double> L = r.trajectory[c];
    for (double x : L) EXPECT_NEAR(x, L[0], 1e-12);
  }
  const std::vector<double> drift = r.trajectory["energy.drift"];
  double early = 0, late = 0;
  for (std::size_t i = 0; i < drift.size() / 4; ++i) {
    early = std::max(early, std::abs(drift[i]));
    late = std::max(late, std::abs(drift[drift.size() - 1 - i]));
  }
  EXPECT_LT(early, 1e-3);
  EXPECT_NEAR(late / early, 1, 0.05);
}

TEST(Rattle, IsReversible) {
  // Forth, velocities turned round, back: the start, to rounding.
  Model m = testing::chain(2, "revolute");
  m.simulation.method = "rattle";
  m.simulation.step = 0.01;
  m.simulation.duration = 1;
  Simulation s(m);
  while (s.step()) {
  }
  std::vector<double> y(s.state(), s.state() + s.system().size());
  for (int i = 0; i < s.system().nv; ++i) y[s.system().nq + i] *= -1;
  Dynamics d(s.system());
  Formulation f(d, nullptr, Formulation::Kind::index1, {});
  Rattle back(f);
  back.begin(0, y.data());
  for (int i = 0; i < 100; ++i) {
    back.attempt(0.01);
    back.advance(0.01 * (i + 1));
  }
  for (const SystemBody& b : s.system().bodies)
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(back.state()[b.q + k], s.system().start[b.q + k], 1e-12);
}

TEST(Rattle, HoldsConstraintsAtBothLevels) {
  Model m = testing::chain(5, "spherical");
  m.bodies[4].angular_velocity = Vec3(3, 1, 2);
  m.simulation.method = "rattle";
  m.simulation.step = 0.002;
  m.simulation.duration = 4;
  const Result r = simulate(m);
  EXPECT_LT(r.audit.violation[0], 1e-13);
  EXPECT_LT(r.audit.violation[1], 1e-12);
}

TEST(Rattle, IsOfSecondOrderWithDampersAndDrivenJoints) {
  Model m = testing::pendulum(1.0);
  m.joints[0].from_point = Point{"0.1*sin(5*t)", 0.0, 0.0};
  m.add(Force{.name = "air", .type = "drag", .linear = 0.3, .quadratic = 0.2});
  m.simulation.duration = 2;
  m.simulation.tolerance = 1e-12;
  const Result exact = simulate(m);
  m.simulation.method = "rattle";
  m.simulation.tolerance.reset();
  double errors[2], drifts[2];
  for (int i = 0; i < 2; ++i) {
    m.simulation.step = i == 0 ? 0.004 : 0.002;
    const Result r = simulate(m);
    errors[i] = (r.final[0].position - exact.final[0].position).norm();
    drifts[i] = r.audit.max_drift;
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.1);
  EXPECT_NEAR(std::log2(drifts[0] / drifts[1]), 2, 0.2);
}

}  // namespace
}  // namespace plumb
