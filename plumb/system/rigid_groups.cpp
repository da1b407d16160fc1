// Bodies that fixed joints hold together, or to the ground, move as one. Integrated one by one a light body on a heavy
// one would be held by forces that its own inertia, however small, has to answer to the last digit.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "plumb/solver/largest.h"
#include "plumb/system/builder.h"
#include "plumb/system/dynamics.h"

namespace plumb {
namespace {

// Fixed joints whose ends stand still on bodies that rotate, or on the ground, and fit at the start.
std::vector<bool> welds(const System& system) {
  std::vector<bool> list(system.joints.size());
  std::vector<double> g(static_cast<std::size_t>(system.rows));
  Dynamics dynamics(system);
  dynamics.place(0, system.start.data());
  dynamics.residual(g.data());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const SystemJoint& j = system.joints[i];
    const auto is_firm = [](const End& e) { return e.kind != BodyKind::point && e.motion < 0; };
    list[i] =
        j.type == "fixed" && is_firm(j.from) && is_firm(j.to) && largest_magnitude(g.data() + j.row, j.rows) <= 1e-12;
  }
  return list;
}

// A body with the mass of several, in the coordinates of the first.
MassProperties together(const Model& model, const std::vector<MassProperties>& mass, const std::vector<int>& members) {
  if (members.size() == 1) return mass[members[0]];
  const Body& first = model.bodies[members[0]];
  const Mat3 back = first.rotation.normalized().matrix().transpose();
  MassProperties all;
  Vec3 moment = Vec3::Zero();
  for (int m : members) {
    all.mass += mass[m].mass;
    moment += mass[m].mass * (model.bodies[m].position - first.position);
  }
  const Vec3 centre = moment / all.mass;  // from that of the first
  all.center = mass[members[0]].center + back * centre;
  Mat3 I = Mat3::Zero();
  for (int m : members) {
    const Mat3 R = back * model.bodies[m].rotation.normalized().matrix();
    const Vec3 d = back * (model.bodies[m].position - first.position - centre);
    I += R * mass[m].inertia->matrix() * R.transpose() +
         mass[m].mass * (d.dot(d) * Mat3::Identity() - d * d.transpose());
  }
  all.inertia = Inertia{I.diagonal(), Vec3(I(0, 1), I(0, 2), I(1, 2))};
  return all;
}

Quaternion attitude(const double* q) { return {q[0], q[1], q[2], q[3]}; }

void store(const Quaternion& from, double* q) {
  q[0] = from.w;
  q[1] = from.x;
  q[2] = from.y;
  q[3] = from.z;
}

Vec3 vec(const double* x) { return {x[0], x[1], x[2]}; }

}  // namespace

RigidGroups find_rigid_groups(const Model& model, const System& system) {
  const int n = static_cast<int>(model.bodies.size()), ground = n;
  std::vector<int> parent(static_cast<std::size_t>(n) + 1);
  std::iota(parent.begin(), parent.end(), 0);
  const std::function<int(int)> root = [&](int i) { return parent[i] == i ? i : parent[i] = root(parent[i]); };
  const auto node = [&](int member) { return member < 0 ? ground : member; };
  const std::vector<bool> is_weld = welds(system);
  std::vector<bool> stays(static_cast<std::size_t>(n) + 1, true);
  std::vector<int> within;  // bodies that a joint would hold to their own group
  for (std::size_t i = 0; i < is_weld.size(); ++i) {
    if (!is_weld[i]) continue;
    const int a = root(node(system.joints[i].from_member)), b = root(node(system.joints[i].to_member));
    if (a == b)
      within.push_back(a);
    else
      parent[std::min(a, b)] = parent[std::max(a, b)] = a == ground || b == ground ? ground : std::min(a, b);
  }
  for (std::size_t i = 0; i < is_weld.size(); ++i) {
    const SystemJoint& j = system.joints[i];
    if (is_weld[i] || j.coupler >= 0 || root(node(j.from_member)) != root(node(j.to_member))) continue;
    within.push_back(node(j.to_member));
  }
  for (int member : within) stays[root(member)] = false;
  RigidGroups groups(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) groups[i] = !stays[root(i)] ? i : root(i) == ground ? -1 : root(i);
  return groups;
}

void add_groups(const Model& model, const RigidGroups& groups, System& system) {
  const int n = static_cast<int>(model.bodies.size());
  std::vector<std::vector<int>> members(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i)
    if (groups[i] >= 0) members[groups[i]].push_back(i);
  std::vector<MassProperties> masses;
  for (const Body& b : model.bodies) masses.push_back(mass_properties(b));
  std::vector<int> body_of(static_cast<std::size_t>(n), -1);
  for (int i = 0; i < n; ++i) {
    if (groups[i] != i) continue;
    body_of[i] = static_cast<int>(system.bodies.size());
    system.bodies.push_back(make_body(model.bodies[i], together(model, masses, members[i])));
  }
  lay_out(system);
  system.start.assign(system.nq + system.nv, 0.0);
  for (int i = 0; i < n; ++i) {
    if (groups[i] != i) continue;
    const SystemBody& b = system.bodies[body_of[i]];
    const Body& first = model.bodies[i];
    const Vec3 moved = b.mass_center - masses[i].center;
    set_start(system, b, first,
              moved.isZero(0) ? first.position : Vec3(first.position + first.rotation.normalized().matrix() * moved));
  }
  for (int i = 0; i < n; ++i) {
    const Body& given = model.bodies[i];
    const MassProperties& mass = masses[i];
    SystemMember m{given.name, mass.inertia ? BodyKind::rigid : BodyKind::point, {}, {}, mass.center};
    m.end.anchor = i;
    Vec3 offset = given.position;
    if (groups[i] < 0) {
      m.end.kind = BodyKind::rigid;
      m.end.body = Builder::held_to_ground;
      m.axes = given.rotation.normalized().conjugate();
      system.potential_on_ground -= mass.mass * system.gravity.dot(given.position);
    } else {
      const int body = body_of[groups[i]];
      const SystemBody& b = system.bodies[body];
      const double* const q = system.start.data() + b.q;
      m.end = {b.kind, body, b.q, b.v, b.frame, i};
      const bool is_alone = members[groups[i]].size() == 1;
      offset = is_alone ? Vec3(Vec3::Zero()) : Vec3(attitude(q + 3).matrix().transpose() * (given.position - vec(q)));
      m.axes = is_alone ? b.axes : given.rotation.normalized().conjugate() * attitude(q + 3);
    }
    system.members.push_back(m);
    system.anchors.insert(system.anchors.end(), offset.begin(), offset.end());
  }
}

bool JointBuilder::is_within_group(const RigidGroups& groups) const {
  if (groups.empty()) return false;
  const auto group = [&](const std::string& body) {
    const int number = number_of(body);
    return number < 0 ? -1 : groups[number];
  };
  return group(joint.from) == group(joint.to);
}

namespace {

// The frame of what is held to the ground is the world's: only the kind of its ends changes.
void hold(End& e) {
  if (e.body != Builder::held_to_ground) return;
  e.kind = BodyKind::ground;
  e.body = -1;
}

}  // namespace

void hold_members_to_ground(System& system) {
  for (SystemMember& m : system.members) hold(m.end);
}

void hold_elements_to_ground(System& system) {
  const auto hold_both = [&](auto& x) {
    hold(x.from);
    hold(x.to);
  };
  for (SystemJoint& j : system.joints) hold_both(j);
  for (AngleMeasure& m : system.angles) hold_both(m);
  for (DisplacementMeasure& m : system.displacements) hold_both(m);
  system.parts.for_each_kind([&](auto& parts) {
    for (auto& p : parts) {
      hold_both(p);
      if constexpr (requires { p.measure.from; }) hold_both(p.measure);
      if constexpr (requires { p.angle.from; }) hold_both(p.angle);
    }
  });
  for (Coupler& c : system.parts.couplers)
    for (CouplerTerm& t : c.terms) {
      hold_both(t.angle);
      hold_both(t.slide);
    }
  for (Spring& s : system.springs) hold_both(s);
  for (Bushing& b : system.bushings) hold_both(b);
  for (Applied& a : system.applied) hold(a.at);
  for (Drag& d : system.drags) hold(d.at);
  for (Actuator& a : system.actuators) {
    hold_both(a.angle);
    hold_both(a.slide);
  }
}

void expand(const System& written, const System& merged, const double* y, double* out) {
  for (std::size_t i = 0; i < merged.members.size(); ++i) {
    const SystemMember& m = merged.members[i];
    const SystemBody& b = written.bodies[i];
    const Vec3 s = vec(merged.anchors.data() + 3 * m.end.anchor);
    double *const q = out + b.q, *const v = out + written.nq + b.v;
    if (m.end.kind == BodyKind::ground) {
      std::copy_n(s.data(), 3, q);
      store(m.axes.conjugate() * b.axes, q + 3);
      std::fill_n(v, 6, 0.0);
      continue;
    }
    const double *const carrier = y + m.end.q, *const rate = y + merged.nq + m.end.v;
    std::copy_n(carrier, b.kind == BodyKind::rigid ? 7 : 3, q);
    std::copy_n(rate, b.kind == BodyKind::rigid ? 6 : 3, v);
    if (b.kind != BodyKind::rigid || (s.isZero(0) && m.axes == b.axes)) continue;
    const Mat3 R = attitude(carrier + 3).matrix();
    const Vec3 spin = vec(rate + 3), x = vec(carrier) + R * s, u = vec(rate) + R * spin.cross(s);
    const Quaternion own = attitude(carrier + 3) * m.axes.conjugate() * b.axes;
    const Vec3 w = own.matrix().transpose() * (R * spin);
    std::copy_n(x.data(), 3, q);
    store(own, q + 3);
    std::copy_n(u.data(), 3, v);
    std::copy_n(w.data(), 3, v + 3);
  }
  std::copy_n(y + merged.nq + merged.nv, merged.nw, out + written.nq + written.nv);
}

std::vector<double> gather(const System& written, const System& merged, const std::vector<double>& y) {
  std::vector<double> out(static_cast<std::size_t>(merged.size()));
  for (std::size_t i = merged.members.size(); i-- > 0;) {  // the first of each group comes last
    const SystemMember& m = merged.members[i];
    if (m.end.kind == BodyKind::ground) continue;
    const SystemBody& b = written.bodies[i];
    const double *const q = y.data() + b.q, *const v = y.data() + written.nq + b.v;
    double *const carrier = out.data() + m.end.q, *const rate = out.data() + merged.nq + m.end.v;
    std::copy_n(q, b.kind == BodyKind::rigid ? 7 : 3, carrier);
    std::copy_n(v, b.kind == BodyKind::rigid ? 6 : 3, rate);
    const Vec3 s = vec(merged.anchors.data() + 3 * m.end.anchor);
    if (b.kind != BodyKind::rigid || (s.isZero(0) && m.axes == b.axes)) continue;
    const Quaternion whole = attitude(q + 3) * b.axes.conjugate() * m.axes;
    const Mat3 R = whole.matrix();
    const Vec3 spin = R.transpose() * (attitude(q + 3).matrix() * vec(v + 3));
    const Vec3 x = vec(q) - R * s, u = vec(v) - R * spin.cross(s);
    std::copy_n(x.data(), 3, carrier);
    store(whole, carrier + 3);
    std::copy_n(u.data(), 3, rate);
    std::copy_n(spin.data(), 3, rate + 3);
  }
  return out;
}

}  // namespace plumb
