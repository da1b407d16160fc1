// A disc (`axis`: its axle) or a sphere (no axis) of `to` rolls without slipping on a plane carried by `from`. Its
// centre is the anchor of `to`; the plane passes through the anchor of `from` or, if none is given, under the disc as
// it stands.
#include "plumb/system/builder.h"

namespace plumb {

void build_rolling(JointBuilder& b) {
  b.require_rigid_ends();
  const bool plane_given = b.joint.from_point || b.joint.from_local;
  if (b.to.kind == BodyKind::ground) b.fail("to rolls and cannot be the ground; exchange from and to");
  b.anchor_from();
  b.anchor_to();
  if (b.from.motion >= 0 || b.to.motion >= 0) b.fail("the anchors of a rolling joint cannot depend on t");
  std::optional<Vec3> axle;
  if (b.joint.axis) axle = b.joint.axis->normalized();
  b.rolling(b.joint.normal->normalized(), axle, *b.joint.radius, plane_given);
}

}  // namespace plumb
