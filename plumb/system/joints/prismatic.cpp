// Sliding along an axis of `from` without rotating; displacement = "expression of t" drives the slide, rate its
// velocity.
// With a point mass at one end only the place is kept on the line: a bead on a wire.
#include "plumb/system/builder.h"

namespace plumb {

void build_prismatic(JointBuilder& b) {
  b.anchor_ends(JointBuilder::Default::centre_of_to);
  if (b.from.kind == BodyKind::point) b.fail("from carries the axis and cannot be a point mass; exchange from and to");
  const Vec3 axis = b.joint.axis->normalized();
  const Complement across = complete_frame(axis);
  b.point_in_plane(across.first);
  b.point_in_plane(across.second);
  if (b.both_rotate()) {
    b.perpendicular(across.first, across.second);
    b.perpendicular(across.second, axis);
    b.perpendicular(axis, across.first);
  }
  if (b.joint.displacement) b.point_in_plane(axis, b.add_driver(*b.joint.displacement, b.joint.source, "displacement"));
  if (b.joint.rate) b.point_in_plane(axis, b.add_rate_driver(*b.joint.rate), true);
  b.keep_displacement(b.measure_displacement(axis));
  b.limit();
}

}  // namespace plumb
