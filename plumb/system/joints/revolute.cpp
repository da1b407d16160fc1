// Two points are one and an axis is shared; angle = "expression of t" drives the rotation about it,
// rate = "expression of t and positions" its velocity.
#include "plumb/system/builder.h"

namespace plumb {

void build_revolute(JointBuilder& b) {
  b.require_rigid_ends();
  b.anchor_ends(JointBuilder::Default::must_be_given);
  const Vec3 axis = b.joint.axis->normalized();
  b.coincident_points();
  b.parallel(axis);
  const AngleMeasure measure = b.measure_angle(axis);
  b.keep_angle(measure);
  if (b.joint.angle) b.driven_angle(measure, b.add_driver(*b.joint.angle, b.joint.source, "angle"));
  if (b.joint.rate) b.driven_angle(measure, b.add_rate_driver(*b.joint.rate), true);
  b.limit();
}

}  // namespace plumb
