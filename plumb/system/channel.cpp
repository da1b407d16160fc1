#include "plumb/system/channel.h"

#include <array>

#include "plumb/system/system.h"

namespace plumb {
namespace {

using Kind = Channel::Kind;
using Names = std::vector<std::string>;

struct Family {
  Kind kind;
  Names components;
};

const std::array<std::string, 3> axes = {"x", "y", "z"};

Names prefixed(const std::string& prefix) { return {prefix + axes[0], prefix + axes[1], prefix + axes[2]}; }

std::vector<Family> families_of(const SystemMember& b) {
  std::vector<Family> f = {{Kind::position, prefixed("")}, {Kind::velocity, prefixed("v")}};
  if (b.kind == BodyKind::rigid) {
    f.push_back({Kind::attitude, {"qw", "qx", "qy", "qz"}});
    f.push_back({Kind::angular_velocity, prefixed("w")});
  }
  return f;
}

std::vector<Family> measures_of(const SystemJoint& j) {
  std::vector<Family> f;
  if (j.angle >= 0) f = {{Kind::joint_angle, {"angle"}}, {Kind::joint_rate, {"rate"}}};
  if (j.displacement < 0) return f;
  f.push_back({Kind::displacement, {"displacement"}});
  f.push_back({Kind::slide_rate, {j.angle >= 0 ? "speed" : "rate"}});
  return f;
}

std::vector<Family> contact_families() { return {{Kind::contact_force, prefixed("f")}, {Kind::contact_gap, {"gap"}}}; }

std::vector<Family> reactions() {
  return {{Kind::reaction_force, prefixed("f")}, {Kind::reaction_moment, prefixed("t")}};
}

// Families that belong to the whole system.
const std::vector<std::pair<std::string, Family>>& global_families() {
  static const std::vector<std::pair<std::string, Family>> families = {
      {"energy", {Kind::energy, {"kinetic", "potential", "total", "work", "dissipated", "drift"}}},
      {"violation", {Kind::violation, {"position", "velocity", "acceleration"}}},
      {"momentum", {Kind::momentum, prefixed("")}},
      {"angular_momentum", {Kind::angular_momentum, prefixed("")}}};
  return families;
}

template <class Take>
bool expand(const std::string& owner, const std::vector<Family>& families, int index, const Take& take) {
  for (const Family& f : families)
    for (std::size_t c = 0; c < f.components.size(); ++c)
      if (take(Channel{f.kind, index, static_cast<int>(c), owner + "." + f.components[c]})) return true;
  return false;
}

// Calls take(channel) for the channels whose owner passes `wanted`, until take says it has enough.
template <class Wanted, class Take>
void visit(const System& system, const Wanted& wanted, const Take& take) {
  for (std::size_t i = 0; i < system.members.size(); ++i)
    if (wanted(system.members[i].name) &&
        expand(system.members[i].name, families_of(system.members[i]), static_cast<int>(i), take))
      return;
  for (const auto& [owner, family] : global_families())
    if (wanted(owner) && expand(owner, {family}, 0, take)) return;
  for (std::size_t i = 0; i < system.joints.size(); ++i) {
    const SystemJoint& j = system.joints[i];
    if (!wanted(j.name)) continue;
    if (expand(j.name, reactions(), static_cast<int>(i), take)) return;
    if (expand(j.name, measures_of(j), static_cast<int>(i), take)) return;
  }
  for (std::size_t i = 0; i < system.contacts.size(); ++i)
    if (wanted(system.contacts[i]) && expand(system.contacts[i], contact_families(), static_cast<int>(i), take)) return;
}

}  // namespace

std::string unit(const Channel& channel) {
  switch (channel.kind) {
    case Kind::time: return "s";
    case Kind::position:
    case Kind::displacement:
    case Kind::contact_gap: return "m";
    case Kind::velocity:
    case Kind::slide_rate: return "m/s";
    case Kind::attitude:
    case Kind::quantity: return "";
    case Kind::angular_velocity:
    case Kind::joint_rate: return "rad/s";
    case Kind::joint_angle: return "rad";
    case Kind::energy: return "J";
    case Kind::violation: return std::array{"m, rad", "m/s, rad/s", "m/s², rad/s²"}[channel.component];
    case Kind::reaction_force:
    case Kind::contact_force: return "N";
    case Kind::reaction_moment: return "N m";
    case Kind::momentum: return "kg m/s";
    case Kind::angular_momentum: return "kg m²/s";
  }
  return "";
}

std::vector<Channel> all_channels(const System& system) {
  std::vector<Channel> channels = {Channel{Kind::time, 0, 0, "t"}};
  visit(
      system, [](const std::string&) { return true; },
      [&](Channel c) {
        channels.push_back(std::move(c));
        return false;
      });
  return channels;
}

Channel rate_of(const Channel& c) {
  Channel r = c;
  r.kind = c.kind == Kind::position      ? Kind::velocity
           : c.kind == Kind::joint_angle ? Kind::joint_rate
                                         : Kind::slide_rate;
  return r;
}

std::optional<Channel> find_channel(const System& system, std::string_view name) {
  if (name == "t") return Channel{Kind::time, 0, 0, "t"};
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view owner = name.substr(0, dot);
  std::optional<Channel> found;
  visit(
      system, [&](const std::string& n) { return n == owner; },
      [&](Channel c) {
        if (c.name == name) found = std::move(c);
        return found.has_value();
      });
  return found;
}

}  // namespace plumb
