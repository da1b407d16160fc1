#include "plumb/solver/pivoted_elimination.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace plumb {

int PivotedElimination::factor(int n, const double* A, const double* least, double threshold) {
  n_ = n;
  const std::size_t m = static_cast<std::size_t>(n);
  A_.assign(A, A + m * m);
  LU_.resize(m * m);
  scale_.resize(m);
  work_.resize(m);
  left_.resize(m);
  correction_.resize(m);
  order_.resize(m);
  std::iota(order_.begin(), order_.end(), 0);
  for (int i = 0; i < n; ++i) {
    const double d = std::abs(A[i * n + i]);
    scale_[i] = d > (least ? least[i] : 0) ? 1 / std::sqrt(d) : 0;
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) LU_[i * n + j] = scale_[i] * A[i * n + j] * scale_[j];
  smallest_ = std::numeric_limits<double>::infinity();
  const auto swap_both = [&](int p, int q) {
    if (p == q) return;
    std::swap(order_[p], order_[q]);
    for (int j = 0; j < n; ++j) std::swap(LU_[p * n + j], LU_[q * n + j]);
    for (int i = 0; i < n; ++i) std::swap(LU_[i * n + p], LU_[i * n + q]);
  };
  for (rank_ = 0; rank_ < n; ++rank_) {
    const int k = rank_;
    int best = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(LU_[i * n + i]) > std::abs(LU_[best * n + best])) best = i;
    const double pivot = LU_[best * n + best];
    if (!(std::abs(pivot) > threshold)) break;
    smallest_ = std::min(smallest_, pivot);
    swap_both(k, best);
    for (int i = k + 1; i < n; ++i) {
      const double factor = LU_[i * n + k] / pivot;
      LU_[i * n + k] = factor;
      if (factor == 0) continue;
      for (int j = k + 1; j < n; ++j) LU_[i * n + j] -= factor * LU_[k * n + j];
    }
  }
  return rank_;
}

void PivotedElimination::substitute(const double* b, double* x) {
  const int n = n_;
  for (int i = 0; i < rank_; ++i) {
    double s = scale_[order_[i]] * b[order_[i]];
    for (int j = 0; j < i; ++j) s -= LU_[i * n + j] * work_[j];
    work_[i] = s;
  }
  for (int i = rank_ - 1; i >= 0; --i) {
    double s = work_[i];
    for (int j = i + 1; j < rank_; ++j) s -= LU_[i * n + j] * work_[j];
    work_[i] = s / LU_[i * n + i];
  }
  std::fill_n(x, n, 0.0);
  for (int i = 0; i < rank_; ++i) x[order_[i]] = scale_[order_[i]] * work_[i];
}

void PivotedElimination::solve(const double* b, double* x) {
  const int n = n_;
  substitute(b, x);
  for (int i = 0; i < n; ++i) {
    double s = b[i];
    for (int j = 0; j < n; ++j) s -= A_[i * n + j] * x[j];
    left_[i] = s;
  }
  // Rows left out stay out: only what the others miss is corrected.
  substitute(left_.data(), correction_.data());
  for (int i = 0; i < n; ++i) x[i] += correction_[i];
}

}  // namespace plumb
