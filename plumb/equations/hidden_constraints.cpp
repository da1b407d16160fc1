#include "plumb/equations/hidden_constraints.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/equations/algebra_lock.h"
#include "plumb/solver/largest.h"

namespace plumb {

void declare(const Reduction& r, double omega, TapeBuilder& builder) {
  builder.declare_switches(r.switches);
  for (const auto& [name, symbol] : r.dae.symbols.parameters()) builder.constant(symbol, r.dae.symbols.value(symbol));
  builder.constant(r.omega, omega);
  builder.input(r.dae.symbols.time());
  for (const StateVariable& s : r.states) builder.input(s.symbol);
}

HiddenConstraints::HiddenConstraints(const Reduction& r, double omega)
    : rows_(static_cast<int>(r.invariants.size())), size_(static_cast<int>(r.states.size())) {
  const AlgebraLock lock;
  TapeBuilder builder;
  declare(r, omega, builder);
  for (const Invariant& i : r.invariants) {
    builder.output(i.value);
    invariants_.push_back({i.equation, i.order, i.stage});
  }
  int output = rows_;
  for (int i = 0; i < rows_; ++i)
    for (int j = 0; j < size_; ++j) {
      const GiNaC::ex e = r.invariants[static_cast<std::size_t>(i)].value.diff(
          GiNaC::ex_to<GiNaC::symbol>(r.states[static_cast<std::size_t>(j)].symbol));
      if (e.is_zero()) continue;
      builder.output(e);
      entries_.push_back({i, j, output++});
    }
  tape_ = builder.finish();
  for (const StateVariable& s : r.states) stages_.push_back(s.stage);
  for (const Row& i : invariants_) {
    first_stage_ = std::min(first_stage_, i.stage);
    last_stage_ = std::max(last_stage_, i.stage);
    int next = -1;
    for (std::size_t k = 0; k < invariants_.size(); ++k)
      if (invariants_[k].equation == i.equation && invariants_[k].order == i.order + 1) next = static_cast<int>(k);
    next_.push_back(next);
  }
  const std::size_t m = static_cast<std::size_t>(rows_), n = static_cast<std::size_t>(size_);
  h_matrix_.resize(m * n);
  normal_.resize(m * m);
  right_.resize(m);
  solution_.resize(n);
  row_index_.reserve(m);
  column_index_.reserve(n);
}

void HiddenConstraints::evaluate(double t, const double* y) {
  double* const in = tape_.inputs();
  in[0] = t;
  std::copy_n(y, size_, in + 1);
  tape_.run();
}

double HiddenConstraints::violation(int order) const {
  double square = 0;
  for (int i = 0; i < rows_; ++i)
    if (invariants_[static_cast<std::size_t>(i)].order == order) square += value(i) * value(i);
  return std::sqrt(square);
}

void HiddenConstraints::least_norm(int m, int n) {
  const double* const H = h_matrix_.data();
  double* const S = normal_.data();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += H[i * n + k] * H[j * n + k];
      S[i * m + j] = S[j * m + i] = sum;
    }
  // Elimination on the diagonal (S is symmetric and not negative); a row whose pivot is rounding says nothing new.
  double* const x = right_.data();
  double largest = 0;
  for (int i = 0; i < m; ++i) largest = std::max(largest, S[i * m + i]);
  for (int k = 0; k < m; ++k) {
    double& pivot = S[k * m + k];
    if (!(pivot > 1e-26 * largest)) {
      pivot = 0;
      continue;
    }
    for (int i = k + 1; i < m; ++i) {
      const double factor = S[i * m + k] / pivot;
      if (factor == 0) continue;
      for (int j = k; j < m; ++j) S[i * m + j] -= factor * S[k * m + j];
      x[i] -= factor * x[k];
    }
  }
  for (int i = m - 1; i >= 0; --i) {
    for (int j = i + 1; j < m; ++j) x[i] -= S[i * m + j] * x[j];
    x[i] = S[i * m + i] == 0 ? 0 : x[i] / S[i * m + i];
  }
  for (int k = 0; k < n; ++k) {
    double sum = 0;
    for (int i = 0; i < m; ++i) sum += H[i * n + k] * x[i];
    solution_[static_cast<std::size_t>(k)] = sum;
  }
}

double HiddenConstraints::correct(int stage, const std::vector<char>* held, double fraction, double* y) {
  row_index_.clear();
  column_index_.clear();
  const auto counts = [stage](int other) { return stage == all_stages || other == stage; };
  for (int i = 0; i < rows_; ++i)
    if (counts(invariants_[static_cast<std::size_t>(i)].stage)) row_index_.push_back(i);
  for (int j = 0; j < size_; ++j)
    if (counts(stages_[static_cast<std::size_t>(j)]) && (!held || !(*held)[static_cast<std::size_t>(j)]))
      column_index_.push_back(j);
  const int m = static_cast<int>(row_index_.size()), n = static_cast<int>(column_index_.size());
  if (m == 0 || n == 0) return 0;
  std::fill_n(h_matrix_.begin(), m * n, 0.0);
  for (const Entry& e : entries_) {
    const auto row = std::ranges::lower_bound(row_index_, e.row);
    const auto column = std::ranges::lower_bound(column_index_, e.column);
    if (row == row_index_.end() || *row != e.row || column == column_index_.end() || *column != e.column) continue;
    h_matrix_[static_cast<std::size_t>((row - row_index_.begin()) * n + (column - column_index_.begin()))] =
        tape_.output(static_cast<std::size_t>(e.output));
  }
  for (int i = 0; i < m; ++i) right_[static_cast<std::size_t>(i)] = value(row_index_[static_cast<std::size_t>(i)]);
  least_norm(m, n);
  double change = 0;
  for (int k = 0; k < n; ++k) {
    const int j = column_index_[static_cast<std::size_t>(k)];
    const double relative = std::abs(solution_[static_cast<std::size_t>(k)]) / (1 + std::abs(y[j]));
    keep_largest(change, relative);
    y[j] -= fraction * solution_[static_cast<std::size_t>(k)];
  }
  return change;
}

void HiddenConstraints::hold(double* rate) {
  if (rows_ == 0) return;
  std::ranges::fill(h_matrix_, 0.0);
  for (const Entry& e : entries_)
    h_matrix_[static_cast<std::size_t>(e.row * size_ + e.column)] = tape_.output(static_cast<std::size_t>(e.output));
  for (int i = 0; i < rows_; ++i) {
    const int next = next_[static_cast<std::size_t>(i)];
    right_[static_cast<std::size_t>(i)] = next < 0 ? 0 : value(next);
  }
  least_norm(rows_, size_);
  for (int j = 0; j < size_; ++j) rate[j] -= solution_[static_cast<std::size_t>(j)];
}

StepReport HiddenConstraints::project(double t, double* y) {
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  StepReport report;
  for (int stage = first_stage_; stage <= last_stage_; ++stage) {
    double last = std::numeric_limits<double>::infinity();
    for (int iteration = 0;; ++iteration) {
      evaluate(t, y);
      const double change = correct(stage, nullptr, 1, y);
      if (change <= rounding) break;
      const bool slow = change > 0.5 * last;
      last = change;
      if (iteration < 20 && !(slow && iteration > 1)) continue;
      if (change <= 1e-10) break;
      report.kind = StepReport::Kind::off_constraints;
      break;
    }
    if (report.ok()) continue;
    for (int i = 0; i < rows_; ++i)
      if (std::abs(value(i)) > report.residual || report.row < 0) {
        report.residual = std::abs(value(i));
        report.row = i;
      }
    return report;
  }
  return report;
}

}  // namespace plumb
