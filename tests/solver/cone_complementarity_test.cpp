#include "plumb/solver/cone_complementarity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace plumb {
namespace {

// A random problem as contacts make them: D = C Cᵀ, with more unknowns behind it than rows unless `redundant`.
struct RandomProblem {
  std::vector<double> D, b, mu, offset;
  ConeProblem problem;

  RandomProblem(int contacts, double friction, bool redundant, unsigned seed)
      : D(9 * contacts * contacts), b(3 * contacts), mu(contacts, friction), offset(contacts) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const int n = 3 * contacts, inner = redundant ? n - 2 : 2 * n;
    std::vector<double> C(n * inner);
    for (double& x : C) x = normal(random);
    // Right sides in the range of D, so that a redundant problem has a solution.
    std::vector<double> z(inner);
    for (double& x : z) x = normal(random);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < inner; ++k) {
        b[i] += C[i * inner + k] * z[k];
        for (int j = 0; j < n; ++j) D[i * n + j] += C[i * inner + k] * C[j * inner + k] / inner;
      }
    problem = {contacts, D.data(), b.data(), mu.data()};
  }

  // Largest breach of the conditions.
  double fault(const std::vector<double>& p) const {
    const int n = static_cast<int>(b.size());
    double worst = 0;
    for (int c = 0; c < problem.contacts; ++c) {
      double u[3];
      for (int i = 0; i < 3; ++i) {
        u[i] = b[3 * c + i];
        for (int j = 0; j < n; ++j) u[i] += D[(3 * c + i) * n + j] * p[j];
      }
      const double pn = p[3 * c], pt = std::hypot(p[3 * c + 1], p[3 * c + 2]), ut = std::hypot(u[1], u[2]);
      const double cone = mu[c] * (pn + offset[c]);
      worst = std::max({worst, -pn, -u[0], std::abs(pn * u[0]), pt - cone});
      // Friction opposes the slip with all it has: p_t.u_t = -cone |u_t|.
      worst = std::max(worst, std::abs(p[3 * c + 1] * u[1] + p[3 * c + 2] * u[2] + cone * ut));
    }
    return worst;
  }
};

TEST(ConeComplementarity, WithoutFrictionIsTheLinearComplementarityProblem) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const RandomProblem r(4, 0.0, false, seed);
    std::vector<double> p(12);
    ASSERT_TRUE(solve_cones(r.problem, p.data()).converged) << seed;
    EXPECT_LT(r.fault(p), 1e-12) << seed;
  }
}

TEST(ConeComplementarity, OneContactIsSolvedAtOnceOpenStickingOrSlipping) {
  int open = 0, stick = 0, slip = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    const RandomProblem r(1, 0.4, false, seed);
    std::vector<double> p(3);
    const ConeSolution s = solve_cones(r.problem, p.data());
    EXPECT_TRUE(s.converged);
    EXPECT_EQ(s.sweeps, 1);
    EXPECT_LT(r.fault(p), 1e-11) << seed;
    const double pt = std::hypot(p[1], p[2]);
    ++(p[0] == 0 ? open : pt < 0.4 * p[0] * (1 - 1e-9) ? stick : slip);
  }
  EXPECT_GT(open, 20);
  EXPECT_GT(stick, 5);
  EXPECT_GT(slip, 20);
}

TEST(ConeComplementarity, SeveralContactsWithFriction) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const RandomProblem r(5, 0.5, false, seed);
    std::vector<double> p(15);
    ASSERT_TRUE(solve_cones(r.problem, p.data(), 1e-14).converged) << seed;
    EXPECT_LT(r.fault(p), 1e-10) << seed;
  }
}

TEST(ConeComplementarity, JustBeyondTheFrictionLimitItSlips) {
  // A mass on a plane, pushed with 1 + 1e-7 of what friction holds: it slides along the push, slowly.
  const double D[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, mu = 0.3, push = 0.3 * (1 + 1e-7);
  const double b[3] = {-1, 0.6 * push, 0.8 * push};
  double p[3] = {};
  solve_cones({1, D, b, &mu}, p);
  EXPECT_NEAR(p[0], 1, 1e-15);
  EXPECT_NEAR(p[1], -0.6 * 0.3, 1e-15);
  EXPECT_NEAR(p[2], -0.8 * 0.3, 1e-15);
}

TEST(ConeComplementarity, AnOffsetWidensTheCone) {
  RandomProblem r(2, 0.5, false, 7);
  r.offset = {0.3, 0.8};
  r.problem.offset = r.offset.data();
  std::vector<double> p(6);
  ASSERT_TRUE(solve_cones(r.problem, p.data(), 1e-14).converged);
  EXPECT_LT(r.fault(p), 1e-11);
}

}  // namespace
}  // namespace plumb
