#include "plumb/system/forces/applied.h"

#include "plumb/system/builder.h"

namespace plumb {

void build_force(ForceBuilder& b) {
  b.add_applied(Applied::Kind::force, b.anchored_end(b.force.on, b.force.point, b.force.local, "on"), *b.force.force);
}

void build_torque(ForceBuilder& b) {
  const End at = b.anchored_end(b.force.on, {}, {}, "on");
  if (at.kind == BodyKind::point) b.fail("a point mass does not rotate; a torque needs a rigid body");
  b.add_applied(Applied::Kind::torque, at, *b.force.torque);
}

}  // namespace plumb
