#include "plumb/simulation/fast_forces.h"

#include <fmt/format.h>

#include <algorithm>

namespace plumb {
namespace {

bool acts_on(const Model& model, const Force& f, const std::string& body) {
  if (f.from == body || f.to == body || f.on == body) return true;
  if (f.type == "drag") return !f.bodies || std::ranges::count(*f.bodies, body) > 0;
  const auto joint = std::ranges::find(model.joints, f.joint, &Joint::name);
  return joint != model.joints.end() && (joint->from == body || joint->to == body);
}

}  // namespace

FastForces forces_on(const Model& model, const std::string& body) {
  FastForces fast;
  bool springs = false, rounded = false;
  for (const Force& f : model.forces) {
    if (!acts_on(model, f, body)) continue;
    fast.names += fmt::format("{}{} '{}'", fast.names.empty() ? "" : ", ", f.type, f.name);
    springs = springs || f.type == "spring" || f.type == "bushing" || f.type == "torsion";
    rounded = rounded || (f.type == "joint-friction" && f.smooth);
  }
  if (rounded)
    fast.advice = "Without `smooth` joint-friction sticks and is not stiff";
  else if (springs)
    fast.advice = "Where a spring only holds, a rod or a joint does so exactly";
  return fast;
}

}  // namespace plumb
