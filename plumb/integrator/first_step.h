// A cautious first step, such that an Euler step, and the change of slope over it, stay small (E. Hairer, S. P.
// Nørsett, G. Wanner, Solving Ordinary Differential Equations I, II.4).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "plumb/integrator/problem.h"

namespace plumb {

// `slope` belongs to y at t; `moved` and `moved_slope` are working memory.
inline double first_step(Problem& problem, double t, const std::vector<double>& y, const double* slope,
                         double tolerance, int order, double* moved, double* moved_slope) {
  const auto norm = [&](const double* x, const double* minus) {
    double m = 0;
    for (int i = 0; i < problem.controlled(); ++i)
      m = std::max(m, std::abs(x[i] - (minus ? minus[i] : 0)) / (tolerance * (1 + std::abs(y[i]))));
    return m;
  };
  const double d0 = norm(y.data(), nullptr), d1 = norm(slope, nullptr);
  const double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
  for (int i = 0; i < problem.size(); ++i) moved[i] = y[i] + h0 * slope[i];
  problem.derivative(t + h0, moved, moved_slope);
  const double d2 = norm(moved_slope, slope) / h0;
  const double d = std::max(d1, d2);
  const double h1 = d <= 1e-15 ? std::max(1e-6, 1e-3 * h0) : std::pow(0.01 / d, 1.0 / order);
  return std::min(100 * h0, h1);
}

}  // namespace plumb
