#include "plumb/system/forces/actuator.h"

#include <fmt/format.h>

#include "plumb/expression/nearest_name.h"
#include "plumb/system/builder.h"

namespace plumb {
namespace {

Actuator on_joint(ForceBuilder& b) {
  std::vector<std::string> known;
  for (const SystemJoint& j : b.system().joints) {
    known.push_back(j.name);
    if (j.name != b.force.joint) continue;
    Actuator a;
    a.name = b.force.name;
    a.label = b.label();
    a.source = b.force.source;
    if (j.angle >= 0) {
      a.angle = b.system().angles[j.angle];
    } else if (j.displacement >= 0) {
      a.turns = false;
      a.slide = b.system().displacements[j.displacement];
    } else {
      b.fail(fmt::format("joint '{}' is {}; it has neither angle nor displacement to act on", j.name, j.type));
    }
    return a;
  }
  b.fail(fmt::format("joint = \"{}\": there is no such joint{}", b.force.joint, did_you_mean(b.force.joint, known)));
}

}  // namespace

void build_motor(ForceBuilder& b) {
  Actuator a = on_joint(b);
  if (!b.force.effort && !b.force.table) b.fail("give effort (N m, or N on a sliding joint), table or both");
  if (b.force.effort) a.effort = b.motion_expression(*b.force.effort);
  if (b.force.table) a.curve = b.table_curve("rate, effort");
  b.system().actuators.push_back(a);
}

void build_torque_between(ForceBuilder& b) {
  Actuator a;
  a.name = b.force.name;
  a.label = b.label();
  a.source = b.force.source;
  a.angle.from = b.anchored_end(b.force.from, {}, {}, "from", true);
  a.angle.to = b.anchored_end(b.force.to, {}, {}, "to", true);
  for (const End* e : {&a.angle.from, &a.angle.to})
    if (e->kind == BodyKind::point) b.fail("a point mass does not rotate; a torque needs rigid bodies");
  const Vec3 axis = b.to_local(a.angle.from, b.force.axis->normalized());
  for (int i = 0; i < 3; ++i) a.angle.axis[i] = axis[i];
  a.effort = b.motion_expression(*b.force.effort);
  b.system().actuators.push_back(a);
}

void build_joint_friction(ForceBuilder& b) {
  Actuator a = on_joint(b);
  if (!b.force.coulomb && !b.force.damping) b.fail("give coulomb (N m, or N on a sliding joint), damping or both");
  a.friction = true;
  a.coulomb = b.force.coulomb.value_or(0);
  a.damping = b.force.damping.value_or(0);
  a.smooth = b.force.smooth.value_or(1e-3);
  b.system().actuators.push_back(a);
}

}  // namespace plumb
