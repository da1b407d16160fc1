// A force at a point of a body, or a torque on it; constant or expressions of time and motion.
#pragma once

#include <string>

#include "plumb/expression/expression.h"
#include "plumb/model/input_error.h"
#include "plumb/system/end.h"

namespace plumb {

struct Applied {
  enum class Kind { force, torque };
  Kind kind = Kind::force;
  End at;
  bool body_axes = false;
  Mat3 axes = Mat3::Identity();  // of the body in those of what carries it
  Expression components[3];
  std::string name, label;  // label: of messages
  Source source{};
};

}  // namespace plumb
