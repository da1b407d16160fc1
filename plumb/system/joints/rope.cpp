// A rope: two points are at most `length` apart; "distance": no nearer and no further than limits = [least, largest].
// They have no equation of their own; at a limit the contacts hold them (contact/limits.cpp).
#include <fmt/format.h>

#include <algorithm>

#include "plumb/system/builder.h"

namespace plumb {
namespace {

double anchor_and_measure(JointBuilder& b) {
  b.anchor_ends(JointBuilder::Default::mass_centres);
  if (b.from.motion >= 0 || b.to.motion >= 0) b.fail("its ends cannot depend on t");
  return (b.start_position(b.to) - b.start_position(b.from)).norm();
}

}  // namespace

void build_rope(JointBuilder& b) {
  const double apart = anchor_and_measure(b);
  if (b.joint.length && !b.joint.length->is_number()) b.fail("the length of a rope cannot depend on t");
  const double length = b.joint.length ? b.joint.length->value : apart;
  if (!(length > 0)) b.fail("the rope has length zero at the start; give length");
  b.system().limits.push_back({SystemLimit::Kind::rope, b.index(), length, b.joint.restitution.value_or(0)});
}

void build_distance(JointBuilder& b) {
  anchor_and_measure(b);
  const double least = (*b.joint.limits)[0], largest = (*b.joint.limits)[1];
  if (least < 0) b.fail(fmt::format("a distance cannot be less than {:g} m; limits must not be negative", least));
  const double e = b.joint.restitution.value_or(0);
  if (least > 0) b.system().limits.push_back({SystemLimit::Kind::least_distance, b.index(), least, e});
  b.system().limits.push_back({SystemLimit::Kind::rope, b.index(), largest, e});
}

}  // namespace plumb
