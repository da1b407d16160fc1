// The linear system of a linearly implicit step, mechanism by mechanism.
//   [ I - h/2 A_v - h²/4 A_q   -M⁻¹ Gᵀ ] [ dv     ]   [ r ]
//   [ G                           0    ] [ lambda ] = [ s ]
// A_v and A_q are the derivatives of the accelerations a(q, v) = M⁻¹ f, forces and gyroscopic terms, by differences.
// Bodies that neither a joint nor a force connects do not enter each other's rows: each connected mechanism has a dense
// system of its own, and one difference serves all mechanisms at once.
#pragma once

#include <vector>
#include <Eigen/Dense>

#include "plumb/system/dynamics.h"

namespace plumb {

class ImplicitMatrix {
 public:
  static constexpr int max_unknowns = 1500;  // of one mechanism

  explicit ImplicitMatrix(Dynamics& dynamics);

  int largest() const { return largest_; }

  // Accelerations without constraint forces, at (t, y).
  void accelerations(double t, const double* y, double* a);

  // A_v and A_q at (t, y), whose accelerations are `a`.
  void differentiate(double t, const double* y, const double* a);
  void multiply_position(const double* x, double* out) const;  // out = A_q x
  // Factors for the step h with G as it is now.
  void factor(double h);
  // In place: dv holds r and becomes dv; `rows` holds s and becomes lambda.
  void solve(double* dv, double* rows);
  // The same for a right side in one body's mechanism only, s = 0; the rest is not touched. `lambda` may be null.
  int mechanism_of(int body) const { return mechanism_of_body_[body]; }
  void solve_in(int mechanism, double* dv, double* lambda);
  const std::vector<int>& velocities(int mechanism) const { return mechanisms_[mechanism].v; }

 private:
  struct Mechanism {
    std::vector<int> bodies, v, rows;  // velocity coordinates and constraint rows
    Eigen::MatrixXd A_v, A_q, K;
    Eigen::PartialPivLU<Eigen::MatrixXd> lu;
    Eigen::VectorXd x, right, left;
  };
  void connect();

  Dynamics& dynamics_;
  const System& system_;
  std::vector<Mechanism> mechanisms_;
  std::vector<int> mechanism_of_body_;
  int largest_ = 0, widest_ = 0;
  std::vector<double> y_, a_, unit_, image_, move_;
};

}  // namespace plumb
