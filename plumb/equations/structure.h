// The structure of a system of differential-algebraic equations by the signature matrix: sigma_ij is the order of the
// highest derivative of unknown j in equation i. An assignment of equations to unknowns with the largest sum of
// sigma gives the offsets: equation i is to be differentiated c_i times, after which the derivatives of order d_j are
// determined by the system, d_j - c_i >= sigma_ij with equality on the assignment; the smallest such numbers are
// taken. J. D. Pryce, BIT 41 (2001) 364-394.
#pragma once

#include <vector>

namespace plumb {

class Signature {
 public:
  static constexpr int absent = -1;

  Signature(int equations, int unknowns)
      : rows_(equations), columns_(unknowns), orders_(static_cast<std::size_t>(rows_ * columns_), absent) {}
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  int at(int row, int column) const { return orders_[static_cast<std::size_t>(row * columns_ + column)]; }
  void set(int row, int column, int order) { orders_[static_cast<std::size_t>(row * columns_ + column)] = order; }
  bool has(int row, int column) const { return at(row, column) != absent; }

 private:
  int rows_, columns_;
  std::vector<int> orders_;
};

// Equations and unknowns that can be paired, as many as possible; -1 where one is left over.
struct Matching {
  std::vector<int> column_of_row, row_of_column;
  int size = 0;
};
Matching match(const Signature& signature);

// A part of the system with more equations than unknowns (`rows` contain no unknowns but `columns`), or with more
// unknowns than equations (`columns` occur in no equations but `rows`). Both empty: all can be paired.
struct Imbalance {
  std::vector<int> rows, columns;
  bool is_empty() const { return rows.empty() && columns.empty(); }
};
Imbalance too_many_equations(const Signature& signature, const Matching& matching);
Imbalance too_many_unknowns(const Signature& signature, const Matching& matching);

struct Structure {
  std::vector<int> assignment;  // unknown of each equation
  std::vector<int> c, d;        // offsets of equations and unknowns
  int index = 0;                // structural: largest c, plus 1 if some d is 0
  int degrees_of_freedom = 0;   // sum of d - sum of c
};

// For a square signature all of whose equations and unknowns can be paired.
Structure analyse(const Signature& signature);

// Blocks of a square pattern such that each depends on itself and earlier ones only: pairs of (rows, columns).
struct Block {
  std::vector<int> rows, columns;
};
std::vector<Block> triangular_blocks(const Signature& pattern);

}  // namespace plumb
