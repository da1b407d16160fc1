// Two points are one and an axis is shared; angle = "expression of t" drives the rotation about it.
#include "plumb/system/builder.h"

namespace plumb {

void build_revolute(JointBuilder& b) {
  b.require_rigid_ends();
  b.anchor_ends(JointBuilder::Default::must_be_given);
  const Vec3 axis = b.joint.axis->normalized();
  b.coincident_points();
  b.parallel(axis);
  const AngleMeasure measure = b.measure_angle(axis);
  b.angle = static_cast<int>(b.system().angles.size());
  b.system().angles.push_back(measure);
  if (b.joint.angle) b.driven_angle(measure, b.add_driver(*b.joint.angle, b.joint.source, "angle"));
}

}  // namespace plumb
