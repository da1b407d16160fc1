// A x = b for a small square A of the kind contacts make: positive semidefinite, or nearly so where friction turns it.
// Rows that depend on others are left out, their unknowns zero; what is asked of the others holds.
#pragma once

#include <vector>

namespace plumb {

class PivotedElimination {
 public:
  // A is n x n, row-major. Elimination on the diagonal, the largest remaining entry first, after scaling all of them to
  // 1; below `threshold` a row depends on those before it. Diagonal entries not above `least`, if given, are rounding
  // of zero. Returns the rank.
  int factor(int n, const double* A, const double* least = nullptr, double threshold = 1e-11);
  // x = A⁻¹ b over the independent rows, corrected once for rounding.
  void solve(const double* b, double* x);

  // The smallest pivot, scaled: negative where friction has turned a row around.
  double smallest_pivot() const { return smallest_; }

 private:
  void substitute(const double* b, double* x);

  int n_ = 0, rank_ = 0;
  double smallest_ = 0;
  std::vector<double> A_, LU_, scale_, work_, left_, correction_;
  std::vector<int> order_;
};

}  // namespace plumb
