// A reduced system as C: the right-hand side and a whole step, in one file that needs nothing but <math.h> and compiles
// as C89, later C and C++.
#pragma once

#include <string>

#include "plumb/model/model.h"

namespace plumb {

// Functions  void plumb_rhs(double t, const double *y, double *f)
//       and  void plumb_step(double t, double h, double *y), with the state described at the head of the file.
std::string c_code(const Model& model);

}  // namespace plumb
