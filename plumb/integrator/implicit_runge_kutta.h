// Implicit Runge-Kutta steps on any Problem, for stiff equations. The stages Y_i = y0 + z_i satisfy
//
//   z_i = h sum_j a_ij f(t + c_j h, y0 + z_j)
//
// and are found by Newton's method with the Jacobian J at the start of the step: the problem's own, or differences. The
// eigenvectors of A⁻¹ split its linear systems into one matrix (lambda/h) I - J for each eigenvalue (E. Hairer, G.
// Wanner, Solving Ordinary Differential Equations II, IV.8). The last node is the end of the step, and the polynomial
// through the stages is the dense output and the first guess of the next step.
#pragma once

#include <vector>
#include <Eigen/Dense>

#include "plumb/integrator/integrator.h"
#include "plumb/integrator/problem.h"
#include "plumb/integrator/tableau.h"

namespace plumb {

class ImplicitRungeKutta : public Integrator {
 public:
  ImplicitRungeKutta(Problem& problem, const Tableau& tableau);

  void begin(double t, const double* y) override;
  StepReport attempt(double h) override;
  double error(double tolerance) override;
  double initial_step(double tolerance) override;
  void complete() override {}
  void interpolate(double theta, double* y) override;
  void advance(double t) override;
  double time() const override { return t_; }
  const double* state() const override { return y0_.data(); }
  const double* result() const override { return y1_.data(); }

 private:
  using Complex = std::complex<double>;
  // One eigenvalue of A⁻¹; of a pair of conjugate ones only the upper.
  struct Mode {
    Complex lambda;
    std::vector<Complex> from_stages, to_stages;  // row of T⁻¹ and column of T
    Eigen::MatrixXcd matrix;
    Eigen::PartialPivLU<Eigen::MatrixXcd> factors;
    Eigen::VectorXcd right, solution;
  };

  void find_jacobian();
  void factor(double h);
  void guess_stages(double h);
  double newton_step(double h);  // the largest change, in units of the state
  // Value at fraction theta of a step of the polynomial through 0 at its start and `z` at the stages.
  void extrapolate(const Eigen::MatrixXd& z, double theta, double* out) const;
  void filter_error(const double* rate);
  double weighted_error(double tolerance) const;

  Problem& problem_;
  const Tableau& tableau_;
  int n_, controlled_, stages_;
  std::vector<Mode> modes_;
  std::size_t real_mode_ = 0;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> jacobian_;
  Eigen::MatrixXd z_, last_z_, rates_;  // a column for each stage
  std::vector<double> y0_, y1_, f0_, stage_, work_, error_;
  double t_ = 0, h_ = 0, last_h_ = 0, factored_h_ = 0;
  double target_;  // of Newton's method
  bool has_jacobian_ = false, has_last_ = false;
};

}  // namespace plumb
