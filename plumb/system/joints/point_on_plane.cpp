// A point of `to` stays in a plane carried by `from`.
#include "plumb/system/builder.h"

namespace plumb {

void build_point_on_plane(JointBuilder& b) {
  b.anchor_ends(JointBuilder::Default::centre_of_to);
  if (b.from.kind == BodyKind::point) b.fail("from carries the plane and cannot be a point mass; exchange from and to");
  b.point_in_plane(b.joint.normal->normalized());
}

}  // namespace plumb
