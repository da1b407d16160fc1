// Two points are one; all rotations are free.
#include "plumb/system/builder.h"

namespace plumb {

void build_spherical(JointBuilder& b) {
  b.anchor_ends(JointBuilder::Default::must_be_given);
  b.coincident_points();
}

}  // namespace plumb
