// An axis of `from` and one of `to` stay parallel; nothing else.
#include "plumb/system/builder.h"

namespace plumb {

void build_parallel_axes(JointBuilder& b) {
  b.require_rigid_ends();
  b.parallel(b.joint.axis->normalized());
}

}  // namespace plumb
