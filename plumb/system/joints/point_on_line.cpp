// A point of `to` stays on a line carried by `from` and is free to turn. "in-line" is another name for it.
#include "plumb/system/builder.h"

namespace plumb {

void build_point_on_line(JointBuilder& b) {
  b.anchor_ends(JointBuilder::Default::centre_of_to);
  if (b.from.kind == BodyKind::point) b.fail("from carries the line and cannot be a point mass; exchange from and to");
  const Vec3 axis = b.joint.axis->normalized();
  const Complement across = complete_frame(axis);
  b.point_in_plane(across.first);
  b.point_in_plane(across.second);
  b.keep_displacement(b.measure_displacement(axis));
}

void build_in_line(JointBuilder& b) { build_point_on_line(b); }

}  // namespace plumb
