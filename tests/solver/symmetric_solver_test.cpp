#include "plumb/solver/symmetric_solver.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <Eigen/Dense>

#include "plumb/solver/elimination_order.h"

namespace plumb {
namespace {

using Couplings = std::vector<std::pair<int, int>>;
using Storage = SymmetricSolver::Storage;

struct Problem {
  std::vector<int> sizes;
  Couplings couplings;
};

// S = B Bᵀ with the block pattern of the couplings: every coupling contributes a random low-rank term, every block a
// regular one.
Eigen::MatrixXd random_matrix(const Problem& p, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<int> first(p.sizes.size());
  std::exclusive_scan(p.sizes.begin(), p.sizes.end(), first.begin(), 0);
  const int n = std::accumulate(p.sizes.begin(), p.sizes.end(), 0);
  Eigen::MatrixXd S = Eigen::MatrixXd::Zero(n, n);
  const auto add = [&](std::vector<int> nodes) {
    Eigen::MatrixXd B = Eigen::MatrixXd::Zero(n, 8);
    for (int i : nodes)
      for (int r = 0; r < p.sizes[i]; ++r)
        for (int c = 0; c < 8; ++c) B(first[i] + r, c) = normal(random);
    S += B * B.transpose();
  };
  for (std::size_t i = 0; i < p.sizes.size(); ++i) add({static_cast<int>(i)});
  for (const auto& [a, b] : p.couplings) add({a, b});
  return S;
}

void load(SymmetricSolver& solver, const Problem& p, const Eigen::MatrixXd& S) {
  std::vector<int> first(p.sizes.size());
  std::exclusive_scan(p.sizes.begin(), p.sizes.end(), first.begin(), 0);
  solver.clear();
  const auto put = [&](int i, int j) {
    if (solver.eliminated_before(i, j)) std::swap(i, j);
    const SymmetricSolver::Place place = solver.locate(i, j);
    for (int r = 0; r < p.sizes[i]; ++r)
      for (int c = 0; c < p.sizes[j]; ++c)
        solver.values()[place.offset + r * place.stride + c] = S(first[i] + r, first[j] + c);
  };
  for (std::size_t i = 0; i < p.sizes.size(); ++i) put(static_cast<int>(i), static_cast<int>(i));
  for (const auto& [a, b] : p.couplings) put(a, b);
}

const Problem chain{{3, 3, 5, 1, 6, 2, 4}, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}}};
const Problem ring{{3, 5, 3, 5, 1}, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}}};
const Problem star{{1, 2, 3, 4, 5}, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}};
const Problem grid{{3, 3, 3, 3, 3, 3, 3, 3, 3},
                   {{0, 1}, {1, 2}, {3, 4}, {4, 5}, {6, 7}, {7, 8}, {0, 3}, {3, 6}, {1, 4}, {4, 7}, {2, 5}, {5, 8}}};
const Problem apart{{3, 1, 5, 2}, {{0, 2}}};
const Problem truss{{1, 1, 1, 1, 1, 1}, {{0, 1}, {0, 2}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 5}, {1, 4}}};

TEST(SymmetricSolver, SolvesEveryPatternDenseAndSparse) {
  unsigned seed = 1;
  for (const Problem& p : {chain, ring, star, grid, apart, truss})
    for (const Storage storage : {Storage::dense, Storage::sparse, Storage::automatic}) {
      const Eigen::MatrixXd S = random_matrix(p, ++seed);
      const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(S.rows(), -1, 2);
      Eigen::VectorXd b = S * x;
      SymmetricSolver solver(p.sizes, p.couplings, storage);
      load(solver, p, S);
      ASSERT_TRUE(solver.factor());
      solver.solve(b.data());
      EXPECT_LT((b - x).norm() / x.norm(), 1e-11);
      // The pattern serves again.
      const Eigen::MatrixXd other = random_matrix(p, ++seed);
      b = other * x;
      load(solver, p, other);
      ASSERT_TRUE(solver.factor());
      solver.solve(b.data());
      EXPECT_LT((b - x).norm() / x.norm(), 1e-11);
    }
}

TEST(SymmetricSolver, SmallBlockIsDense) {
  EXPECT_TRUE(SymmetricSolver({5}, {}).is_dense());
  EXPECT_FALSE(SymmetricSolver(chain.sizes, chain.couplings).is_dense());
}

TEST(SymmetricSolver, DependentRowsAreReportedAndRegularised) {
  const Problem full{{3, 3, 3}, {{0, 1}, {0, 2}, {1, 2}}};
  Eigen::MatrixXd T = Eigen::MatrixXd::Identity(9, 9);
  T.row(8) = T.row(0) + 2 * T.row(4);  // the last row depends on two others
  const Eigen::MatrixXd S = T * random_matrix(full, 5) * T.transpose();
  for (const Storage storage : {Storage::dense, Storage::sparse}) {
    SymmetricSolver solver(full.sizes, full.couplings, storage);
    load(solver, full, S);
    EXPECT_FALSE(solver.factor());
    load(solver, full, S);
    solver.regularise(1e-9);
    EXPECT_TRUE(solver.factor());
    // Right sides in the range of S are met up to the regularisation.
    const Eigen::VectorXd b = S * Eigen::VectorXd::LinSpaced(9, 1, 2);
    Eigen::VectorXd x = b;
    solver.solve(x.data());
    EXPECT_LT((S * x - b).norm() / b.norm(), 1e-6);
  }
}

TEST(EliminationOrder, ChainHasNoFillAndStartsFromBothEnds) {
  const std::vector<int> weights(20, 3);
  Couplings couplings;
  for (int i = 0; i < 19; ++i) couplings.emplace_back(i, i + 1);
  const Elimination e = minimum_degree(weights, couplings);
  std::size_t blocks = 0;
  for (const auto& later : e.later) {
    EXPECT_LE(later.size(), 1u);
    blocks += later.size();
  }
  EXPECT_EQ(blocks, 19u);
  EXPECT_EQ(e.order[0], 0);
  EXPECT_EQ(e.order[1], 19);
}

TEST(EliminationOrder, RingFillsOneBlockAtATime) {
  const std::vector<int> weights(30, 5);
  Couplings couplings;
  for (int i = 0; i < 30; ++i) couplings.emplace_back(i, (i + 1) % 30);
  for (const auto& later : minimum_degree(weights, couplings).later) EXPECT_LE(later.size(), 2u);
}

}  // namespace
}  // namespace plumb
