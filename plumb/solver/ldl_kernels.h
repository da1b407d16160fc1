// Dense kernels on the small blocks of the sparse factorisation, unrolled for each block size.
//
// A symmetric positive definite block is factored as A = L D Lᵀ with unit lower L. In storage the strict
// lower part holds L and the diagonal holds 1/d, so that solving multiplies instead of dividing.
// All blocks are row-major and contiguous.
#pragma once

#include <type_traits>

#include "plumb/spatial/kernel.h"

namespace plumb {

inline constexpr int max_block = 6;  // rows of one joint

// Factors A in place; d receives the pivots. A pivot that is not above `threshold[j]` (or not a number)
// makes the result false: the row depends on those before it, and is left out (1/d = 0).
template <int M>
PLUMB_INLINE bool factor_block(double* A, double* d, const double* threshold) {
  bool regular = true;
  for (int j = 0; j < M; ++j) {
    double pivot = A[j * M + j];
    for (int k = 0; k < j; ++k) pivot -= A[j * M + k] * A[j * M + k] * d[k];
    const bool independent = pivot > threshold[j];
    regular &= independent;
    d[j] = pivot;
    const double inverse = independent ? 1 / pivot : 0;
    A[j * M + j] = inverse;
    for (int i = j + 1; i < M; ++i) {
      double s = A[i * M + j];
      for (int k = 0; k < j; ++k) s -= A[i * M + k] * A[j * M + k] * d[k];
      A[i * M + j] = s * inverse;
    }
  }
  return regular;
}

// One row x of an off-diagonal block: y Lᵀ = x, then y and y D⁻¹.
template <int M>
PLUMB_INLINE void divide_row(const double* A, const double* x, double* y, double* scaled) {
  for (int j = 0; j < M; ++j) {
    double s = x[j];
    for (int k = 0; k < j; ++k) s -= y[k] * A[j * M + k];
    y[j] = s;
  }
  for (int j = 0; j < M; ++j) scaled[j] = y[j] * A[j * M + j];
}

// x <- L⁻¹ x
template <int M>
PLUMB_INLINE void forward(const double* A, double* x) {
  for (int j = 1; j < M; ++j)
    for (int k = 0; k < j; ++k) x[j] -= A[j * M + k] * x[k];
}

// x <- L⁻ᵀ x
template <int M>
PLUMB_INLINE void backward(const double* A, double* x) {
  for (int j = M - 2; j >= 0; --j)
    for (int i = j + 1; i < M; ++i) x[j] -= A[i * M + j] * x[i];
}

template <int M>
PLUMB_INLINE void scale_by_pivots(const double* A, double* x) {
  for (int j = 0; j < M; ++j) x[j] *= A[j * M + j];
}

template <int M>
PLUMB_INLINE double dot(const double* a, const double* b) {
  double s = a[0] * b[0];
  for (int k = 1; k < M; ++k) s += a[k] * b[k];
  return s;
}

// Calls f with the block size as a compile-time constant.
template <class F>
PLUMB_INLINE decltype(auto) with_block_size(int m, F&& f) {
  switch (m) {
    case 1: return f(std::integral_constant<int, 1>{});
    case 2: return f(std::integral_constant<int, 2>{});
    case 3: return f(std::integral_constant<int, 3>{});
    case 4: return f(std::integral_constant<int, 4>{});
    case 5: return f(std::integral_constant<int, 5>{});
    default: return f(std::integral_constant<int, 6>{});
  }
}

}  // namespace plumb
