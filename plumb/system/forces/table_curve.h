// A curve through given points, smooth in value and slope: piecewise cubic with the slopes of Fritsch and Carlson,
// which never overshoot; straight beyond the ends. Its integral is exact, so that a spring that follows it keeps its
// energy. F. N. Fritsch, R. E. Carlson, SIAM J. Numer. Anal. 17 (1980) 238-246.
#pragma once

#include <array>
#include <vector>

namespace plumb {

class TableCurve {
 public:
  TableCurve() = default;
  explicit TableCurve(const std::vector<std::array<double, 2>>& points);  // at least two, x increasing

  double value(double x) const;
  double integral(double x) const;  // from the first x
  bool empty() const { return x_.empty(); }

 private:
  std::vector<double> x_, y_, slope_, area_;  // area up to each point
};

}  // namespace plumb
