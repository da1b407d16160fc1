// Starts of names that an equation defines: "tt = sqrt(x^2 + y^2)" gives the start of tt from those of x and y, and so
// on in the order in which they depend on each other. Names that nothing defines and nobody gave stay at zero. What is
// found is where the search for a consistent start begins.
#pragma once

#include <vector>

#include "plumb/equations/reduction.h"

namespace plumb {

// Changes the states in y that are not known.
void evaluate_definitions(const Reduction& reduction, double omega, const std::vector<char>& known,
                          std::vector<double>& y);

}  // namespace plumb
