// Models of equations for the tests, from text as a user writes it.
#pragma once

#include <string>

#include "plumb/model/reader.h"

namespace plumb::testing {

inline Model parsed(const std::string& text) { return parse_model(text, "test.toml", {}); }

// First order, as a worksheet would; not the numbers of the published case.
inline const std::string cartesian_pendulum = R"toml(
[parameters]
g = 3.7
l = 1.3
[equations]
differential = ["x' = u", "y' = v", "u' = -x*mu", "v' = -y*mu - g"]
algebraic    = ["x^2 + y^2 = l^2"]
[initial]
x = 1.3
[watch]
energy = "(u^2 + v^2)/2 + g*y"
[simulation]
duration = 2
tolerance = 1e-11
)toml";

// The same with second derivatives and a mass.
inline const std::string second_order_pendulum = R"toml(
[parameters]
g = 3.7
l = 1.3
m = 2.5
[equations]
differential = ["m*x'' = -2*x*lambda", "m*y'' = -2*y*lambda - m*g"]
algebraic    = ["x^2 + y^2 = l^2"]
[initial]
x = 1.3
[simulation]
duration = 2
tolerance = 1e-11
)toml";

inline Model with_method(Model m, const std::string& method) {
  m.simulation.method = method;
  return m;
}

}  // namespace plumb::testing
