// Nothing moves against the other. With a point mass at one end only the place is kept.
#include "plumb/system/builder.h"

namespace plumb {

void build_fixed(JointBuilder& b) {
  b.anchor_ends(JointBuilder::Default::centre_of_to);
  b.coincident_points();
  if (!b.both_rotate()) return;
  b.perpendicular(Vec3::UnitX(), Vec3::UnitY());
  b.perpendicular(Vec3::UnitY(), Vec3::UnitZ());
  b.perpendicular(Vec3::UnitZ(), Vec3::UnitX());
}

}  // namespace plumb
