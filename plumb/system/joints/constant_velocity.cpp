// Two points are one and two shafts turn equally fast whatever the angle between them. `axis` is the direction of the
// shaft of `from`, `axis_to` that of `to` (default: in line).
#include "plumb/system/builder.h"

namespace plumb {

void build_constant_velocity(JointBuilder& b) {
  b.require_rigid_ends();
  b.anchor_ends(JointBuilder::Default::must_be_given);
  const Vec3 axis = b.joint.axis->normalized(), axis_to = b.joint.axis_to.value_or(axis).normalized();
  if (axis.dot(axis_to) < -0.9) b.fail("the shafts are folded back on each other: axis_to must point on from axis");
  b.coincident_points();
  b.equal_spin(axis, axis_to);
}

}  // namespace plumb
