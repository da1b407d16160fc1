// An axis of `from` stays perpendicular to an axis of `to`; nothing else.
#include "plumb/system/builder.h"

namespace plumb {

void build_perpendicular_axes(JointBuilder& b) {
  b.require_rigid_ends();
  b.require_perpendicular();
  b.perpendicular(b.joint.axis->normalized(), b.joint.axis_to->normalized());
}

}  // namespace plumb
