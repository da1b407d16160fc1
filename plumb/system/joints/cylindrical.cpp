// An axis is shared, along which `to` slides and about which it turns; both may be driven.
#include "plumb/system/builder.h"

namespace plumb {

void build_cylindrical(JointBuilder& b) {
  b.require_rigid_ends();
  b.anchor_ends(JointBuilder::Default::centre_of_to);
  const Vec3 axis = b.joint.axis->normalized();
  const Complement across = complete_frame(axis);
  b.point_in_plane(across.first);
  b.point_in_plane(across.second);
  b.parallel(axis);
  const AngleMeasure measure = b.measure_angle(axis);
  b.keep_angle(measure);
  b.keep_displacement(b.measure_displacement(axis));
  if (b.joint.angle) b.driven_angle(measure, b.add_driver(*b.joint.angle, b.joint.source, "angle"));
  if (b.joint.displacement) b.point_in_plane(axis, b.add_driver(*b.joint.displacement, b.joint.source, "displacement"));
}

}  // namespace plumb
