// An effort along the coordinate of a joint (torque about its axis, or force along it), reversed on `from`:
//   motor           an expression of time and motion, times a curve over the rate if one is given
//   torque-between  the same about an axis of `from`, without a joint
//   joint-friction  -damping rate; where it asks to be rounded off below the rate `smooth` also -coulomb
//   tanh(rate/smooth)
#pragma once

#include <string>

#include "plumb/expression/expression.h"
#include "plumb/model/input_error.h"
#include "plumb/system/forces/table_curve.h"
#include "plumb/system/parts/coupler.h"

namespace plumb {

struct Actuator {
  bool turns = true;
  AngleMeasure angle{};
  DisplacementMeasure slide{};
  Expression effort{1.0};
  TableCurve curve{};  // over the rate
  bool friction = false;
  double coulomb = 0, damping = 0, smooth = 1;
  std::string name{}, label{};  // label: of messages
  Source source{};
};

}  // namespace plumb
