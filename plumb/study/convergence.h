// Orders measured from errors.
#pragma once

#include <vector>

namespace plumb {

// Least-squares slope of log(error) against log(step) over the four smallest steps whose errors are above
// `floor`, where rounding begins to show. Steps come in falling order. NaN with fewer than two such points.
double measured_order(const std::vector<double>& steps, const std::vector<double>& errors, double floor = 5e-14);

}  // namespace plumb
