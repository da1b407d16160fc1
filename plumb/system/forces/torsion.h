// Torsion spring and damper on a revolute joint: torque -(k (theta - theta0) + c theta') on `to` about the
// axis, the opposite on `from`. theta counts full turns.
#pragma once

namespace plumb {

struct Torsion {
  int angle = 0;  // in System::angles
  double stiffness = 0, damping = 0, rest = 0;
};

}  // namespace plumb
