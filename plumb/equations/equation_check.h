// What can be said of a model given as equations before it runs.
#pragma once

#include <string>
#include <vector>

#include "plumb/equations/consistent_start.h"
#include "plumb/model/model.h"

namespace plumb {

struct EquationDiagnosis {
  struct Line {
    std::string label, text;
    int differentiations = 0;  // c
  };
  struct HiddenConstraint {
    std::string label, text;  // "constraint 1, differentiated once": "2*u*x + 2*v*y = 0"
    double residual = 0;      // at the start as given
  };
  std::vector<std::string> unknowns;
  std::vector<int> orders;  // d of each
  std::vector<Line> equations;
  std::vector<std::vector<int>> signature;  // -1: does not occur
  int index = 0;
  int degrees_of_freedom = 0;
  std::vector<std::string> states, solved;
  std::vector<HiddenConstraint> constraints;  // with those given
  std::string method;
  ConsistentStart start;
  std::string fault;  // empty: consistent and regular
};

EquationDiagnosis diagnose_equations(const Model& model);

}  // namespace plumb
