// Parsed expressions as GiNaC's algebra, and the functions GiNaC lacks: those that switch, and choices.
//
// What switches is smooth between its switches and differentiated there: |a|' = s a' with s the side on which a is,
// max(a, b)' = a' or b', whichever is taken. Sides are functions of their own (side_abs, side_min, …), constant between
// switches; |a| and all its derivatives share one side, and with that one switch.
#pragma once

#include <ginac/ginac.h>

#include <optional>
#include <string>
#include <vector>

#include "plumb/expression/expression.h"
#include "plumb/expression/switching.h"

namespace plumb {

// `values` are what the slots of the expression stand for. `switches`, if given, receives the sides of the switches of
// the expression, by number. Throws std::invalid_argument for what has no place in an equation.
GiNaC::ex algebra_of(const Expression& expression, const std::vector<GiNaC::ex>& values,
                     std::vector<GiNaC::ex>* switches = nullptr);

// A double as the fraction it was probably written as (2, 1/3, 9.81 = 981/100), else as it is.
GiNaC::ex exact(double x);

// The function applied in `call`, by the name the parser uses.
struct AppliedFunction {
  enum class Kind {
    smooth,  // `op` evaluates it
    side,    // constant between switches of `switching`; less, less_equal, sign, floor and ceil are their own sides
    split,   // abs, min, max, mod: smooth on either side of `switching`
    choice,  // select(c, a, b)
    logic    // and, or, not: of zeros and ones
  };
  std::string name;
  Kind kind = Kind::smooth;
  Expression::Op op = Expression::Op::constant;
  Switch switching = Switch::less;
};
AppliedFunction applied_function(const GiNaC::ex& call);

// The side that decides about a function which switches; empty: it does not.
std::optional<GiNaC::ex> side_of(const GiNaC::ex& call);

}  // namespace plumb
