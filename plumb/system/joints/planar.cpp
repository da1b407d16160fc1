// `to` slides and turns in a plane carried by `from`.
#include "plumb/system/builder.h"

namespace plumb {

void build_planar(JointBuilder& b) {
  b.require_rigid_ends();
  b.anchor_ends(JointBuilder::Default::centre_of_to);
  const Vec3 normal = b.joint.normal->normalized();
  b.point_in_plane(normal);
  b.parallel(normal);
}

}  // namespace plumb
