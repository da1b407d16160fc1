#include "plumb/system/forces/torsion.h"

#include <fmt/format.h>

#include "plumb/expression/nearest_name.h"
#include "plumb/system/builder.h"

namespace plumb {

void build_torsion(ForceBuilder& b) {
  std::vector<std::string> known;
  for (const SystemJoint& j : b.system().joints) {
    if (j.name == b.force.joint) {
      if (j.angle < 0) b.fail(fmt::format("joint '{}' is {}; a torsion spring needs a revolute joint", j.name, j.type));
      b.system().torsions.push_back(
          {j.angle, b.force.stiffness.value_or(0), b.force.damping.value_or(0), b.force.angle.value_or(0)});
      return;
    }
    known.push_back(j.name);
  }
  b.fail(fmt::format("joint = \"{}\": there is no such joint{}", b.force.joint, did_you_mean(b.force.joint, known)));
}

}  // namespace plumb
