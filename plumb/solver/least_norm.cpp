#include "plumb/solver/least_norm.h"

#include <Eigen/Dense>

namespace plumb {
namespace {

using Eigen::Dynamic;

template <int Most>
void solve(int n, const double* A, const double* b, double* x, double threshold) {
  using Matrix = Eigen::Matrix<double, Dynamic, Dynamic, Eigen::RowMajor, Most, Most>;
  using Vector = Eigen::Matrix<double, Dynamic, 1, 0, Most, 1>;
  const Eigen::Map<const Matrix> matrix(A, n, n);
  const Eigen::Map<const Vector> right(b, n);
  Eigen::Map<Vector> result(x, n);
  Eigen::CompleteOrthogonalDecomposition<Matrix> solver;
  solver.setThreshold(threshold);
  solver.compute(matrix);
  const Vector first = solver.solve(right);
  // Once more for what rounding left.
  const Vector left = right - matrix * first;
  result = first + solver.solve(left);
}

}  // namespace

void solve_least_norm(int n, const double* A, const double* b, double* x, double threshold) {
  if (n == 0) return;
  n <= 96 ? solve<96>(n, A, b, x, threshold) : solve<Dynamic>(n, A, b, x, threshold);
}

}  // namespace plumb
