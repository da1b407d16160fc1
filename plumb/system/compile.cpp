// Model -> System: lays out the coordinates, then lets every joint and force build its elements.
#include <fmt/format.h>

#include <numeric>

#include "plumb/model/check.h"
#include "plumb/model/element_types.h"
#include "plumb/system/builder.h"
#include "plumb/system/pose.h"
#include "plumb/system/system.h"

namespace plumb {
SystemBody make_body(const Body& b, const MassProperties& mass) {
  SystemBody s;
  s.name = b.name;
  s.mass = mass.mass;
  s.mass_center = mass.center;
  s.source = b.source;
  s.velocity_given = b.velocity.has_value();
  s.angular_velocity_given = b.angular_velocity || b.angular_velocity_body;
  if (!mass.inertia) return s;
  s.kind = BodyKind::rigid;
  const PrincipalInertia p = principal(*mass.inertia);
  s.moments = p.moments;
  s.axes = p.axes;
  return s;
}

// Points first, then rigid bodies.
void lay_out(System& system) {
  for (SystemBody& b : system.bodies)
    if (b.kind == BodyKind::point) {
      b.q = system.nq, b.v = system.nv;
      system.nq += 3, system.nv += 3;
      ++system.points;
    }
  for (SystemBody& b : system.bodies)
    if (b.kind == BodyKind::rigid) {
      b.q = system.nq, b.v = system.nv, b.frame = system.rigids;
      system.nq += 7, system.nv += 6;
      ++system.rigids;
    }
}

// `center`: where the mass centre is.
void set_start(System& system, const SystemBody& b, const Body& given, const Vec3& center) {
  double* const q = system.start.data() + b.q;
  double* const v = system.start.data() + system.nq + b.v;
  const Vec3 velocity = given.velocity.value_or(Vec3::Zero());
  for (int k = 0; k < 3; ++k) q[k] = center[k], v[k] = velocity[k];
  if (b.kind != BodyKind::rigid) return;
  const Quaternion q_WB = given.rotation.normalized();
  const Quaternion q_WP = q_WB * b.axes;
  q[3] = q_WP.w, q[4] = q_WP.x, q[5] = q_WP.y, q[6] = q_WP.z;
  Vec3 omega = Vec3::Zero();
  if (given.angular_velocity) omega = q_WP.matrix().transpose() * *given.angular_velocity;
  if (given.angular_velocity_body) omega = b.axes.matrix().transpose() * *given.angular_velocity_body;
  for (int k = 0; k < 3; ++k) v[3 + k] = omega[k];
}

namespace {

using JointBuild = void (*)(JointBuilder&);
using ForceBuild = void (*)(ForceBuilder&);

JointBuild joint_build(std::string_view type) {
#define PLUMB_JOINT(name, builder, required, optional) \
  if (type == name) return build_##builder;
#include "plumb/model/joint_types.def"
#undef PLUMB_JOINT
  return nullptr;
}

ForceBuild force_build(std::string_view type) {
#define PLUMB_FORCE(name, builder, required, optional) \
  if (type == name) return build_##builder;
#include "plumb/model/force_types.def"
#undef PLUMB_FORCE
  return nullptr;
}

bool exchanges_energy(const System& s) {
  const auto damped = [](const auto& list) {
    for (const auto& e : list)
      if (e.damping > 0) return true;
    return false;
  };
  bool damped_bushing = false;
  for (const Bushing& b : s.bushings) damped_bushing = damped_bushing || !b.damping.isZero(0);
  return s.is_driven || !s.contacts.empty() || !s.frictions.empty() || !s.applied.empty() || !s.actuators.empty() ||
         !s.drags.empty() || damped_bushing || damped(s.springs) || damped(s.torsions);
}

// A joint of one part stands alone if nothing else constrains its bodies.
void find_lone_joints(System& system) {
  std::vector<int> holds(system.bodies.size());
  for (const SystemJoint& j : system.joints)
    for (const Attachment& a : system.attachments(j)) ++holds[a.body];
  for (SystemJoint& j : system.joints)
    for (const End* e : {&j.from, &j.to}) j.alone = j.rows == 0 || (j.alone && (e->body < 0 || holds[e->body] == 1));
}

// Rows of coupled joints first, then those of joints that stand alone; each in the order of the model.
void place_rows(System& system) {
  std::vector<int> old_row;
  for (const SystemJoint& j : system.joints) old_row.push_back(j.row);
  system.rows = 0;
  for (const bool alone : {false, true}) {
    for (SystemJoint& j : system.joints)
      if (j.alone == alone) {
        j.row = system.rows;
        system.rows += j.rows;
      }
    if (!alone) system.coupled_rows = system.rows;
  }
  const auto settle = [&](auto& parts) {
    for (auto& part : parts) {
      RowPlace& p = part.place;
      const SystemJoint& j = system.joints[p.joint];
      const int local = p.row - old_row[p.joint];
      p = {j.row + local, j.linear_block() + 3 * local, j.from_block() + 3 * local, j.to_block() + 3 * local, p.joint};
    }
  };
  system.parts.for_each_kind(settle);
  system.coupler_blocks = 0;
  for (Coupler& c : system.parts.couplers) {
    c.row = system.joints[c.joint].row;
    c.linear = 3 * system.rows + 3 * system.coupler_blocks;
    c.angular = 6 * system.rows + 3 * system.coupler_blocks;
    system.coupler_blocks += static_cast<int>(c.bodies.size());
  }
}

}  // namespace

std::vector<Attachment> System::attachments(const SystemJoint& j) const {
  std::vector<Attachment> list;
  if (j.rows == 0) return list;
  if (j.coupler >= 0) {
    const Coupler& c = parts.couplers[j.coupler];
    for (std::size_t k = 0; k < c.bodies.size(); ++k) {
      const int at = 3 * static_cast<int>(k);
      list.push_back({c.bodies[k].body, c.bodies[k].kind, 1, c.linear + at, c.angular + at});
    }
    return list;
  }
  if (j.from.body >= 0) list.push_back({j.from.body, j.from.kind, -1, j.linear_block(), j.from_block()});
  if (j.to.body >= 0) list.push_back({j.to.body, j.to.kind, 1, j.linear_block(), j.to_block()});
  return list;
}

std::vector<int> System::velocity_rows() const {
  std::vector<int> list;
  for (const Rolling& p : parts.rollings) list.push_back(p.place.row + 1), list.push_back(p.place.row + 2);
  for (const DrivenAngle& p : parts.driven_angles)
    if (p.velocity_only) list.push_back(p.place.row);
  for (const PointInPlane& p : parts.points_in_plane)
    if (p.velocity_only) list.push_back(p.place.row);
  return list;
}

int System::joint_of_row(int row) const {
  for (std::size_t j = 0; j < joints.size(); ++j)
    if (row >= joints[j].row && row < joints[j].row + joints[j].rows) return static_cast<int>(j);
  return -1;
}

namespace {

System with_title(const Model& model) {
  System system;
  system.title = model.title;
  system.gravity = model.gravity;
  system.parameters = model.parameters;
  return system;
}

// Joints, forces and contacts, once the bodies are there.
void add_elements(const Model& model, const RigidGroups& groups, System& system) {
  const BodyLookup lookup(model);
  for (const Joint& j : model.joints) {
    SystemJoint& s = system.joints.emplace_back();
    s.name = j.name, s.type = j.type, s.source = j.source;
  }
  // Joints that couple others come after them.
  for (const bool couples : {false, true})
    for (std::size_t i = 0; i < model.joints.size(); ++i) {
      if (model.joints[i].joints.has_value() != couples) continue;
      JointBuilder builder(model, lookup, system, static_cast<int>(i));
      const bool is_rigid = !couples && builder.is_within_group(groups);
      if (!is_rigid) joint_build(model.joints[i].type)(builder);
      builder.finish();
      if (is_rigid) system.joints[i].is_inner = true;
    }
  hold_elements_to_ground(system);
  check_gear_loops(system);
  resolve_rate_drivers(system);
  find_lone_joints(system);
  place_rows(system);
  for (const Force& f : model.forces) {
    ForceBuilder builder(model, lookup, system, f);
    force_build(f.type)(builder);
  }
  hold_elements_to_ground(system);
  hold_members_to_ground(system);
  for (const Contact& c : model.contacts) system.contacts.push_back(c.name);
  for (const SystemLimit& l : system.limits) {
    using Kind = SystemLimit::Kind;
    const SystemJoint& j = system.joints[l.joint];
    system.contacts.push_back(j.name + (l.is_least() ? "-least" : l.kind == Kind::rope ? "-taut" : "-largest"));
  }
  system.nw = exchanges_energy(system) ? 2 : 0;
  system.start.resize(system.size(), 0.0);
}

}  // namespace

System compile(const Model& model) {
  check(model);
  RigidGroups alone(model.bodies.size());
  std::iota(alone.begin(), alone.end(), 0);
  System system = compile(model, alone);
  pose_start(model, system);
  return system;
}

System compile(const Model& model, const RigidGroups& groups) {
  if (model.equations)
    throw InputError(model.equations->source, "equations",
                     "this is for mechanisms, of bodies and joints; a model given as equations can be run, checked, "
                     "plotted and derived");
  System system = with_title(model);
  add_groups(model, groups, system);
  add_elements(model, groups, system);
  return system;
}

System couple_all_joints(System system) {
  for (SystemJoint& j : system.joints) j.alone = j.rows == 0;
  place_rows(system);
  return system;
}

}  // namespace plumb
