// Solves S x = b for the symmetric positive (semi)definite S = G M⁻¹ Gᵀ of a mechanism.
//
// S has one block row per joint and a block for every two joints that share a body. The pattern and the
// elimination order are found once; after that factoring and solving only run through flat lists. A chain
// costs time in proportion to its length. Where elimination would fill most of a small matrix anyway, a
// plain dense factorisation is used instead.
//
// Use: clear(), add to the blocks that locate() points to (only (i, j) with i not eliminated before j),
// factor(), then solve() any number of times.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace plumb {

class SymmetricSolver {
 public:
  enum class Storage { automatic, dense, sparse };

  SymmetricSolver() = default;
  SymmetricSolver(const std::vector<int>& block_sizes, const std::vector<std::pair<int, int>>& couplings,
                  Storage storage = Storage::automatic);

  int rows() const { return rows_; }
  bool is_dense() const { return dense_; }
  bool eliminated_before(int i, int j) const { return position_[i] < position_[j]; }

  // Where entry (0, 0) of block (i, j) is stored in values(), and the distance between its rows.
  struct Place {
    std::size_t offset;
    int stride;
  };
  Place locate(int i, int j) const;
  double* values() { return values_.data(); }
  void clear();

  // Multiplies the diagonal by (1 + relative), which makes a semidefinite matrix definite. A zero on the
  // diagonal (a row that can move nothing) becomes 1.
  void regularise(double relative);

  // False when a pivot falls below this fraction of its diagonal entry: the row depends on those eliminated
  // before it. Such rows are left out; solve() then gives 0 for them.
  bool factor(double pivot_threshold = rounding_level);
  void solve(double* x) const;
  std::vector<int> dependent_rows() const;  // after factor()
  std::vector<double> pivots() const;       // of every row; 0 where it depends on others

  static constexpr double rounding_level = 1e-13;

 private:
  void build_sparse(const std::vector<std::pair<int, int>>& couplings);
  bool factor_dense();
  bool factor_sparse();
  void solve_dense(double* x) const;
  void solve_sparse(double* x) const;
  template <int M>
  bool eliminate(std::size_t p, const std::size_t*& target);

  struct Neighbour {  // block below the diagonal in the column of an eliminated node
    int size, row;
    std::size_t offset;
  };
  struct Column {
    int size, row;
    std::size_t diagonal;
    std::size_t first, last;  // neighbours
  };

  bool dense_ = false;
  int rows_ = 0;
  std::vector<int> sizes_, first_row_, position_;
  std::vector<double> values_;
  std::vector<double> threshold_;      // smallest acceptable pivot of each row
  std::vector<std::size_t> diagonal_;  // place of each diagonal entry
  std::vector<Column> columns_;        // in elimination order
  std::vector<Neighbour> neighbours_;
  std::vector<std::size_t> targets_;  // blocks updated by each pair of neighbours, in the order of use
  std::vector<double> pivots_;        // dense only
};

}  // namespace plumb
