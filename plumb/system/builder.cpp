#include "plumb/system/builder.h"

#include <fmt/format.h>

#include "plumb/model/parameters.h"

namespace plumb {
namespace {

void store(double* out, const Vec3& v) {
  for (int i = 0; i < 3; ++i) out[i] = v[i];
}

}  // namespace

End Builder::end(const std::string& body, const Source& source, const std::string& label, const char* key) {
  const int number = lookup_.index(body, source, label, key);
  End e;
  Vec3 place = Vec3::Zero();
  if (number >= 0) {
    e = system_.members[number].end;
    const double* const s = system_.anchors.data() + 3 * e.anchor;
    place = Vec3(s[0], s[1], s[2]);
  }
  e.anchor = static_cast<int>(system_.anchors.size() / 3);
  system_.anchors.insert(system_.anchors.end(), place.begin(), place.end());
  return e;
}

int Builder::number_of(const std::string& body) const { return lookup_.index(body, {}, {}, {}); }

Quaternion Builder::attitude(const End& e) const {
  if (e.kind != BodyKind::rigid || e.body == held_to_ground) return {};
  const double* q = system_.start.data() + e.q + 3;
  return {q[0], q[1], q[2], q[3]};
}

Vec3 Builder::centre(const End& e) const {
  if (e.body < 0) return Vec3::Zero();
  const double* const x = system_.start.data() + e.q;
  return {x[0], x[1], x[2]};
}

Vec3 Builder::to_local(const End& e, const Vec3& world) const { return attitude(e).matrix().transpose() * world; }

Vec3 Builder::start_direction(const End& e, const Vec3& local) const { return attitude(e).matrix() * local; }

Vec3 Builder::start_position(const End& e) const {
  const Vec3 s(system_.anchors[3 * e.anchor], system_.anchors[3 * e.anchor + 1], system_.anchors[3 * e.anchor + 2]);
  if (e.kind == BodyKind::ground) return s;
  return centre(e) + attitude(e).matrix() * s;
}

Expression Builder::time_expression(const Quantity& q, const Source& source, const std::string& label) const {
  if (q.is_number()) return Expression(q.value);
  const Source at{source.file, q.line > 0 ? q.line : source.line};
  const Expression e = parse_expression(q.expression, ParameterNames(system_.parameters, true), at, label);
  if (!std::isfinite(e.evaluate_in_time(0).value))
    throw InputError(at, label, fmt::format("'{}' is not a finite number at t = 0", q.expression));
  return e;
}

int Builder::add_driver(const Quantity& q, const Source& source, const std::string& label) {
  system_.drivers.push_back(time_expression(q, source, label));
  system_.driver_places.push_back({label, source});
  system_.is_driven = true;
  return static_cast<int>(system_.drivers.size()) - 1;
}

Vec3 Builder::point_at_start(const Point& p, const Source& source, const std::string& label) const {
  Vec3 x;
  for (int i = 0; i < 3; ++i) x[i] = time_expression(p[i], source, label).evaluate_in_time(0).value;
  return x;
}

void Builder::set_anchor(End& e, const Point& p, const Mat3& R, const Vec3& offset, const Source& source,
                         const std::string& label) {
  store(system_.anchors.data() + 3 * e.anchor, R * (point_at_start(p, source, label) - offset));
  bool moves = false;
  for (const Quantity& q : p) moves = moves || !time_expression(q, source, label).is_constant();
  if (!moves) return;
  e.motion = static_cast<int>(system_.moving_anchors.size());
  system_.moving_anchors.push_back({e.anchor, static_cast<int>(system_.drivers.size()), R, offset});
  for (const Quantity& q : p) add_driver(q, source, label);
}

void Builder::anchor_world(End& e, const Point& p, const Source& source, const std::string& label) {
  if (e.kind == BodyKind::ground) return set_anchor(e, p, Mat3::Identity(), Vec3::Zero(), source, label);
  const Vec3 here = centre(e);
  if (e.kind == BodyKind::rigid) return set_anchor(e, p, attitude(e).matrix().transpose(), here, source, label);
  const Vec3 there = point_at_start(p, source, label);
  if ((there - here).norm() > 1e-9 * (1 + there.norm()))
    throw InputError(
        source, label,
        fmt::format("'{}' is a point mass at ({:g}, {:g}, {:g}); it has no extent, so its anchor cannot lie "
                    "at ({:g}, {:g}, {:g})",
                    system_.bodies[e.body].name, here.x(), here.y(), here.z(), there.x(), there.y(), there.z()));
}

void Builder::anchor_local(End& e, const std::string& body, const Point& p, const Source& source,
                           const std::string& label) {
  if (e.kind == BodyKind::ground) return set_anchor(e, p, Mat3::Identity(), Vec3::Zero(), source, label);
  if (e.kind == BodyKind::rigid) {
    const SystemMember& m = member(body);
    return set_anchor(e, p, m.to_carrier(), origin_of(m), source, label);
  }
  if (!point_at_start(p, source, label).isZero(0))
    throw InputError(source, label,
                     fmt::format("'{}' is a point mass and has no extent; its only anchor is [0, 0, 0]", body));
}

// R (p - origin) is the place p of a member's own coordinates on what carries it.
Vec3 Builder::origin_of(const SystemMember& m) const {
  const double* const s = system_.anchors.data() + 3 * m.end.anchor;
  const Vec3 offset(s[0], s[1], s[2]);
  return offset.isZero(0) ? m.mass_center : Vec3(m.mass_center - m.axes.matrix() * offset);
}

JointBuilder::JointBuilder(const Model& model, const BodyLookup& lookup, System& system, int index)
    : Builder(model, lookup, system),
      joint(model.joints[index]),
      index_(index),
      label_(fmt::format("joint '{}'", joint.name)) {
  const Joint& j = joint;
  if (j.joints) return;
  from = end(j.from, j.source, label_, "from");
  to = end(j.to, j.source, label_, "to");
}

void JointBuilder::fail(const std::string& message) const { throw InputError(joint.source, label_, message); }

bool JointBuilder::anchor_one(End& e, const std::string& body, const std::optional<Point>& world,
                              const std::optional<Point>& local) {
  if (world) anchor_world(e, *world, joint.source, label_);
  if (local) anchor_local(e, body, *local, joint.source, label_);
  return world || local;
}

void JointBuilder::anchor_from() { anchor_one(from, joint.from, joint.from_point, joint.from_local); }
void JointBuilder::anchor_to() { anchor_one(to, joint.to, joint.to_point, joint.to_local); }

void JointBuilder::require_perpendicular() const {
  const double c = joint.axis->normalized().dot(joint.axis_to->normalized());
  if (std::abs(c) > 0.9)
    fail("axis and axis_to are (nearly) parallel; they are axes of the two bodies that stay perpendicular");
}

void JointBuilder::anchor_ends(Default otherwise) {
  const bool has_from = anchor_one(from, joint.from, joint.point ? joint.point : joint.from_point, joint.from_local);
  const bool has_to = anchor_one(to, joint.to, joint.point ? joint.point : joint.to_point, joint.to_local);
  if (has_from && has_to) return;
  if (otherwise == Default::mass_centres) {
    if (!has_from && from.kind == BodyKind::ground) fail("from is the ground: give from_point");
    if (!has_to && to.kind == BodyKind::ground) fail("to is the ground: give to_point");
    return;
  }
  const auto follow = [&](End& e, const End& other) {
    const Vec3 p = start_position(other);
    anchor_world(e, Point{p.x(), p.y(), p.z()}, joint.source, label_);
  };
  const bool anywhere = otherwise == Default::centre_of_to;
  if (has_from)
    follow(to, from);
  else if (has_to)
    follow(from, to);
  else if (to.kind == BodyKind::point || (anywhere && to.kind == BodyKind::rigid))
    follow(from, to);
  else if (from.kind == BodyKind::point || anywhere)
    follow(to, from);
  else
    fail("give point, the place of the joint in world coordinates at the start");
}

void JointBuilder::require_rigid_ends() const {
  for (const End* e : {&from, &to})
    if (e->kind == BodyKind::point)
      fail(fmt::format(
          "'{}' is a point mass and has no axes; a {} joint needs rigid bodies (give a shape or an inertia), "
          "or use rod, spherical or point-on-plane",
          e == &from ? joint.from : joint.to, joint.type));
}

bool JointBuilder::both_rotate() const { return from.kind != BodyKind::point && to.kind != BodyKind::point; }

// Rows are numbered within the joint; `compile` gives them their final places.
RowPlace JointBuilder::next_rows(int n) {
  RowPlace place;
  place.row = rows_;
  place.joint = index_;
  rows_ += n;
  ++parts_;
  return place;
}

void JointBuilder::coincident_points() {
  has_coincident_ = true;
  system_.parts.coincident_points.push_back({from, to, next_rows(3)});
}

void JointBuilder::distance(double start_length) {
  Distance d{from, to, next_rows(1), start_length, 0, -1};
  if (joint.length && !joint.length->is_number()) {
    d.driver = add_driver(*joint.length, joint.source, label_ + ": length");
    d.length = system_.drivers[d.driver].evaluate_in_time(0).value;
    if (!(d.length > 0)) fail(fmt::format("length is {:g} m at t = 0; it must be positive", d.length));
  }
  d.inverse_length = 1 / d.length;
  system_.parts.distances.push_back(d);
}

void JointBuilder::perpendicular(const Vec3& a_world, const Vec3& b_world) {
  PerpendicularAxis p{from, to, next_rows(1), {}, {}};
  store(p.a, to_local(from, a_world));
  store(p.b[0], to_local(to, b_world));
  system_.parts.perpendicular_axes.push_back(p);
}

void JointBuilder::parallel(const Vec3& axis_world) {
  ParallelAxis p{from, to, next_rows(2), {}, {}};
  const Complement across = complete_frame(axis_world);
  store(p.a, to_local(from, axis_world));
  store(p.b[0], to_local(to, across.first));
  store(p.b[1], to_local(to, across.second));
  system_.parts.parallel_axes.push_back(p);
}

void JointBuilder::point_in_plane(const Vec3& normal_world, int driver, bool velocity_only) {
  PointInPlane p{from, to, next_rows(1), {}, driver, velocity_only};
  velocity_rows_ += velocity_only;
  store(p.normal, to_local(from, normal_world));
  system_.parts.points_in_plane.push_back(p);
}

AngleMeasure JointBuilder::measure_angle(const Vec3& axis_world) {
  AngleMeasure m{from, to, {}, {}, {}};
  const Vec3 zero = complete_frame(axis_world).first;
  store(m.axis, to_local(from, axis_world));
  store(m.reference, to_local(from, zero));
  store(m.pointer, to_local(to, zero));
  return m;
}

void JointBuilder::driven_angle(const AngleMeasure& measure, int driver, bool velocity_only) {
  system_.parts.driven_angles.push_back({from, to, next_rows(1), measure, driver, velocity_only});
  velocity_rows_ += velocity_only;
}

void JointBuilder::finish() {
  SystemJoint& j = system_.joints[index_];
  j.rows = rows_;
  j.velocity_rows = velocity_rows_;
  j.coupler = coupler_;
  j.linear = has_coincident_ ? SystemJoint::Linear::coincident : SystemJoint::Linear::general;
  j.alone = parts_ == 1;  // as far as its own parts go
  j.from = from;
  j.to = to;
  if (!joint.joints) {
    j.from_member = number_of(joint.from);
    j.to_member = number_of(joint.to);
  }
  j.angle = angle;
  j.displacement = displacement;
}

ForceBuilder::ForceBuilder(const Model& model, const BodyLookup& lookup, System& system, const Force& f)
    : Builder(model, lookup, system), force(f), label_(fmt::format("force '{}'", f.name)) {}

void ForceBuilder::fail(const std::string& message) const { throw InputError(force.source, label_, message); }

End ForceBuilder::anchored_end(const std::string& body, const std::optional<Point>& world,
                               const std::optional<Point>& local, const char* key, bool anywhere) {
  End e = end(body, force.source, label_, key);
  if (anywhere) return e;  // the place does not matter
  if (world && local) fail(fmt::format("the anchor of '{}' is given twice, in world and in body coordinates", body));
  if (!world && !local && e.kind == BodyKind::ground) fail(fmt::format("{0} is the ground: give {0}_point", key));
  if (world) anchor_world(e, *world, force.source, label_);
  if (local) anchor_local(e, body, *local, force.source, label_);
  if (e.motion >= 0) fail("the anchor of a force cannot depend on t");
  return e;
}

namespace {

// Parameters, t and the channels of motion; each channel used gets the next slot.
class ForceNames : public Names {
 public:
  explicit ForceNames(System& system) : system_(system) {}

  std::optional<Meaning> find(std::string_view name) const override {
    if (name == "t") return Meaning{std::nullopt, time_slot};
    if (const auto p = system_.parameters.find(std::string(name)); p != system_.parameters.end())
      return Meaning{p->second};
    const auto channel = find_channel(system_, name);
    if (!channel || !channel->is_motion()) return std::nullopt;
    auto& used = system_.force_channels;
    for (std::size_t i = 0; i < used.size(); ++i)
      if (used[i].name == channel->name) return Meaning{std::nullopt, static_cast<int>(i) + 1};
    used.push_back(*channel);
    return Meaning{std::nullopt, static_cast<int>(used.size())};
  }

  std::vector<std::string> all() const override {
    std::vector<std::string> names = {"t"};
    for (const auto& [name, value] : system_.parameters) names.push_back(name);
    for (const Channel& c : all_channels(system_))
      if (c.is_motion()) names.push_back(c.name);
    return names;
  }

 private:
  System& system_;
};

}  // namespace

void ForceBuilder::add_applied(Applied::Kind kind, End at, const Point& components) {
  Applied a;
  a.kind = kind;
  a.at = at;
  a.body_axes = force.axes == "body";
  if (a.body_axes && at.kind == BodyKind::rigid) a.axes = member(force.on).to_carrier();
  a.name = force.name;
  a.label = label_;
  a.source = force.source;
  if (a.body_axes && at.kind == BodyKind::point) fail("a point mass has no axes of its own; use axes = \"world\"");
  for (int i = 0; i < 3; ++i) a.components[i] = motion_expression(components[i]);
  system_.applied.push_back(a);
}

Expression ForceBuilder::motion_expression(const Quantity& q) {
  const Source where{force.source.file, q.line > 0 ? q.line : force.source.line};
  return q.is_number() ? Expression(q.value) : parse_expression(q.expression, ForceNames(system_), where, label_);
}

TableCurve ForceBuilder::table_curve(const char* columns) {
  if (force.table->size() < 2) fail(fmt::format("table needs at least two points [{}]", columns));
  return TableCurve(*force.table);
}

}  // namespace plumb
