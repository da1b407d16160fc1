#include "plumb/integrator/runge_kutta.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "plumb/integrator/first_step.h"
#include "plumb/integrator/hermite.h"
#include "plumb/solver/largest.h"

namespace plumb {
namespace {

// out = y + sum_j w_j k_j in one pass, unrolled over the number of terms. The small terms are added up first, so
// that y is rounded once.
template <int Terms>
void combine_many(int n, const double* y, const double* w, const double* const* k, double* __restrict out) {
  for (int i = 0; i < n; ++i) {
    double s = w[0] * k[0][i];
    for (int j = 1; j < Terms; ++j) s += w[j] * k[j][i];
    out[i] = y[i] + s;
  }
}

// The same for the N components of a small system, all sums side by side.
template <int Terms, int N>
void combine_few(int, const double* y, const double* w, const double* const* k, double* __restrict out) {
  double s[N];
  for (int i = 0; i < N; ++i) s[i] = w[0] * k[0][i];
#pragma GCC unroll 16
  for (int j = 1; j < Terms; ++j) {
    const double c = w[j];
    const double* const x = k[j];
    for (int i = 0; i < N; ++i) s[i] += c * x[i];
  }
  for (int i = 0; i < N; ++i) out[i] = y[i] + s[i];
}

using CombineFunction = void (*)(int, const double*, const double*, const double* const*, double*);
constexpr int max_terms = 13;

// Of 1 … 13 terms.
template <int... Terms>
constexpr std::array<CombineFunction, max_terms> combine_many_of(std::integer_sequence<int, Terms...>) {
  return {combine_many<Terms + 1>...};
}
template <int N, int... Terms>
constexpr std::array<CombineFunction, max_terms> combine_few_of(std::integer_sequence<int, Terms...>) {
  return {combine_few<Terms + 1, N>...};
}

CombineFunction combine_function(int terms, int n) {
  constexpr std::make_integer_sequence<int, max_terms> counts;
  static constexpr auto many = combine_many_of(counts);
  static constexpr auto six = combine_few_of<6>(counts);        // one point mass
  static constexpr auto thirteen = combine_few_of<13>(counts);  // one rigid body
  return (n == 6 ? six : n == 13 ? thirteen : many)[terms - 1];
}

}  // namespace

RungeKutta::RungeKutta(Problem& problem, const Tableau& tableau)
    : problem_(problem), tableau_(tableau), n_(problem.size()) {
  controlled_ = problem.controlled();
  stable_ = tableau.stages > 1 && tableau.c[tableau.stages - 1] == 1 ? real_stability_limit(tableau) : 0;
  const std::size_t stages = std::max(tableau.a.size(), static_cast<std::size_t>(tableau.stages) + 1);
  storage_.resize(stages * n_);
  for (std::size_t s = 0; s < stages; ++s) k_.push_back(storage_.data() + s * n_);
  for (const auto& row : tableau.a) rows_.push_back(nonzero(row));
  result_ = nonzero(tableau.b);
  error_ = nonzero(tableau.error);
  error3_ = nonzero(tableau.error3);
  y0_.resize(n_);
  y1_.resize(n_);
  stage_.resize(n_);
}

RungeKutta::Combination RungeKutta::nonzero(const std::vector<double>& row) const {
  Combination c;
  for (std::size_t j = 0; j < row.size(); ++j)
    if (row[j] != 0) {
      c.stages.push_back(static_cast<int>(j));
      c.weights.push_back(row[j]);
      c.scaled.push_back(0);
      c.values.push_back(k_[j]);
    }
  if (!c.stages.empty()) c.add = combine_function(static_cast<int>(c.stages.size()), n_);
  return c;
}

void RungeKutta::combine(const Combination& sum, double* out) const {
  sum.add(n_, y0_.data(), sum.scaled.data(), sum.values.data(), out);
}

// h times the weights of every combination.
void RungeKutta::set_step(double h) {
  if (h == h_) return;
  h_ = h;
  const auto scale = [h](Combination& c) {
    for (std::size_t j = 0; j < c.weights.size(); ++j) c.scaled[j] = h * c.weights[j];
  };
  for (Combination& row : rows_) scale(row);
  scale(result_);
}

void RungeKutta::begin(double t, const double* y) {
  t_ = t;
  std::copy_n(y, n_, y0_.begin());
  problem_.derivative(t, y, k_[0]);
}

StepReport RungeKutta::attempt(double h) {
  set_step(h);
  has_last_ = has_extra_ = false;
  problem_.begin_step();
  for (int s = 1; s < tableau_.stages; ++s) {
    combine(rows_[s], stage_.data());
    problem_.derivative(t_ + tableau_.c[s] * h, stage_.data(), k_[s]);
  }
  combine(result_, y1_.data());
  return problem_.settle(t_ + h, y1_.data());
}

void RungeKutta::evaluate_last() {
  if (has_last_) return;
  problem_.derivative(t_ + h_, y1_.data(), k_[tableau_.stages]);
  has_last_ = true;
}

double RungeKutta::weighted_error(const Combination& sum, double tolerance) const {
  double largest = 0;
  for (int i = 0; i < controlled_; ++i) {
    double e = 0;
    for (std::size_t j = 0; j < sum.stages.size(); ++j) e += sum.weights[j] * k_[sum.stages[j]][i];
    const double scale = tolerance * (1 + std::max(std::abs(y0_[i]), std::abs(y1_[i])));
    keep_largest(largest, std::abs(e) / scale);
  }
  return std::abs(h_) * largest;
}

double RungeKutta::error(double tolerance) {
  if (!error_.stages.empty() && error_.stages.back() == tableau_.stages) evaluate_last();
  const double e = weighted_error(error_, tolerance);
  if (error3_.stages.empty() || e < 1e-100) return e;  // squares of less would vanish
  // dop853: the estimate of order 5, reduced by how it compares with the one of order 3.
  const double e3 = weighted_error(error3_, tolerance);
  return e * e / std::sqrt(e * e + 0.01 * e3 * e3);
}

double RungeKutta::initial_step(double tolerance) {
  return first_step(problem_, t_, y0_, k_[0], tolerance, tableau_.order, stage_.data(), k_[1]);
}

void RungeKutta::evaluate_extra() {
  if (has_extra_) return;
  for (std::size_t s = tableau_.stages + 1; s < tableau_.a.size(); ++s) {
    combine(rows_[s], stage_.data());
    problem_.derivative(t_ + tableau_.c[s] * h_, stage_.data(), k_[s]);
  }
  has_extra_ = true;
}

void RungeKutta::interpolate(double theta, double* y) {
  if (tableau_.dense.empty()) return hermite(n_, theta, h_, y0_.data(), k_[0], y1_.data(), k_[tableau_.stages], y);
  evaluate_extra();
  std::copy(y0_.begin(), y0_.end(), y);
  for (std::size_t s = 0; s < tableau_.dense.size(); ++s) {
    const std::vector<double>& p = tableau_.dense[s];
    double b = 0;
    for (std::size_t k = p.size(); k-- > 0;) b = (b + p[k]) * theta;
    b *= h_;
    for (int i = 0; i < n_; ++i) y[i] += b * k_[s][i];
  }
}

// The last stage and the result are two states at the end of the step, near each other, with their slopes.
Quickness RungeKutta::quickness() const {
  Quickness q;
  if (!(stable_ > 0)) return q;
  const double *const at_stage = k_[tableau_.stages - 1], *const at_end = k_[tableau_.stages];
  double apart = 0, answer = 0, size = 0, most = 0;
  for (int i = 0; i < controlled_; ++i) {
    const double d = y1_[i] - stage_[i], f = at_end[i] - at_stage[i];
    apart += d * d;
    answer += f * f;
    size += y1_[i] * y1_[i];
    if (std::abs(f) > most) {
      most = std::abs(f);
      q.component = i;
    }
  }
  if (!(apart > 1e-28 * size)) return {};  // rounding
  q.rate = std::sqrt(answer / apart);
  q.part = h_ * q.rate / stable_;
  return q;
}

void RungeKutta::advance(double t) {
  t_ = t;
  y0_.swap(y1_);
  std::copy_n(k_[tableau_.stages], n_, k_[0]);
}

}  // namespace plumb
