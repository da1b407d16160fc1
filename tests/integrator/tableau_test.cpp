#include "plumb/integrator/tableau.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/time_stepping/method.h"

namespace plumb {
namespace {

// sum_i b_i F_i for the order conditions of quadrature and of the bushy and tall trees.
TEST(Tableau, RowSumsAreTheNodes) {
  for (const Tableau& t : tableaux())
    for (std::size_t s = 0; s < t.a.size(); ++s) {
      double sum = 0;
      for (double x : t.a[s]) sum += x;
      EXPECT_NEAR(sum, t.c[s], 2e-14) << t.name << " row " << s;
    }
}

TEST(Tableau, QuadratureConditionsUpToTheOrder) {
  for (const Tableau& t : tableaux())
    for (int k = 1; k <= t.order; ++k) {
      double sum = 0;
      for (int s = 0; s < t.stages; ++s) sum += t.b[s] * (k == 1 ? 1 : std::pow(t.c[s], k - 1));
      EXPECT_NEAR(sum, 1.0 / k, 1e-14) << t.name << " order " << k;
    }
}

TEST(Tableau, TallTreeConditionsUpToTheOrder) {
  // b Aᵏ⁻¹ 1 = 1/k!: the exact solution of y' = y to its order.
  for (const Tableau& t : tableaux()) {
    std::vector<double> v(t.stages, 1.0);
    double factorial = 1;
    for (int k = 1; k <= t.order; ++k) {
      factorial *= k;
      double sum = 0;
      for (int s = 0; s < t.stages; ++s) sum += t.b[s] * v[s];
      EXPECT_NEAR(sum * factorial, 1, 2e-12) << t.name << " order " << k;
      std::vector<double> next(t.stages);
      for (int s = 0; s < t.stages; ++s)
        for (int j = 0; j < (t.is_implicit ? t.stages : s); ++j) next[s] += t.a[s][j] * v[j];
      v = next;
    }
  }
}

TEST(Tableau, ErrorWeightsVanishOnWhatTheEmbeddedMethodIntegrates) {
  for (const Tableau& t : tableaux()) {
    if (!t.is_adaptive() || t.is_implicit) continue;
    for (int k = 1; k <= 3; ++k) {
      double sum = 0;
      for (std::size_t s = 0; s < t.error.size(); ++s) sum += t.error[s] * (k == 1 ? 1 : std::pow(t.c[s], k - 1));
      EXPECT_NEAR(sum, 0, 1e-14) << t.name << " order " << k;
    }
  }
}

// On y' = k t^(k-1) the stages are exact, z_i = (c_i h)^k, and f(y0) is 1 for k = 1 and 0 beyond.
TEST(Tableau, ImplicitErrorWeightsVanishOnCubics) {
  for (const Tableau& t : tableaux()) {
    if (!t.is_implicit) continue;
    for (int k = 1; k <= 4; ++k) {
      double sum = k == 1 ? 1 : 0;
      for (int s = 0; s < t.stages; ++s) sum += t.error[s] * std::pow(t.c[s], k);
      if (k <= t.error_order)
        EXPECT_NEAR(sum, 0, 1e-13) << t.name << " k " << k;
      else
        EXPECT_GT(std::abs(sum), 1e-3) << t.name;
    }
  }
}

TEST(Tableau, DenseOutputMeetsBothEndsAndItsOrder) {
  for (const Tableau& t : tableaux()) {
    if (t.dense.empty()) continue;
    const auto weight = [&](std::size_t s, double theta) {
      double b = 0;
      for (std::size_t k = t.dense[s].size(); k-- > 0;) b = (b + t.dense[s][k]) * theta;
      return b;
    };
    for (std::size_t s = 0; s < t.dense.size(); ++s) {
      EXPECT_EQ(weight(s, 0), 0);
      EXPECT_NEAR(weight(s, 1), static_cast<int>(s) < t.stages ? t.b[s] : 0, 1e-12) << t.name << " stage " << s;
    }
    // sum b_i(th) c_i^(k-1) = th^k/k for k up to the order of the interpolant.
    for (const double theta : {0.1, 0.37, 0.5, 0.92})
      for (int k = 1; k <= t.dense_order(); ++k) {
        double sum = 0;
        for (std::size_t s = 0; s < t.dense.size(); ++s)
          sum += weight(s, theta) * (k == 1 ? 1 : std::pow(t.c[s], k - 1));
        EXPECT_NEAR(sum, std::pow(theta, k) / k, 1e-12) << t.name << " theta " << theta << " k " << k;
      }
  }
}

TEST(Tableau, StabilityLimitsOnTheNegativeAxis) {
  EXPECT_NEAR(real_stability_limit(euler_tableau()), 2, 1e-9);
  EXPECT_NEAR(real_stability_limit(midpoint_tableau()), 2, 1e-9);
  EXPECT_NEAR(real_stability_limit(rk4_tableau()), 2.785293563405282, 1e-9);
}

TEST(Methods, AreFoundByNameAndNearNameIsOffered) {
  EXPECT_EQ(find_method("projected/dop853").order, 8);
  EXPECT_EQ(find_method("rk4").name, "projected/rk4");
  EXPECT_EQ(find_method("rattle").order, 2);
  try {
    find_method("projected/dop583");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean 'projected/dop853'?"), std::string::npos);
  }
}

}  // namespace
}  // namespace plumb
