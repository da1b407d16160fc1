#include "plumb/solver/symmetric_solver.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "plumb/solver/elimination_order.h"
#include "plumb/solver/ldl_kernels.h"

namespace plumb {

SymmetricSolver::SymmetricSolver(const std::vector<int>& block_sizes, const std::vector<std::pair<int, int>>& couplings,
                                 Storage storage)
    : sizes_(block_sizes) {
  first_row_.resize(sizes_.size());
  std::exclusive_scan(sizes_.begin(), sizes_.end(), first_row_.begin(), 0);
  rows_ = std::accumulate(sizes_.begin(), sizes_.end(), 0);
  threshold_.resize(rows_);
  // Single blocks are dense by nature. Beyond that the block form wins as soon as there is any sparsity to
  // use, except where many one-row joints fill a small matrix (a truss of rods).
  const int full = static_cast<int>(sizes_.size() * (sizes_.size() - 1) / 2);
  const bool filled = 2 * static_cast<int>(couplings.size()) >= full && rows_ <= 2 * static_cast<int>(sizes_.size());
  dense_ =
      storage == Storage::dense || (storage == Storage::automatic && (sizes_.size() <= 1 || (filled && rows_ <= 32)));
  position_.resize(sizes_.size());
  std::iota(position_.begin(), position_.end(), 0);
  if (!dense_) {
    build_sparse(couplings);
    return;
  }
  values_.resize(static_cast<std::size_t>(rows_) * rows_);
  pivots_.resize(rows_);
  for (int r = 0; r < rows_; ++r) diagonal_.push_back(static_cast<std::size_t>(r) * (rows_ + 1));
}

void SymmetricSolver::build_sparse(const std::vector<std::pair<int, int>>& couplings) {
  const Elimination elimination = minimum_degree(sizes_, couplings);
  for (std::size_t p = 0; p < elimination.order.size(); ++p) position_[elimination.order[p]] = static_cast<int>(p);

  // Storage follows the elimination, so that factoring runs through memory once.
  diagonal_.resize(rows_);
  std::size_t size = 0;
  std::map<std::pair<int, int>, std::size_t> offset;  // (later node, earlier node) -> block
  for (std::size_t p = 0; p < elimination.order.size(); ++p) {
    const int k = elimination.order[p], m = sizes_[k];
    Column column{m, first_row_[k], size, neighbours_.size(), 0};
    for (int r = 0; r < m; ++r) diagonal_[column.row + r] = size + r * (m + 1);
    offset[{k, k}] = size;
    size += m * m;
    for (int i : elimination.later[p]) {
      neighbours_.push_back({sizes_[i], first_row_[i], size});
      offset[{i, k}] = size;
      size += sizes_[i] * m;
    }
    column.last = neighbours_.size();
    columns_.push_back(column);
  }
  for (const auto& later : elimination.later)
    for (std::size_t a = 0; a < later.size(); ++a)
      for (std::size_t b = 0; b <= a; ++b) targets_.push_back(offset.at({later[a], later[b]}));
  values_.resize(size);
}

SymmetricSolver::Place SymmetricSolver::locate(int i, int j) const {
  if (dense_) return {static_cast<std::size_t>(first_row_[i]) * rows_ + first_row_[j], rows_};
  const Column& column = columns_[position_[j]];
  if (i == j) return {column.diagonal, column.size};
  for (std::size_t n = column.first; n < column.last; ++n)
    if (neighbours_[n].row == first_row_[i]) return {neighbours_[n].offset, column.size};
  return {0, 0};  // not reached: every coupling has its block
}

void SymmetricSolver::clear() { std::ranges::fill(values_, 0.0); }

void SymmetricSolver::regularise(double relative) {
  for (std::size_t d : diagonal_) values_[d] = values_[d] > 0 ? values_[d] * (1 + relative) : 1;
}

bool SymmetricSolver::factor(double pivot_threshold) {
  for (std::size_t r = 0; r < diagonal_.size(); ++r) threshold_[r] = pivot_threshold * values_[diagonal_[r]];
  return dense_ ? factor_dense() : factor_sparse();
}

std::vector<int> SymmetricSolver::dependent_rows() const {
  std::vector<int> dependent;
  for (std::size_t r = 0; r < diagonal_.size(); ++r)
    if (values_[diagonal_[r]] == 0) dependent.push_back(static_cast<int>(r));
  return dependent;
}

std::vector<double> SymmetricSolver::pivots() const {
  std::vector<double> all;
  for (std::size_t d : diagonal_) all.push_back(values_[d] == 0 ? 0 : 1 / values_[d]);
  return all;
}

void SymmetricSolver::solve(double* x) const { dense_ ? solve_dense(x) : solve_sparse(x); }

bool SymmetricSolver::factor_dense() {
  if (rows_ > 0 && rows_ <= max_block)
    return with_block_size(
        rows_, [&](auto m) { return factor_block<m()>(values_.data(), pivots_.data(), threshold_.data()); });
  const std::size_t n = rows_;
  double* const A = values_.data();
  bool regular = true;
  for (std::size_t j = 0; j < n; ++j) {
    double* const row = A + j * n;
    double pivot = row[j];
    for (std::size_t k = 0; k < j; ++k) {
      const double y = row[k];
      row[k] = y * A[k * n + k];  // y D⁻¹
      pivot -= y * row[k];
    }
    const bool independent = pivot > threshold_[j];
    regular &= independent;
    pivots_[j] = pivot;
    row[j] = independent ? 1 / pivot : 0;
    // Rows below: y_ij = a_ij - Σ y_ik l_jk, kept undivided until their own turn.
    for (std::size_t i = j + 1; i < n; ++i) {
      double* const other = A + i * n;
      double s = other[j];
      for (std::size_t k = 0; k < j; ++k) s -= other[k] * row[k];
      other[j] = s;
    }
  }
  return regular;
}

void SymmetricSolver::solve_dense(double* x) const {
  if (rows_ > 0 && rows_ <= max_block)
    return with_block_size(rows_, [&](auto m) {
      forward<m()>(values_.data(), x);
      scale_by_pivots<m()>(values_.data(), x);
      backward<m()>(values_.data(), x);
    });
  const std::size_t n = rows_;
  const double* const A = values_.data();
  for (std::size_t j = 1; j < n; ++j)
    for (std::size_t k = 0; k < j; ++k) x[j] -= A[j * n + k] * x[k];
  for (std::size_t j = 0; j < n; ++j) x[j] *= A[j * n + j];
  for (std::size_t i = n; i-- > 1;)
    for (std::size_t j = 0; j < i; ++j) x[j] -= A[i * n + j] * x[i];
}

template <int M>
bool SymmetricSolver::eliminate(std::size_t p, const std::size_t*& target) {
  const Column& column = columns_[p];
  double* const A = values_.data() + column.diagonal;
  double d[M];
  const bool regular = factor_block<M>(A, d, threshold_.data() + column.row);
  // L_ik = S_ik L⁻ᵀ D⁻¹, and S_ij -= (L_ik D) L_jkᵀ for every pair of neighbours i, j of k; of the diagonal
  // blocks the lower triangle is enough.
  for (std::size_t a = column.first; a < column.last; ++a)
    with_block_size(neighbours_[a].size, [&](auto rows) {
      constexpr int I = rows();
      double* const B = values_.data() + neighbours_[a].offset;
      double Y[I * M];
      for (int r = 0; r < I; ++r) divide_row<M>(A, B + r * M, Y + r * M, B + r * M);
      for (std::size_t b = column.first; b < a; ++b) {
        const Neighbour& j = neighbours_[b];
        const double* const L = values_.data() + j.offset;
        double* const S = values_.data() + *target++;
        for (int r = 0; r < I; ++r)
          for (int c = 0; c < j.size; ++c) S[r * j.size + c] -= dot<M>(Y + r * M, L + c * M);
      }
      double* const S = values_.data() + *target++;
      for (int r = 0; r < I; ++r)
        for (int c = 0; c <= r; ++c) S[r * I + c] -= dot<M>(Y + r * M, B + c * M);
    });
  return regular;
}

bool SymmetricSolver::factor_sparse() {
  bool regular = true;
  const std::size_t* target = targets_.data();
  for (std::size_t p = 0; p < columns_.size(); ++p)
    regular &= with_block_size(columns_[p].size, [&](auto m) { return eliminate<m()>(p, target); });
  return regular;
}

void SymmetricSolver::solve_sparse(double* x) const {
  const double* const values = values_.data();
  for (const Column& k : columns_)
    with_block_size(k.size, [&](auto m) {
      constexpr int M = m();
      double* const y = x + k.row;
      forward<M>(values + k.diagonal, y);
      for (std::size_t n = k.first; n < k.last; ++n) {
        const Neighbour& i = neighbours_[n];
        const double* const L = values + i.offset;
        for (int r = 0; r < i.size; ++r) x[i.row + r] -= dot<M>(L + r * M, y);
      }
      scale_by_pivots<M>(values + k.diagonal, y);
    });
  for (std::size_t p = columns_.size(); p-- > 0;)
    with_block_size(columns_[p].size, [&](auto m) {
      constexpr int M = m();
      const Column& k = columns_[p];
      double* const y = x + k.row;
      for (std::size_t n = k.first; n < k.last; ++n) {
        const Neighbour& i = neighbours_[n];
        const double* const L = values + i.offset;
        for (int r = 0; r < i.size; ++r)
          for (int c = 0; c < M; ++c) y[c] -= L[r * M + c] * x[i.row + r];
      }
      backward<M>(values + k.diagonal, y);
    });
}

}  // namespace plumb
