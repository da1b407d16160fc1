// A massless rod: the distance of two points is kept, or driven by length = "expression of t".
#include <fmt/format.h>

#include "plumb/system/builder.h"

namespace plumb {

void build_rod(JointBuilder& b) {
  b.anchor_ends(JointBuilder::Default::mass_centres);
  const double apart = (b.start_position(b.to) - b.start_position(b.from)).norm();
  if (!(apart > 0)) b.fail("the rod has length zero at the start and no direction; move one of its ends");
  b.distance(b.joint.length && b.joint.length->is_number() ? b.joint.length->value : apart);
}

}  // namespace plumb
