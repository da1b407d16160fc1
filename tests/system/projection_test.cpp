#include "plumb/system/projection.h"

#include <gtest/gtest.h>

#include "models.h"

namespace plumb {
namespace {

// Kinetic metric of a displacement.
double mass_norm(const System& system, const std::vector<double>& d) {
  double sum = 0;
  for (const SystemBody& b : system.bodies) {
    for (int k = 0; k < 3; ++k) sum += b.mass * d[b.v + k] * d[b.v + k];
    if (b.kind == BodyKind::rigid)
      for (int k = 0; k < 3; ++k) sum += b.moments[k] * d[b.v + 3 + k] * d[b.v + 3 + k];
  }
  return sum;
}

TEST(Projection, VelocityMovesAsLittleAsPossibleInTheMassMetric) {
  const System system = compile(testing::chain(3, "revolute"));
  Dynamics d(system);
  std::vector<double> y = system.start;
  for (int i = 0; i < system.nv; ++i) y[system.nq + i] = std::sin(1.0 + i);
  const std::vector<double> given(y.begin() + system.nq, y.end());
  d.place(0, y.data());
  d.linearise();
  d.factor();
  Projection(d).project_velocity(y.data());
  std::vector<double> rates(system.rows);
  d.rate_residual(rates.data());
  for (double r : rates) EXPECT_NEAR(r, 0, 1e-14);
  // Orthogonal: any other admissible velocity is farther away.
  std::vector<double> move(system.nv);
  for (int i = 0; i < system.nv; ++i) move[i] = y[system.nq + i] - given[i];
  const double least = mass_norm(system, move);
  for (int trial = 0; trial < 10; ++trial) {
    std::vector<double> z = y;
    for (int i = 0; i < system.nv; ++i) z[system.nq + i] += std::cos(3.0 * trial + i);
    d.place(0, z.data());
    d.linearise();
    Projection(d).project_velocity(z.data());
    for (int i = 0; i < system.nv; ++i) move[i] = z[system.nq + i] - given[i];
    EXPECT_GT(mass_norm(system, move), least * (1 - 1e-12));
  }
}

TEST(Projection, PositionComesBackToRoundingWithAnOldFactorisation) {
  for (const char* joint : {"spherical", "revolute"}) {
    const System system = compile(testing::chain(6, joint));
    Dynamics d(system);
    std::vector<double> y = system.start, rate(system.size()), g(system.rows);
    d.derivative(0, y.data(), {}, rate.data());  // leaves its factorisation behind
    for (const SystemBody& b : system.bodies) {
      for (int k = 0; k < 3; ++k) y[b.q + k] += 1e-4 * std::sin(5.0 * b.q + k);
      const double turn[3] = {1e-4, -2e-4, 1e-4 * b.q};
      turn_quaternion(turn, y.data() + b.q + 3);
    }
    const ProjectionReport report = Projection(d).apply(0, y.data());
    EXPECT_TRUE(report.converged);
    d.place(0, y.data());
    d.residual(g.data());
    for (double x : g) EXPECT_NEAR(x, 0, 1e-14);
  }
}

TEST(Projection, LoneJointsAndCoupledJointsAreTreatedAlike) {
  // A pendulum alone takes the short way; the same pendulum with a second, unconnected mechanism of coupled joints
  // beside it must end at the same place.
  Model alone = testing::pendulum(0.9);
  Model both = testing::chain(2, "spherical");
  both.add(alone.bodies[0]);
  both.add(alone.joints[0]);
  std::vector<std::vector<double>> ends;
  for (const Model& m : {alone, both}) {
    const System system = compile(m);
    Dynamics d(system);
    std::vector<double> y = system.start, rate(system.size());
    d.derivative(0, y.data(), {}, rate.data());
    const SystemBody& bob = system.bodies.back();
    for (int k = 0; k < 3; ++k) y[bob.q + k] *= 1.001, y[system.nq + bob.v + k] = 0.1 * k + 0.1;
    EXPECT_TRUE(Projection(d).apply(0, y.data()).converged);
    ends.push_back({y[bob.q], y[bob.q + 1], y[bob.q + 2], y[system.nq + bob.v], y[system.nq + bob.v + 1],
                    y[system.nq + bob.v + 2]});
  }
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(ends[0][i], ends[1][i], 1e-14);
}

TEST(Projection, ReportsWhatCannotBeClosed) {
  Model m = testing::pendulum(0.5);
  m.add(Joint{.name = "other",
              .type = "rod",
              .from = "ground",
              .to = "bob",
              .from_point = Point{5.0, 0.0, 0.0},
              .length = Quantity(1.0)});
  const System system = compile(m);
  Dynamics d(system);
  std::vector<double> y = system.start;
  const ProjectionReport report = Projection(d).assemble(0, y.data());
  EXPECT_FALSE(report.converged);
  EXPECT_GT(report.residual, 0.1);
  EXPECT_GE(report.worst_row, 0);
}

}  // namespace
}  // namespace plumb
