#include "plumb/system/forces/drag.h"

#include "plumb/system/builder.h"

namespace plumb {

void build_drag(ForceBuilder& b) {
  std::vector<std::string> names = b.force.bodies.value_or(std::vector<std::string>{});
  if (!b.force.bodies)
    for (const Body& body : b.model().bodies) names.push_back(body.name);
  for (const std::string& name : names)
    b.system().drags.push_back(
        {b.anchored_end(name, {}, {}, "bodies"), b.force.linear.value_or(0), b.force.quadratic.value_or(0)});
}

}  // namespace plumb
