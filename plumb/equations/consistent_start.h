// The start of a reduced system: given values are kept, the others follow from the constraints, stage by stage. A start
// that violates a constraint is never taken silently: the equation is named and the nearest consistent start offered.
#pragma once

#include <string>
#include <vector>

#include "plumb/equations/flow.h"

namespace plumb {

struct StartValue {
  std::string name;
  double value = 0;
  enum class Origin { given, by_default, completed, solved, moved } origin = Origin::given;
  double given = 0;  // if it was moved
};

struct ConsistentStart {
  bool consistent = true;
  std::vector<double> y;
  std::vector<StartValue> values;  // all states, then what is solved for

  // If not consistent:
  std::string equation;  // "constraint 1", "constraint 1, differentiated twice"
  std::string text;      // as it stands in the model
  Source source{};
  double residual = 0;
  bool has_nearest = false;  // then y is the nearest start that is consistent
  std::string describe() const;

  // The system Jacobian at the start.
  bool is_regular = true;
  bool is_singular_everywhere = false;  // not only there
  std::string irregular;
};

// Throws InputError for initial values of what is no unknown.
ConsistentStart find_start(const Model& model, Flow& flow);

}  // namespace plumb
