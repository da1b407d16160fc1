// Parsed expressions as GiNaC's algebra, and the functions GiNaC lacks.
#pragma once

#include <ginac/ginac.h>

#include <string>
#include <vector>

#include "plumb/expression/expression.h"

namespace plumb {

// `values` are what the slots of the expression stand for.
GiNaC::ex algebra_of(const Expression& expression, const std::vector<GiNaC::ex>& values);

// A double as the fraction it was probably written as (2, 1/3, 9.81 = 981/100), else as it is.
GiNaC::ex exact(double x);

// Functions that have a value but not everywhere a derivative, kept as they are: abs, sign, floor, ceil, min, max, mod.
// Asking for a derivative throws NotSmooth.
class NotSmooth : public std::runtime_error {
 public:
  explicit NotSmooth(const std::string& function)
      : std::runtime_error(function + " is not smooth and cannot be differentiated"), name(function) {}
  std::string name;
};

// The function applied in `call`, by the name the parser uses; op its operation.
struct AppliedFunction {
  std::string name;
  Expression::Op op;
};
AppliedFunction applied_function(const GiNaC::ex& call);

}  // namespace plumb
