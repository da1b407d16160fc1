#include "plumb/integrator/implicit_runge_kutta.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/integrator/first_step.h"
#include "plumb/solver/largest.h"

namespace plumb {
namespace {

constexpr double rounding = 1e-14;

}  // namespace

ImplicitRungeKutta::ImplicitRungeKutta(Problem& problem, const Tableau& tableau)
    : problem_(problem),
      tableau_(tableau),
      n_(problem.size()),
      controlled_(problem.controlled()),
      stages_(tableau.stages),
      jacobian_(n_, n_),
      z_(n_, stages_),
      last_z_(n_, stages_),
      rates_(n_, stages_),
      y0_(n_),
      y1_(n_),
      f0_(n_),
      stage_(n_),
      work_(n_),
      error_(n_),
      target_(rounding) {
  Eigen::MatrixXd a(stages_, stages_);
  for (int i = 0; i < stages_; ++i)
    for (int j = 0; j < stages_; ++j) a(i, j) = tableau.a[i][j];
  const Eigen::ComplexEigenSolver<Eigen::MatrixXcd> eigen(a.inverse().cast<Complex>());
  const Eigen::MatrixXcd to = eigen.eigenvectors(), from = to.inverse();
  for (int k = 0; k < stages_; ++k) {
    Complex lambda = eigen.eigenvalues()[k];
    const bool is_real = std::abs(lambda.imag()) < 1e-10 * std::abs(lambda);
    if (!is_real && lambda.imag() < 0) continue;
    if (is_real) real_mode_ = modes_.size(), lambda = lambda.real();
    Mode m{lambda,
           {},
           {},
           Eigen::MatrixXcd(n_, n_),
           Eigen::PartialPivLU<Eigen::MatrixXcd>(n_),
           Eigen::VectorXcd(n_),
           Eigen::VectorXcd(n_)};
    for (int i = 0; i < stages_; ++i) {
      m.from_stages.push_back(from(k, i));
      m.to_stages.push_back((is_real ? 1.0 : 2.0) * to(i, k));  // a pair adds up to twice the real part
    }
    modes_.push_back(std::move(m));
  }
}

void ImplicitRungeKutta::begin(double t, const double* y) {
  t_ = t;
  std::copy_n(y, n_, y0_.begin());
  problem_.derivative(t, y, f0_.data());
  has_jacobian_ = has_last_ = false;
}

void ImplicitRungeKutta::find_jacobian() {
  has_jacobian_ = true;
  factored_h_ = 0;
  if (problem_.jacobian(t_, y0_.data(), jacobian_.data())) return;
  std::copy(y0_.begin(), y0_.end(), stage_.begin());
  for (int j = 0; j < n_; ++j) {
    const double y = stage_[j], moved = y + 1.5e-8 * (1 + std::abs(y)), change = moved - y;
    stage_[j] = moved;
    problem_.derivative(t_, stage_.data(), work_.data());
    for (int i = 0; i < n_; ++i) jacobian_(i, j) = (work_[i] - f0_[i]) / change;
    stage_[j] = y;
  }
}

void ImplicitRungeKutta::factor(double h) {
  factored_h_ = h;
  for (Mode& m : modes_) {
    m.matrix = -jacobian_.cast<Complex>();
    m.matrix.diagonal().array() += m.lambda / h;
    m.factors.compute(m.matrix);
  }
}

// Lagrange's polynomial through (0, 0) and the stages.
void ImplicitRungeKutta::extrapolate(const Eigen::MatrixXd& z, double theta, double* out) const {
  std::fill_n(out, n_, 0.0);
  for (int j = 0; j < stages_; ++j) {
    double weight = theta / tableau_.c[j];
    for (int k = 0; k < stages_; ++k)
      if (k != j) weight *= (theta - tableau_.c[k]) / (tableau_.c[j] - tableau_.c[k]);
    for (int i = 0; i < n_; ++i) out[i] += weight * z(i, j);
  }
}

// The stages as the last step's polynomial goes on, from its own end.
void ImplicitRungeKutta::guess_stages(double h) {
  z_.setZero();
  if (!has_last_) return;
  for (int j = 0; j < stages_; ++j) {
    extrapolate(last_z_, 1 + tableau_.c[j] * h / last_h_, work_.data());
    for (int i = 0; i < n_; ++i) z_(i, j) = work_[i] - last_z_(i, stages_ - 1);
  }
}

double ImplicitRungeKutta::newton_step(double h) {
  for (int j = 0; j < stages_; ++j) {
    for (int i = 0; i < n_; ++i) stage_[i] = y0_[i] + z_(i, j);
    problem_.derivative(t_ + tableau_.c[j] * h, stage_.data(), rates_.col(j).data());
  }
  for (Mode& m : modes_) {
    const Complex over = m.lambda / h;
    for (int i = 0; i < n_; ++i) {
      Complex w = 0, f = 0;
      for (int j = 0; j < stages_; ++j) w += m.from_stages[j] * z_(i, j), f += m.from_stages[j] * rates_(i, j);
      m.right[i] = f - over * w;
    }
    m.solution = m.factors.solve(m.right);
  }
  double largest = 0;
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < stages_; ++j) {
      double change = 0;
      for (const Mode& m : modes_)
        change += m.to_stages[j].real() * m.solution[i].real() - m.to_stages[j].imag() * m.solution[i].imag();
      z_(i, j) += change;
      const double relative = std::abs(change) / (1 + std::abs(y0_[i]));
      keep_largest(largest, relative);
    }
  return largest;
}

StepReport ImplicitRungeKutta::attempt(double h) {
  problem_.begin_step();
  if (!has_jacobian_) find_jacobian();
  if (factored_h_ != h) factor(h);
  h_ = h;
  guess_stages(h);
  double last = std::numeric_limits<double>::infinity(), change = last;
  bool converged = false;
  for (int iteration = 0; iteration < 30 && !converged; ++iteration) {
    change = newton_step(h);
    const double ratio = change / last;
    // What is left after this step, if the changes go on shrinking like this.
    converged = change <= 1e-15 || (iteration > 0 && ratio < 1 && ratio / (1 - ratio) * change <= target_) ||
                (change < 100 * rounding && ratio > 0.5);
    if (!std::isfinite(change) || (iteration > 1 && ratio > 2 && !converged)) break;
    last = change;
  }
  for (int i = 0; i < n_; ++i) y1_[i] = y0_[i] + z_(i, stages_ - 1);
  if (!converged) return {StepReport::Kind::unsolved, change, -1};
  return problem_.settle(t_ + h, y1_.data());
}

// ((lambda/h) I - J)⁻¹ (rate + sum e_i z_i / h), lambda the real eigenvalue: the difference to a formula of lower order
// that needs no other factorisation and stays bounded however stiff the equations are.
void ImplicitRungeKutta::filter_error(const double* rate) {
  Mode& m = modes_[real_mode_];
  for (int i = 0; i < n_; ++i) {
    double sum = 0;
    for (int j = 0; j < stages_; ++j) sum += tableau_.error[j] * z_(i, j);
    m.right[i] = rate[i] + sum / h_;
  }
  m.solution = m.factors.solve(m.right);
  for (int i = 0; i < n_; ++i) error_[i] = m.solution[i].real();
}

double ImplicitRungeKutta::weighted_error(double tolerance) const {
  double largest = 0;
  for (int i = 0; i < controlled_; ++i) {
    const double ratio = std::abs(error_[i]) / (tolerance * (1 + std::max(std::abs(y0_[i]), std::abs(y1_[i]))));
    keep_largest(largest, ratio);
  }
  return largest;
}

double ImplicitRungeKutta::error(double tolerance) {
  target_ = std::max(rounding, 1e-3 * tolerance);
  filter_error(f0_.data());
  const double first = weighted_error(tolerance);
  if (first <= 1 || !std::isfinite(first)) return first;
  // A fast component that dies out at once looks like an error; the filter takes it out when applied once more.
  for (int i = 0; i < n_; ++i) stage_[i] = y0_[i] + error_[i];
  problem_.derivative(t_, stage_.data(), work_.data());
  filter_error(work_.data());
  return weighted_error(tolerance);
}

double ImplicitRungeKutta::initial_step(double tolerance) {
  target_ = std::max(rounding, 1e-3 * tolerance);
  return first_step(problem_, t_, y0_, f0_.data(), tolerance, tableau_.error_order + 1, stage_.data(), work_.data());
}

void ImplicitRungeKutta::interpolate(double theta, double* y) {
  // Through the end as it was settled.
  extrapolate(z_, theta, y);
  double weight = theta;
  for (int k = 0; k + 1 < stages_; ++k) weight *= (theta - tableau_.c[k]) / (1 - tableau_.c[k]);
  for (int i = 0; i < n_; ++i) y[i] += y0_[i] + weight * (y1_[i] - y0_[i] - z_(i, stages_ - 1));
}

void ImplicitRungeKutta::advance(double t) {
  t_ = t;
  last_z_.swap(z_);
  last_h_ = h_;
  has_last_ = true;
  y0_.swap(y1_);
  problem_.derivative(t_, y0_.data(), f0_.data());
  has_jacobian_ = false;
}

}  // namespace plumb
