// S = G M⁻¹ Gᵀ of the joints that share bodies, assembled body by body, factored and solved. Joints that stand
// alone solve for themselves (part_group.h).
//
// Redundant joints make S singular. Then the diagonal is raised by a small fraction and the solution is
// refined against the true S until its residual stops falling (the proximal-point iteration): accelerations
// come out exact and, of all reactions possible, those of least weighted norm. Close to singular positions the fraction
// also damps the directions S hardly feels, which rounding would otherwise push the motion off its branch with.
#pragma once

#include <compare>
#include <vector>

#include "plumb/solver/symmetric_solver.h"
#include "plumb/system/constraints.h"

namespace plumb {

class NormalMatrix {
 public:
  NormalMatrix(const System& system, const InverseMass& inverse_mass, const Constraints& constraints);

  // The joints are known to be redundant: the diagonal is raised without trying. Off the constraints redundant rows are
  // not exactly dependent, and taking that for more than it is makes Newton's method on them converge like at a double
  // root.
  void expect_redundancy() { is_redundant_ = true; }

  void factor();                  // of the current Jacobian
  void solve(double* x);          // x <- S⁻¹ x
  void solve_coupled(double* x);  // the rows of the joints that do not stand alone
  bool is_regular() const { return regular_; }
  bool is_dense() const { return solver_.is_dense(); }

  // The square root of the rounding unit: rounding enters as u/eps, damping as eps.
  static constexpr double regularisation = 1.5e-8;

 private:
  // One pair of joint ends on one body: S_ij += sign/m L_i L_jᵀ + A_i J⁻¹ A_jᵀ.
  struct Contribution {
    std::size_t place;
    int stride;
    int body;
    int linear_i, linear_j;
    int angular_i, angular_j;
    double sign;
  };
  // What decides which loop adds a contribution.
  struct Shape {
    int rows_i, rows_j;
    bool coincident;  // both joints: L Lᵀ is 1 in the first three rows and columns
    bool rotates;     // the body does
    bool diagonal;    // i = j: the lower triangle is enough
    auto operator<=>(const Shape&) const = default;
  };
  struct Batch {  // contributions of one shape
    void (NormalMatrix::*add)(const std::vector<Contribution>&);
    std::vector<Contribution> list;
  };
  template <int M, int N, bool Coincident, bool Rotates, bool Diagonal>
  void add(const std::vector<Contribution>& list);
  static auto loop_for(const Shape& shape) -> void (NormalMatrix::*)(const std::vector<Contribution>&);
  void assemble();

  const InverseMass& inverse_mass_;
  const Constraints& constraints_;
  SymmetricSolver solver_;
  std::vector<Batch> batches_;
  bool regular_ = true, is_redundant_ = false;
  std::vector<double> right_side_, correction_, acceleration_;
};

}  // namespace plumb
