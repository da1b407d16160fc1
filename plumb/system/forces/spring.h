// Spring and damper between two points: tension k (s - s0) + c s', s = |p_to - p_from|; or a
// tabulated curve of s - s0.
#pragma once

#include "plumb/system/end.h"
#include "plumb/system/forces/table_curve.h"

namespace plumb {

struct Spring {
  End from, to;
  double stiffness = 0, damping = 0, length = 0;
  TableCurve curve{};  // tension over s - s0, in place of k (s - s0)

  double tension(double extension) const { return curve.empty() ? stiffness * extension : curve.value(extension); }
  double potential(double extension) const {
    return curve.empty() ? stiffness * extension * extension / 2 : curve.integral(extension) - curve.integral(0);
  }
};

}  // namespace plumb
