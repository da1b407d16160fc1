#include "plumb/study/convergence.h"

#include <cmath>

namespace plumb {

double measured_order(const std::vector<double>& steps, const std::vector<double>& errors, double floor) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = steps.size(); i-- > 0 && n < 4;) {
    if (!(errors[i] > floor)) continue;
    const double x = std::log(steps[i]), y = std::log(errors[i]);
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  if (n < 2) return std::nan("");
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace plumb
