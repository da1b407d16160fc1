// Two points are one, and an axis of `from` stays perpendicular to an axis of `to` (Hooke, Cardan).
#include "plumb/system/builder.h"

namespace plumb {

void build_universal(JointBuilder& b) {
  b.require_rigid_ends();
  b.anchor_ends(JointBuilder::Default::must_be_given);
  b.require_perpendicular();
  b.coincident_points();
  b.perpendicular(b.joint.axis->normalized(), b.joint.axis_to->normalized());
}

}  // namespace plumb
