// Which of several solutions of nonlinear equations a run is on: their unknowns at the last accepted point and, once it
// is known, at the end of the step in progress, with their rates along the solution. Every search for them begins on
// the line, or the cubic, that these give: what was tried in between leaves no trace.
#pragma once

#include <cstddef>
#include <vector>

namespace plumb {

struct Branch {
  struct Point {
    double t = 0;
    std::vector<double> x, rate;
  };
  Point begin, end;
  bool has_end = false;

  double at(std::size_t i, double t) const {
    if (!has_end || t <= begin.t || t > end.t) return begin.x[i] + begin.rate[i] * (t - begin.t);
    const double h = end.t - begin.t, s = (t - begin.t) / h, r = 1 - s;
    return r * r * (1 + 2 * s) * begin.x[i] + s * s * (1 + 2 * r) * end.x[i] +
           h * s * r * (r * begin.rate[i] - s * end.rate[i]);
  }
};

}  // namespace plumb
