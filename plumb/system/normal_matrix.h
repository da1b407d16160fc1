// S = G M⁻¹ Gᵀ, assembled body by body, factored and solved.
//
// Redundant joints make S singular. Then the diagonal is raised by a small fraction and the solution is
// refined against the true S until its residual stops falling (the proximal-point iteration): accelerations
// come out exact and, of all reactions possible, those of least weighted norm.
#pragma once

#include <vector>

#include "plumb/solver/symmetric_solver.h"
#include "plumb/system/constraint_jacobian.h"

namespace plumb {

class NormalMatrix {
 public:
  NormalMatrix(const System& system, const InverseMass& inverse_mass, const ConstraintJacobian& jacobian);

  void factor();  // of the current Jacobian
  // x <- S⁻¹ x.
  void solve(double* x);
  bool is_regular() const { return regular_; }
  bool is_dense() const { return solver_.is_dense(); }

  static constexpr double regularisation = 1e-9;

 private:
  // One pair of joint ends on one body: S_ij += sign/m L_i L_jᵀ + A_i J⁻¹ A_jᵀ.
  struct Contribution {
    std::size_t place;
    int stride;
    int rows_i, rows_j;
    int linear_i, linear_j;
    int angular_i, angular_j;  // -1: the body does not rotate
    int body;
    double sign;
    bool diagonal;  // i = j: the lower triangle is enough
    bool coincident;  // both joints
  };
  void assemble();
  static void add_linear(const Contribution& c, double factor, const double* L, double* S);

  const InverseMass& inverse_mass_;
  const ConstraintJacobian& jacobian_;
  SymmetricSolver solver_;
  std::vector<Contribution> contributions_;
  bool regular_ = true;
  int velocities_;
  std::vector<double> right_side_, correction_, acceleration_;
};

}  // namespace plumb
