// The largest of several numbers, where one that is not a number must not get lost: it is the largest, and stays.
#pragma once

#include <cmath>

namespace plumb {

inline void keep_largest(double& largest, double x) {
  if (x > largest || std::isnan(x)) largest = x;
}

inline double largest_magnitude(const double* x, int n) {
  double m = 0;
  for (int i = 0; i < n; ++i) keep_largest(m, std::abs(x[i]));
  return m;
}

}  // namespace plumb
