#include "plumb/system/forces/actuator.h"

#include <fmt/format.h>

#include "plumb/expression/nearest_name.h"
#include "plumb/system/builder.h"

namespace plumb {
namespace {

// Along the coordinate of a joint: its angle or, if it has none, its displacement.
Actuator along(const System& system, const SystemJoint& j) {
  Actuator a;
  a.turns = j.angle >= 0;
  if (a.turns)
    a.angle = system.angles[j.angle];
  else
    a.slide = system.displacements[j.displacement];
  return a;
}

int joint_of(ForceBuilder& b) {
  std::vector<std::string> known;
  for (const SystemJoint& j : b.system().joints) {
    known.push_back(j.name);
    if (j.name != b.force.joint) continue;
    if (j.angle < 0 && j.displacement < 0)
      b.fail(fmt::format("joint '{}' is {}; it has neither angle nor displacement to act on", j.name, j.type));
    return static_cast<int>(known.size()) - 1;
  }
  b.fail(fmt::format("joint = \"{}\": there is no such joint{}", b.force.joint, did_you_mean(b.force.joint, known)));
}

Actuator on_joint(ForceBuilder& b) {
  Actuator a = along(b.system(), b.system().joints[joint_of(b)]);
  a.name = b.force.name;
  a.label = b.label();
  a.source = b.force.source;
  return a;
}

constexpr double default_smooth = 1e-3;

}  // namespace

void round_off_frictions(System& system) {
  for (const JointFriction& f : system.frictions) {
    Actuator a = along(system, system.joints[f.joint]);
    a.friction = true;
    a.coulomb = f.coulomb;
    a.smooth = default_smooth;
    a.name = f.name;
    a.source = f.source;
    system.actuators.push_back(a);
  }
  system.frictions.clear();
}

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
  a.damping = b.force.damping.value_or(0);
  const double coulomb = b.force.coulomb.value_or(0);
  if (b.force.smooth) {
    a.coulomb = coulomb;
    a.smooth = *b.force.smooth;
  } else if (coulomb > 0) {
    b.system().frictions.push_back({joint_of(b), coulomb, b.force.name, b.force.source});
  }
  if (a.damping != 0 || a.coulomb != 0 || coulomb == 0) b.system().actuators.push_back(a);
}

}  // namespace plumb
