#include "plumb/study/error_estimate.h"

#include <gtest/gtest.h>

#include "plumb/study/cases/pendulum_exact.h"
#include "models.h"

namespace plumb {
namespace {

// Estimated and true largest error of a pendulum whose motion is known.
void compare(Model m, double low, double high) {
  const PendulumExact exact{1, 9.81, 1.4};
  const Result r = simulate(m);
  const ErrorEstimate e = estimate_error(m, r);
  double truth = 0;
  const std::vector<double> t = r.trajectory["t"], x = r.trajectory["bob.x"], z = r.trajectory["bob.z"];
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double a = exact.angle(t[i]);
    truth = std::max(truth, std::hypot(x[i] - std::sin(a), z[i] + std::cos(a)));
  }
  EXPECT_GT(e.max / truth, low) << m.simulation.method;
  EXPECT_LT(e.max / truth, high) << m.simulation.method;
  ASSERT_EQ(e.final.size(), 1u);
  EXPECT_LE(e.final[0].second, e.max);
}

TEST(ErrorEstimate, IsCloseToTheTruthForFixedSteps) {
  for (const char* method : {"projected/midpoint", "projected/rk4", "projected/dopri5", "rattle"}) {
    Model m = testing::pendulum(1.4);
    m.simulation.duration = 5;
    m.simulation.method = method;
    m.simulation.step = 0.005;
    compare(m, 0.8, 1.25);
  }
}

TEST(ErrorEstimate, IsCloseToTheTruthForTolerances) {
  for (const double tolerance : {1e-6, 1e-9}) {
    Model m = testing::pendulum(1.4);
    m.simulation.duration = 5;
    m.simulation.tolerance = tolerance;
    compare(m, 0.8, 1.25);
  }
}

}  // namespace
}  // namespace plumb
