#include "plumb/system/forces/spring.h"

#include "plumb/system/builder.h"

namespace plumb {

void build_spring(ForceBuilder& b) {
  Spring s;
  s.from = b.anchored_end(b.force.from, b.force.from_point, b.force.from_local, "from");
  s.to = b.anchored_end(b.force.to, b.force.to_point, b.force.to_local, "to");
  s.stiffness = b.force.stiffness.value_or(0);
  s.damping = b.force.damping.value_or(0);
  const double apart = (b.start_position(s.to) - b.start_position(s.from)).norm();
  s.length = b.force.length.value_or(apart);
  if (b.force.table) s.curve = b.table_curve("extension, tension");
  b.system().springs.push_back(s);
}

}  // namespace plumb
