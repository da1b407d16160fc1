// Sliding along an axis of `from` without rotating; displacement = "expression of t" drives the slide.
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
  DisplacementMeasure measure{b.from, b.to, {}};
  const Vec3 local = b.to_local(b.from, axis);
  for (int i = 0; i < 3; ++i) measure.axis[i] = local[i];
  b.displacement = static_cast<int>(b.system().displacements.size());
  b.system().displacements.push_back(measure);
}

}  // namespace plumb
