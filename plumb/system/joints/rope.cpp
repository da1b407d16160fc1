// A rope: two points are at most `length` apart. It has no equation of its own; when it becomes taut the contacts hold
// it (contact/limits.h).
#include <fmt/format.h>

#include "plumb/system/builder.h"

namespace plumb {

void build_rope(JointBuilder& b) {
  b.anchor_ends(JointBuilder::Default::mass_centres);
  if (b.from.motion >= 0 || b.to.motion >= 0) b.fail("the ends of a rope cannot depend on t");
  if (b.joint.length && !b.joint.length->is_number()) b.fail("the length of a rope cannot depend on t");
  const double apart = (b.start_position(b.to) - b.start_position(b.from)).norm();
  const double length = b.joint.length ? b.joint.length->value : apart;
  if (!(length > 0)) b.fail("the rope has length zero at the start; give length");
  if (apart > length * (1 + 1e-9))
    b.fail(fmt::format("its ends are {:g} m apart at the start, further than its length of {:g} m", apart, length));
  b.system().limits.push_back({SystemLimit::Kind::rope, b.index(), length, b.joint.restitution.value_or(0)});
}

}  // namespace plumb
