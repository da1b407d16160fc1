// The cubic through both ends of a step with their slopes: dense output for methods that bring none.
#pragma once

namespace plumb {

inline void hermite(int n, double theta, double h, const double* y0, const double* f0, const double* y1,
                    const double* f1, double* y) {
  const double s = theta, r = 1 - theta;
  const double a = r * r * (1 + 2 * s), b = s * s * (1 + 2 * r), c = h * s * r * r, d = -h * s * s * r;
  for (int i = 0; i < n; ++i) y[i] = a * y0[i] + b * y1[i] + c * f0[i] + d * f1[i];
}

}  // namespace plumb
