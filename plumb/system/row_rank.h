// The rank of the constraints at a place: elimination on the matrix of scalar products of the rows of G, each scaled to
// length 1 in the mass metric. A row whose pivot vanishes is a combination of those before it. Pivots are squares of
// distances between directions, so the threshold 1e-11 means that a row lies within 3e-6 of the span of the others.
//
// The system must have all its joints coupled (`couple_all_joints`), so that rows stand in the order of the joints.
#pragma once

#include <vector>

#include "plumb/solver/symmetric_solver.h"
#include "plumb/system/constraints.h"

namespace plumb {

class RowRank {
 public:
  static constexpr double dependence = 1e-11;

  explicit RowRank(const System& system);

  // At the place where G was last computed. Rows whose pivot is below `threshold` count as dependent.
  int find(const Constraints& constraints, double threshold = dependence);

  std::vector<int> dependent_rows() const { return solver_.dependent_rows(); }
  // How much of each other row is in a dependent one.
  std::vector<double> shares(int dependent_row) const;
  std::vector<int> sharing_joints(int dependent_row) const;
  // Multipliers that do nothing: lambdaᵀ G = 0, with 1 in the dependent row.
  std::vector<double> idle_multipliers(int dependent_row) const;
  double smallest_pivot() const;  // of the rows that are independent
  double log_volume() const;      // sum of the logarithms of all pivots; dependent rows count as the threshold


 private:
  struct Block {
    Attachment at;
    std::vector<double> rows;  // 6 per row
  };
  double dot(int i, int row_i, int j, int row_j) const;
  void fill(int i, int j);

  const System& system_;
  // Joints that have rows are nodes.
  std::vector<int> node_;                   // of each joint, -1: none
  std::vector<int> sizes_, first_;          // rows of each node, and the first of them
  std::vector<double> lengths_;             // of the rows before scaling
  std::vector<std::vector<Block>> joints_;  // per node, the bodies it holds
  std::vector<std::vector<int>> at_body_;   // nodes
  std::vector<std::pair<int, int>> couplings_;
  SymmetricSolver solver_;
};

}  // namespace plumb
