// The same mechanisms through every formulation: trajectories agree, drift is as announced.
#include <gtest/gtest.h>

#include "plumb/time_stepping/method.h"
#include "plumb/trajectory/result.h"
#include "models.h"

namespace plumb {
namespace {

Result run(Model m, const std::string& method, double step, double duration) {
  m.simulation.method = method;
  m.simulation.step = step;
  m.simulation.tolerance.reset();
  m.simulation.duration = duration;
  return simulate(m);
}

TEST(Formulations, AgreeOnAThreeLinkChain) {
  Model m = testing::chain(3, "spherical");
  m.bodies[2].angular_velocity = Vec3(2, 0, 1);
  const Result reference = run(m, "projected/dop853", 0.002, 1);
  for (const char* formulation : {"index1", "baumgarte"}) {
    const Result r = run(m, std::string(formulation) + "/dop853", 0.002, 1);
    ASSERT_TRUE(r.outcome.is_success());
    for (std::size_t b = 0; b < r.final.size(); ++b) {
      EXPECT_NEAR((r.final[b].position - reference.final[b].position).norm(), 0, 1e-10) << formulation;
      EXPECT_NEAR((r.final[b].velocity - reference.final[b].velocity).norm(), 0, 1e-9) << formulation;
    }
  }
  // RATTLE is of order 2 and comes as close as that allows.
  const Result rattle = run(m, "rattle", 1e-4, 1);
  EXPECT_NEAR((rattle.final[2].position - reference.final[2].position).norm(), 0, 1e-5);
}

TEST(Formulations, Index1DriftsBaumgarteDampsProjectionHolds) {
  const Model m = testing::pendulum(1.5);
  const Result bare = run(m, "index1/rk4", 0.01, 20), damped = run(m, "baumgarte/rk4", 0.01, 20),
               held = run(m, "projected/rk4", 0.01, 20);
  EXPECT_GT(bare.audit.violation[0], 1e-6);
  EXPECT_LT(damped.audit.violation[0], bare.audit.violation[0] / 3);
  EXPECT_LT(held.audit.violation[0], 1e-14);
  EXPECT_LT(held.audit.violation[1], 1e-14);
  // The drift of the bare equations keeps growing.
  EXPECT_GT(bare.trajectory["violation.position"].back(), 2 * bare.trajectory["violation.position"][200]);
}

// A start off the constraint decays like (1 + omega t) exp(-omega t): the critically damped Baumgarte equation.
TEST(Formulations, BaumgarteDecaysAsItsEquationSays) {
  const Model m = testing::pendulum(0.7);
  System system = compile(m);
  Dynamics d(system);
  const double omega = 15, excess = 1e-4;
  std::vector<double> y = system.start;
  for (int k = 0; k < 3; ++k) y[k] *= 1 + excess;
  Formulation f(d, nullptr, Formulation::Kind::baumgarte, {omega, omega});
  const auto integrator = make_integrator(find_method("baumgarte/dop853"), f, m);
  integrator->begin(0, y.data());
  double g0 = 0;
  d.place(0, y.data());
  d.residual(&g0);
  for (int i = 1; i <= 100; ++i) {
    integrator->attempt(0.005);
    integrator->complete();
    integrator->advance(0.005 * i);
    double g = 0;
    d.place(0, integrator->state());
    d.residual(&g);
    const double t = 0.005 * i;
    EXPECT_NEAR(g / g0, (1 + omega * t) * std::exp(-omega * t), 2e-6);
  }
}

TEST(Formulations, AlphaAndBetaAreOmegaWhenEqual) {
  Model m = testing::pendulum(1.0);
  m.simulation.omega = 12;
  const Result a = run(m, "baumgarte/rk4", 0.01, 1);
  m.simulation.omega.reset();
  m.simulation.alpha = m.simulation.beta = 12;
  const Result b = run(m, "baumgarte/rk4", 0.01, 1);
  EXPECT_EQ(a.final[0].position, b.final[0].position);
  m.simulation.alpha = 3;
  EXPECT_NE(run(m, "baumgarte/rk4", 0.01, 1).final[0].position, b.final[0].position);
}

}  // namespace
}  // namespace plumb
