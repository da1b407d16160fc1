#include "plumb/study/suspicions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "plumb/system/dynamics.h"
#include "plumb/system/projection.h"

namespace plumb {
namespace {

// Half the size of a body, as far as its shape and its joints tell; 0 if nothing does.
double extent(const Body& body, const System& system, int index) {
  double e = 0;
  if (body.shape) {
    e = std::sqrt(3 * unit_inertia(*body.shape).moments.maxCoeff());
  }
  for (const SystemJoint& j : system.joints)
    for (const End* end : {&j.from, &j.to})
      if (end->body == index) {
        const double* s = system.anchors.data() + 3 * end->anchor;
        e = std::max(e, std::hypot(s[0], s[1], s[2]));
      }
  return e;
}

}  // namespace

std::vector<std::string> mass_suspicions(const Model& model, const System& system) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& b = model.bodies[i];
    const SystemBody& s = system.bodies[i];
    if (b.shape) {
      const double density = s.mass / volume(*b.shape);
      if (density > 30000 || density < 0.1)
        found.push_back(
            fmt::format("body '{}': its mass and shape make {:.3g} kg/m³, which no material has; are they in kg and m?",
                        b.name, density));
    }
    if (s.kind != BodyKind::rigid || !b.inertia) continue;
    const double e = extent(b, system, static_cast<int>(i)), k = std::sqrt(s.moments.maxCoeff() / s.mass);
    if (!(e > 0)) continue;
    const double ratio = k / e;
    if (ratio > 30 || ratio < 1e-2)
      found.push_back(fmt::format(
          "body '{}': its inertia belongs to a body of about {:.2g} m, but its joints or shape say {:.2g} m; is it in "
          "kg m² about the mass centre (1 kg mm² = 1e-6 kg m², 1 g cm² = 1e-7 kg m²)?",
          b.name, k, e));
  }
  if (!system.bodies.empty()) {
    const auto [light, heavy] =
        std::ranges::minmax_element(system.bodies, {}, [](const SystemBody& b) { return b.mass; });
    if (heavy->mass > 1e9 * light->mass)
      found.push_back(fmt::format("'{}' ({:.3g} kg) is {:.1e} times as heavy as '{}' ({:.3g} kg); are both in kg?",
                                  heavy->name, heavy->mass, heavy->mass / light->mass, light->name, light->mass));
  }
  return found;
}

std::vector<std::string> unheld_bodies(const Model& model) {
  if (model.gravity.isZero(0)) return {};
  std::map<std::string, int> number = {{ground_name, 0}};
  for (const Body& b : model.bodies) number.emplace(b.name, static_cast<int>(number.size()));
  std::vector<int> group(number.size());
  std::iota(group.begin(), group.end(), 0);
  const auto root = [&](int i) {
    while (group[i] != i) i = group[i];
    return i;
  };
  const auto join = [&](const std::string& a, const std::string& b) {
    if (number.contains(a) && number.contains(b)) group[root(number[a])] = root(number[b]);
  };
  for (const Joint& j : model.joints) join(j.from, j.to);
  for (const Force& f : model.forces)
    if (!f.from.empty()) join(f.from, f.to);
  for (const Contact& c : model.contacts) {
    if (c.between) continue;  // bodies that only touch each other fall together
    for (const Body& b : model.bodies)
      if (!c.bodies || std::ranges::count(*c.bodies, b.name) > 0) join(b.name, ground_name);
  }
  std::vector<std::string> free;
  for (const Body& b : model.bodies)
    if (root(number[b.name]) != root(0)) free.push_back(b.name);
  return free;
}

std::vector<UnreachableDrive> unreachable_drives(const System& system, const std::vector<double>& start,
                                                 double duration) {
  if (!system.is_driven || system.drivers.size() == system.rate_drivers.size()) return {};
  const System coupled = couple_all_joints(system);
  Dynamics dynamics(coupled);
  Projection projection(dynamics);
  std::vector<double> y = start, rows(coupled.rows);
  constexpr int samples = 200;
  for (int i = 0; i <= samples; ++i) {
    const double t = duration * i / samples;
    const ProjectionReport report = projection.assemble(t, y.data());
    if (!report.converged) {
      const int joint = coupled.joint_of_row(report.worst_row);
      return {{coupled.joints[joint].name, t, report.residual}};
    }
    dynamics.place(t, y.data());
    dynamics.keep_turns();
  }
  return {};
}

}  // namespace plumb
