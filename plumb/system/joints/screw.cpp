// A cylindrical joint whose sliding goes with its turning: `pitch` metres per turn, right-handed if positive.
#include <numbers>

#include "plumb/system/builder.h"

namespace plumb {

void build_screw(JointBuilder& b) {
  b.require_rigid_ends();
  b.anchor_ends(JointBuilder::Default::centre_of_to);
  const Vec3 axis = b.joint.axis->normalized();
  const Complement across = complete_frame(axis);
  b.point_in_plane(across.first);
  b.point_in_plane(across.second);
  b.parallel(axis);
  const AngleMeasure measure = b.measure_angle(axis);
  b.screw_thread(measure, *b.joint.pitch / (2 * std::numbers::pi));
  b.keep_angle(measure);
  b.keep_displacement(b.measure_displacement(axis));
  if (b.joint.angle) b.driven_angle(measure, b.add_driver(*b.joint.angle, b.joint.source, "angle"));
  b.limit();
}

}  // namespace plumb
