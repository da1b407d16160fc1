#include "plumb/system/pose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "plumb/system/dynamics.h"
#include "plumb/system/projection.h"

namespace plumb {
namespace {

constexpr double longest_move = 0.2;  // rad or m, of a coordinate from one assembly to the next

// Where the coordinate of a joint, or the distance of its ends, has to get.
struct Target {
  int joint;
  double from, to;
  double rate = 0;
  bool is_distance = false;
};

bool is_between_bodies(const Joint& j) { return !j.joints; }
bool is_one_sided(const Joint& j) { return j.type == "rope" || j.type == "distance"; }

// Joints that are the only way from one part of the mechanism to another.
std::vector<bool> bridges(const Model& model, const System& system) {
  const int n = static_cast<int>(model.bodies.size());
  struct Way {
    int to, joint;
  };
  std::vector<std::vector<Way>> ways(static_cast<std::size_t>(n) + 1);  // the last node is the ground
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    if (!is_between_bodies(model.joints[i]) || is_one_sided(model.joints[i])) continue;
    const auto node = [n](int member) { return member < 0 ? n : member; };
    const int a = node(system.joints[i].from_member), b = node(system.joints[i].to_member);
    ways[a].push_back({b, static_cast<int>(i)});
    ways[b].push_back({a, static_cast<int>(i)});
  }
  // Depth first: a joint is a bridge if nothing beyond it leads back to where it comes from.
  std::vector<bool> list(model.joints.size());
  std::vector<int> order(ways.size(), -1), lowest(ways.size());
  int next = 0;
  struct Visit {
    int node, by;
    std::size_t way = 0;
  };
  for (int root = n; root >= 0; --root) {
    if (order[root] >= 0) continue;
    std::vector<Visit> path = {{root, -1}};
    order[root] = lowest[root] = next++;
    while (!path.empty()) {
      Visit& at = path.back();
      if (at.way < ways[at.node].size()) {
        const Way w = ways[at.node][at.way++];
        if (w.joint == at.by) continue;
        if (order[w.to] >= 0) {
          lowest[at.node] = std::min(lowest[at.node], order[w.to]);
          continue;
        }
        order[w.to] = lowest[w.to] = next++;
        path.push_back({w.to, w.joint});
        continue;
      }
      const Visit done = at;
      path.pop_back();
      if (path.empty()) break;
      const int before = path.back().node;
      lowest[before] = std::min(lowest[before], lowest[done.node]);
      list[done.by] = lowest[done.node] > order[before];
    }
  }
  return list;
}

// The first body of each part of the mechanism that nothing holds to the ground.
std::vector<int> free_roots(const Model& model, const System& system) {
  const int n = static_cast<int>(model.bodies.size());
  std::vector<int> parent(static_cast<std::size_t>(n) + 1);
  std::iota(parent.begin(), parent.end(), 0);
  const std::function<int(int)> root = [&](int i) { return parent[i] == i ? i : parent[i] = root(parent[i]); };
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    if (!is_between_bodies(model.joints[i])) continue;
    const auto node = [n](int member) { return member < 0 ? n : member; };
    const int a = root(node(system.joints[i].from_member)), b = root(node(system.joints[i].to_member));
    parent[std::min(a, b)] = std::max(a, b);
  }
  std::vector<int> first;
  std::vector<char> seen(static_cast<std::size_t>(n) + 1);
  seen[root(n)] = 1;
  for (int i = 0; i < n; ++i)
    if (!std::exchange(seen[root(i)], 1)) first.push_back(i);
  return first;
}

Joint welded(const Joint& j) {
  Joint w{.name = j.name, .type = "fixed", .from = j.from, .to = j.to, .source = j.source};
  return w;
}

// The mechanism while it is moved from one pose to the other, from t = 0 to 1: joints with a target are driven, bridges
// without one do not move, loops follow. Joints that are coupled move if one of them has a target.
enum class Others { stay, move };  // joints without a target that close no loop
Model moving(const Model& model, const System& system, const std::vector<Target>& targets, Others others) {
  Model m = model;
  m.forces.clear();
  m.contacts.clear();
  m.events.clear();
  m.simulation.fix_start = false;
  const std::vector<bool> is_bridge = bridges(model, system);
  const auto has_target = [&](std::size_t i) {
    return std::ranges::count(targets, static_cast<int>(i), &Target::joint) > 0;
  };
  std::vector<bool> is_coupled(m.joints.size()), follows(m.joints.size());
  for (const Joint& c : model.joints) {
    if (!c.joints) continue;
    std::vector<std::size_t> members;
    for (const std::string& name : *c.joints)
      members.push_back(
          static_cast<std::size_t>(std::ranges::find(model.joints, name, &Joint::name) - model.joints.begin()));
    const bool any = std::ranges::any_of(members, has_target);
    for (std::size_t i : members) {
      is_coupled[i] = true;
      follows[i] = follows[i] || any;
    }
  }
  for (std::size_t i = 0; i < m.joints.size(); ++i) {
    Joint& j = m.joints[i];
    j.start.reset();
    j.start_rate.reset();
    if (!is_one_sided(j)) j.limits.reset();
    if (!is_one_sided(j) || has_target(i)) j.restitution.reset();
    if (!is_between_bodies(j) || is_one_sided(j) || has_target(i) || others == Others::move || !is_bridge[i]) continue;
    if (!is_coupled[i]) {
      j = welded(j);
    } else if (!follows[i]) {
      (j.type == "prismatic" ? j.displacement : j.angle) = Quantity(0.0);
    }
  }
  for (const Target& t : targets) {
    Joint& j = m.joints[t.joint];
    const Quantity way(fmt::format("{:.17g} + {:.17g}*t + {:.17g}*(t - 1)", t.from, t.to - t.from, t.rate));
    if (t.is_distance) {
      j.type = "rod";
      j.limits.reset();
      j.length = way;
    } else {
      (j.type == "prismatic" ? j.displacement : j.angle) = way;
    }
  }
  if (others == Others::stay)
    for (int root : free_roots(model, system)) {
      const std::string& body = model.bodies[root].name;
      m.joints.push_back({.name = "hold-" + body, .type = "fixed", .from = std::string(ground_name), .to = body});
    }
  return m;
}

// Everything else that is driven stays where it is.
void hold_other_drives(const std::vector<Target>& targets, System& system) {
  std::vector<bool> moves(system.drivers.size());
  const auto is_target = [&](int joint) { return std::ranges::count(targets, joint, &Target::joint) > 0; };
  const auto note = [&](const auto& parts) {
    for (const auto& p : parts)
      if (p.driver >= 0 && is_target(p.place.joint)) moves[p.driver] = true;
  };
  note(system.parts.driven_angles);
  note(system.parts.points_in_plane);
  note(system.parts.distances);
  for (std::size_t i = 0; i < moves.size(); ++i)
    if (!moves[i]) system.drivers[i] = Expression(system.drivers[i].evaluate_in_time(0).value);
}

[[noreturn]] void refuse(const Model& model, const Target& t, double reached) {
  const Joint& j = model.joints[t.joint];
  throw InputError(
      j.source, fmt::format("joint '{}'", j.name),
      fmt::format("it cannot start at {:.6g}: the other joints let it get to {:.6g} at most", t.to, reached));
}

void move_to(const Model& model, const std::vector<Target>& targets, System& system) {
  const auto is_given = [](const Body& b) { return b.velocity || b.angular_velocity || b.angular_velocity_body; };
  const bool has_rates = std::ranges::any_of(targets, [](const Target& t) { return t.rate != 0; });
  double farthest = 0;
  for (const Target& t : targets) farthest = std::max(farthest, std::abs(t.to - t.from));
  std::vector<Target> at_rest = targets;
  for (Target& t : at_rest) t.rate = 0;
  System way = compile(moving(model, system, at_rest, Others::stay));
  hold_other_drives(targets, way);
  Dynamics dynamics(way), watching(system);
  Projection projection(dynamics);
  std::vector<double> y = way.start;
  const int q = system.nq, steps = std::max(1, static_cast<int>(std::ceil(farthest / longest_move)));
  std::copy_n(system.start.begin(), q, y.begin());
  for (int k = 1; k <= steps; ++k) {
    const double t = static_cast<double>(k) / steps;
    const ProjectionReport report = projection.assemble(t, y.data());
    if (!report.converged) {
      const auto worst =
          std::ranges::max_element(targets, {}, [](const Target& target) { return std::abs(target.to - target.from); });
      refuse(model, *worst, worst->from + (worst->to - worst->from) * (k - 1) / steps);
    }
    std::copy_n(y.begin(), q, system.start.begin());
    watching.place(0, system.start.data());
    watching.keep_turns();
    dynamics.keep_turns();
  }
  system.start_turns = watching.turns();
  system.curve_parameters = watching.curve_parameters();
  if (!has_rates) return;
  // Rates as given; all other joints stand still on what carries them, unless bodies have velocities of their own.
  const Others others = std::ranges::any_of(model.bodies, is_given) ? Others::move : Others::stay;
  std::vector<Target> there = targets;
  for (Target& t : there) t.from = t.to;
  System moved = compile(moving(model, system, there, others));
  hold_other_drives(targets, moved);
  Dynamics rates(moved);
  Projection onto(rates);
  std::copy_n(system.start.begin(), system.nq + system.nv, y.begin());
  rates.place(1, y.data());
  rates.linearise();
  rates.factor();
  onto.project_velocity(y.data());
  std::copy_n(y.begin() + q, system.nv, system.start.begin() + q);
  for (SystemBody& b : system.bodies) b.velocity_given = b.angular_velocity_given = true;
}

std::vector<Target> given_targets(const Model& model) {
  std::vector<Target> list;
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const Joint& j = model.joints[i];
    if (j.start || j.start_rate)
      list.push_back({static_cast<int>(i), 0, j.start.value_or(0), j.start_rate.value_or(0)});
  }
  return list;
}

// Coordinates beyond their limits go to the nearest.
bool add_broken_limits(System& system, std::vector<Target>& targets) {
  const std::vector<BrokenLimit> broken = broken_limits(system, system.start.data());
  for (const auto& [number, value] : broken) {
    const SystemLimit& l = system.limits[number];
    system.start_notes.push_back(fmt::format("start: joint '{}' begins at its limit {:.6g}, not at {:.6g}",
                                             system.joints[l.joint].name, l.value,
                                             std::abs(value) > 1e-12 ? value : 0.0));
    const auto known = std::ranges::find(targets, l.joint, &Target::joint);
    if (known != targets.end())
      known->to = l.value;
    else
      targets.push_back({l.joint, l.is_distance() ? value : 0, l.value, 0, l.is_distance()});
  }
  return !broken.empty();
}

void assemble(System& system) {
  Dynamics dynamics(system);
  std::vector<double> y = system.start;
  y.resize(static_cast<std::size_t>(system.size()));
  if (Projection(dynamics).assemble(0, y.data()).converged) std::copy_n(y.begin(), system.nq, system.start.begin());
}

}  // namespace

void pose_start(const Model& model, System& system) {
  std::vector<Target> targets = given_targets(model);
  const std::vector<double> as_written = system.start;
  const std::vector<double> curves = system.curve_parameters;
  if (!targets.empty()) move_to(model, targets, system);
  if (!model.simulation.fix_start || system.limits.empty()) return;
  assemble(system);
  for (std::size_t round = 0; round < system.limits.size() && add_broken_limits(system, targets); ++round) {
    system.start = as_written;
    system.start_turns.clear();
    system.curve_parameters = curves;
    move_to(model, targets, system);
  }
}

std::vector<BrokenLimit> broken_limits(const System& system, const double* y) {
  constexpr double rounding = 1e-9;
  std::vector<BrokenLimit> list;
  Dynamics dynamics(system);
  dynamics.place(0, y);
  for (std::size_t i = 0; i < system.limits.size(); ++i) {
    const SystemLimit& l = system.limits[i];
    const SystemJoint& j = system.joints[l.joint];
    double d[3], value = 0;
    if (l.is_distance()) {
      span(dynamics.placement(), j.from, j.to, d);
      value = std::sqrt(kernel::dot(d, d));
    } else if (l.is_angle()) {
      value = dynamics.joint_angle(j.angle);
    } else {
      value = system.displacements[j.displacement].value(dynamics.placement());
    }
    const double beyond = l.is_least() ? l.value - value : value - l.value;
    if (beyond > rounding * (1 + std::abs(l.value))) list.push_back({static_cast<int>(i), value});
  }
  return list;
}

}  // namespace plumb
