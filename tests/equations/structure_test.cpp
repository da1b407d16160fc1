// The signature method against its definition: largest assignment by trying all, smallest offsets, dependent parts.
#include "plumb/equations/structure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace plumb {
namespace {

// -1 where no assignment exists.
int best_by_trying(const Signature& s) {
  std::vector<int> p(static_cast<std::size_t>(s.rows()));
  std::iota(p.begin(), p.end(), 0);
  int best = -1;
  do {
    int sum = 0;
    for (int i = 0; i < s.rows() && sum >= 0; ++i)
      sum = s.has(i, p[static_cast<std::size_t>(i)]) ? sum + s.at(i, p[static_cast<std::size_t>(i)]) : -1000;
    best = std::max(best, sum);
  } while (std::ranges::next_permutation(p).found);
  return best;
}

TEST(Structure, RandomSignaturesAgreeWithTryingAll) {
  std::mt19937 random(7);
  int solvable = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const int n = 2 + static_cast<int>(random() % 5);
    Signature s(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        if (random() % 2) s.set(i, j, static_cast<int>(random() % 4));
    const int best = best_by_trying(s);
    EXPECT_EQ(match(s).size == n, best >= 0);
    if (best < 0) continue;
    ++solvable;
    const Structure a = analyse(s);
    int sum = 0;
    for (int i = 0; i < n; ++i) {
      const int j = a.assignment[static_cast<std::size_t>(i)];
      ASSERT_TRUE(s.has(i, j));
      sum += s.at(i, j);
      EXPECT_GE(a.c[static_cast<std::size_t>(i)], 0);
      EXPECT_EQ(a.d[static_cast<std::size_t>(j)] - a.c[static_cast<std::size_t>(i)], s.at(i, j));
      for (int k = 0; k < n; ++k)
        if (s.has(i, k)) {
          EXPECT_GE(a.d[static_cast<std::size_t>(k)] - a.c[static_cast<std::size_t>(i)], s.at(i, k));
        }
    }
    EXPECT_EQ(sum, best);
    EXPECT_EQ(a.degrees_of_freedom, best);
    // Smallest: some equation is not differentiated at all.
    EXPECT_EQ(std::ranges::min(a.c), 0);
  }
  EXPECT_GT(solvable, 100);
}

TEST(Structure, PartsThatDoNotBalance) {
  // Rows 0 and 1 hold column 0 only; columns 1 and 2 occur in row 2 only.
  Signature s(3, 3);
  s.set(0, 0, 1), s.set(1, 0, 0), s.set(2, 0, 0), s.set(2, 1, 0), s.set(2, 2, 0);
  const Matching m = match(s);
  EXPECT_EQ(m.size, 2);
  const Imbalance rows = too_many_equations(s, m), columns = too_many_unknowns(s, m);
  EXPECT_EQ(rows.rows, (std::vector<int>{0, 1}));
  EXPECT_EQ(rows.columns, (std::vector<int>{0}));
  EXPECT_EQ(columns.columns, (std::vector<int>{1, 2}));
  EXPECT_EQ(columns.rows, (std::vector<int>{2}));
}

TEST(Structure, BlocksCanBeSolvedInOrder) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 3 + static_cast<int>(random() % 6);
    Signature s(n, n);
    for (int i = 0; i < n; ++i) {
      s.set(i, (i * 3 + trial) % n, 0);
      if (n % 3 == 0) s.set(i, i, 0);
      for (int j = 0; j < n; ++j)
        if (random() % 5 == 0) s.set(i, j, 0);
    }
    if (match(s).size < n) continue;
    std::vector<int> solved(static_cast<std::size_t>(n));
    int rows = 0;
    for (const Block& b : triangular_blocks(s)) {
      EXPECT_EQ(b.rows.size(), b.columns.size());
      rows += static_cast<int>(b.rows.size());
      for (int j : b.columns) solved[static_cast<std::size_t>(j)] = 1;
      for (int i : b.rows)
        for (int j = 0; j < n; ++j)
          if (s.has(i, j)) {
            EXPECT_TRUE(solved[static_cast<std::size_t>(j)]);
          }
    }
    EXPECT_EQ(rows, n);
  }
}

}  // namespace
}  // namespace plumb
