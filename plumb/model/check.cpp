#include "plumb/model/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

#include "plumb/expression/nearest_name.h"
#include "plumb/model/element_types.h"
#include "plumb/spatial/polyhedron.h"

namespace plumb {
namespace {

using Presence = std::vector<std::pair<std::string, bool>>;

Presence keys_given(const Joint& j) {
  return {{"from", !j.from.empty()},
          {"to", !j.to.empty()},
          {"point", j.point.has_value()},
          {"from_point", j.from_point.has_value()},
          {"to_point", j.to_point.has_value()},
          {"from_local", j.from_local.has_value()},
          {"to_local", j.to_local.has_value()},
          {"axis", j.axis.has_value()},
          {"normal", j.normal.has_value()},
          {"length", j.length.has_value()},
          {"angle", j.angle.has_value()},
          {"displacement", j.displacement.has_value()},
          {"rate", j.rate.has_value()},
          {"axis_to", j.axis_to.has_value()},
          {"pitch", j.pitch.has_value()},
          {"radius", j.radius.has_value()},
          {"ratio", j.ratio.has_value()},
          {"joints", j.joints.has_value()},
          {"coefficients", j.coefficients.has_value()},
          {"function", j.function.has_value()},
          {"curve", j.curve.has_value()},
          {"range", j.range.has_value()},
          {"limits", j.limits.has_value()},
          {"restitution", j.restitution.has_value()},
          {"start", j.start.has_value()},
          {"start_rate", j.start_rate.has_value()}};
}

Presence keys_given(const Force& f) {
  return {{"from", !f.from.empty()},
          {"to", !f.to.empty()},
          {"on", !f.on.empty()},
          {"joint", !f.joint.empty()},
          {"bodies", f.bodies.has_value()},
          {"point", f.point.has_value()},
          {"from_point", f.from_point.has_value()},
          {"to_point", f.to_point.has_value()},
          {"local", f.local.has_value()},
          {"from_local", f.from_local.has_value()},
          {"to_local", f.to_local.has_value()},
          {"force", f.force.has_value()},
          {"torque", f.torque.has_value()},
          {"axes", f.axes != "world"},
          {"stiffness", f.stiffness.has_value()},
          {"damping", f.damping.has_value()},
          {"length", f.length.has_value()},
          {"angle", f.angle.has_value()},
          {"linear", f.linear.has_value()},
          {"quadratic", f.quadratic.has_value()},
          {"axis", f.axis.has_value()},
          {"effort", f.effort.has_value()},
          {"table", f.table.has_value()},
          {"stiffness_matrix", f.stiffness_matrix.has_value()},
          {"damping_matrix", f.damping_matrix.has_value()},
          {"coulomb", f.coulomb.has_value()},
          {"smooth", f.smooth.has_value()}};
}

// One element under examination: knows how to complain about it.
struct Subject {
  const Source& source;
  std::string label;

  [[noreturn]] void fail(const std::string& message) const { throw InputError(source, label, message); }

  void finite(const char* key, double x) const {
    if (!std::isfinite(x)) fail(fmt::format("{} = {} is not a finite number", key, x));
  }
  void finite(const char* key, const Vec3& v) const {
    for (double x : v) finite(key, x);
  }
  void finite(const char* key, const std::optional<Point>& p) const {
    if (!p) return;
    for (const Quantity& q : *p)
      if (q.is_number()) finite(key, q.value);
  }
  void positive(const char* key, double x, const char* unit) const {
    finite(key, x);
    if (!(x > 0)) fail(fmt::format("{} = {:g} {} must be positive", key, x, unit));
  }
  void not_negative(const char* key, const std::optional<double>& x) const {
    if (!x) return;
    finite(key, *x);
    if (*x < 0) fail(fmt::format("{} = {:g} must not be negative", key, *x));
  }
  void direction(const char* key, const std::optional<Vec3>& v) const {
    if (!v) return;
    finite(key, *v);
    if (v->isZero(0)) fail(fmt::format("{} = [0, 0, 0] has no direction; give a vector that is not zero", key));
  }
};

void check_name(const Subject& s, const std::string& name) {
  if (!is_valid_name(name))
    s.fail(fmt::format("the name '{}' cannot be used; names are letters, digits, '_' and '-' and begin with a letter",
                       name));
}

template <class Elements>
void check_names(const Elements& elements, const char* kind) {
  std::set<std::string> seen;
  for (const auto& e : elements) {
    const Subject s{e.source, fmt::format("{} '{}'", kind, e.name)};
    check_name(s, e.name);
    if (!seen.insert(e.name).second) s.fail(fmt::format("another {} has this name; names must differ", kind));
  }
}

template <class Element>
void check_keys(const Subject& s, const Element& e, const std::vector<ElementType>& types, const char* kind) {
  const ElementType* type = find_type(types, e.type);
  if (!type)
    s.fail(fmt::format("unknown {} type '{}'{} (known: {})", kind, e.type, did_you_mean(e.type, type_names(types)),
                       fmt::join(type_names(types), ", ")));
  for (const auto& [key, given] : keys_given(e)) {
    const bool required = std::ranges::count(type->required, key) > 0;
    const bool allowed = required || std::ranges::count(type->optional, key) > 0;
    if (required && !given) s.fail(fmt::format("a {} {} needs the key '{}'", e.type, kind, key));
    if (given && !allowed) s.fail(fmt::format("the key '{}' has no meaning for a {} {}", key, e.type, kind));
  }
}

constexpr std::size_t max_hull_points = 1000;

void check_shape(const Subject& s, const Shape& shape) {
  if (const auto* box = std::get_if<Box>(&shape))
    for (double x : box->size) s.positive("box edge", x, "m");
  if (const auto* sphere = std::get_if<Sphere>(&shape)) s.positive("sphere radius", sphere->radius, "m");
  const auto round = [&](const char* what, double radius, double height) {
    s.positive(fmt::format("{} radius", what).c_str(), radius, "m");
    s.positive(fmt::format("{} height", what).c_str(), height, "m");
  };
  if (const auto* c = std::get_if<Cylinder>(&shape)) round("cylinder", c->radius, c->height);
  if (const auto* c = std::get_if<Capsule>(&shape)) round("capsule", c->radius, c->height);
  if (const auto* h = std::get_if<Hull>(&shape)) {
    for (const Vec3& x : h->points) s.finite("hull point", x);
    if (h->points.size() > max_hull_points)
      s.fail(fmt::format("hull has {} points; at most {} are taken", h->points.size(), max_hull_points));
    try {
      convex_hull(h->points);
    } catch (const std::invalid_argument& e) {
      s.fail(fmt::format("hull: {}; give at least four points that do not lie in one plane", e.what()));
    }
  }
}

void check_body(const Body& b) {
  const Subject s{b.source, fmt::format("body '{}'", b.name)};
  if (b.name == ground_name) s.fail("'ground' is the fixed world and cannot be the name of a body");
  if (b.mass) s.positive("mass", *b.mass, "kg");
  if (b.density) s.positive("density", *b.density, "kg/m³");
  if (b.shape) check_shape(s, *b.shape);
  if (b.mass && b.density) s.fail("both mass and density are given; give one");
  if (b.density && !b.shape) s.fail("density needs a shape (box, sphere, cylinder, capsule or hull); or give mass");
  if (!b.mass && !b.density) s.fail(b.shape ? "give mass or density" : "give mass");
  if (b.inertia) {
    for (double x : b.inertia->moments) s.finite("inertia", x);
    for (double x : b.inertia->products) s.finite("inertia", x);
    if (const std::string fault = inertia_fault(*b.inertia); !fault.empty()) s.fail("inertia: " + fault);
  }
  s.finite("position", b.position);
  if (b.mass_center) s.finite("mass_center", *b.mass_center);
  if (b.velocity) s.finite("velocity", *b.velocity);
  const double n = b.rotation.norm();
  if (!std::isfinite(n) || n == 0) s.fail("rotation: the quaternion must be finite and not zero");
  if (b.angular_velocity && b.angular_velocity_body)
    s.fail("both angular_velocity and angular_velocity_body are given; give one");
  for (const auto& w : {b.angular_velocity, b.angular_velocity_body})
    if (w) s.finite("angular_velocity", *w);
  if (b.is_point() && (b.angular_velocity || b.angular_velocity_body || (b.mass_center && !b.mass_center->isZero(0))))
    s.fail(
        "a point mass has no extent and does not rotate; give it a shape or an inertia, or leave out "
        "angular_velocity and mass_center");
}

void check_joint(const BodyLookup& bodies, const Joint& j) {
  const Subject s{j.source, fmt::format("joint '{}'", j.name)};
  check_keys(s, j, joint_types(), "joint");
  if (!j.joints) {
    const int from = bodies.index(j.from, j.source, s.label, "from");
    const int to = bodies.index(j.to, j.source, s.label, "to");
    if (from == to) s.fail(fmt::format("from and to are both '{}'; a joint connects two different bodies", j.from));
  }
  for (const auto& [key, point, local] :
       {std::tuple("from", &j.from_point, &j.from_local), std::tuple("to", &j.to_point, &j.to_local)})
    if (*point && *local) s.fail(fmt::format("both {0}_point and {0}_local are given; give one", key));
  if (j.point && (j.from_point || j.to_point || j.from_local || j.to_local))
    s.fail("point sets both anchors; leave out from_point, to_point, from_local and to_local, or leave out point");
  for (const auto& p : {j.point, j.from_point, j.to_point, j.from_local, j.to_local}) s.finite("anchor", p);
  s.direction("axis", j.axis);
  s.direction("normal", j.normal);
  s.direction("axis_to", j.axis_to);
  if (j.radius) s.positive("radius", *j.radius, "m");
  for (const auto& [key, x] : {std::pair("pitch", j.pitch), std::pair("ratio", j.ratio)})
    if (x) {
      s.finite(key, *x);
      if (*x == 0) s.fail(fmt::format("{} must not be zero", key));
    }
  if (j.limits && (j.limits->size() != 2 || !((*j.limits)[0] < (*j.limits)[1])))
    s.fail("limits must be [least, largest] with least < largest");
  if (j.restitution && !(*j.restitution >= 0 && *j.restitution <= 1))
    s.fail(fmt::format("restitution = {:g} must lie between 0 and 1", *j.restitution));
  if (j.rate && (j.angle || j.displacement)) s.fail("both the motion and its rate are driven; give one");
  if ((j.start || j.start_rate) && (j.angle || j.displacement || j.rate))
    s.fail("a driven joint starts where its drive says; leave out start and start_rate");
  for (const auto& [key, x] : {std::pair("start", j.start), std::pair("start_rate", j.start_rate)})
    if (x) s.finite(key, *x);
  if (j.range && (j.range->size() != 2 || !((*j.range)[0] < (*j.range)[1])))
    s.fail("range must be [first, last] with first < last");
  if (j.length && j.length->is_number()) s.positive("length", j.length->value, "m");
}

void check_force(const BodyLookup& bodies, const Force& f) {
  const Subject s{f.source, fmt::format("force '{}'", f.name)};
  check_keys(s, f, force_types(), "force");
  if (!f.from.empty()) {
    const int from = bodies.index(f.from, f.source, s.label, "from");
    const int to = bodies.index(f.to, f.source, s.label, "to");
    if (from == to) s.fail(fmt::format("from and to are both '{}'; it acts between two different bodies", f.from));
  }
  if (!f.on.empty() && bodies.index(f.on, f.source, s.label, "on") < 0)
    s.fail("on = \"ground\": a force on the ground moves nothing; name a body");
  for (const auto& b : f.bodies.value_or(std::vector<std::string>{}))
    if (bodies.index(b, f.source, s.label, "bodies") < 0) s.fail("bodies: the ground cannot be dragged");
  for (const auto& p : {f.point, f.local, f.from_point, f.to_point, f.from_local, f.to_local, f.force, f.torque})
    s.finite("component", p);
  s.not_negative("stiffness", f.stiffness);
  s.not_negative("damping", f.damping);
  s.not_negative("length", f.length);
  s.not_negative("linear", f.linear);
  s.not_negative("quadratic", f.quadratic);
  s.not_negative("coulomb", f.coulomb);
  s.direction("axis", f.axis);
  if (f.smooth) s.positive("smooth", *f.smooth, "of a rate");
  if (f.table) {
    if (f.table->size() < 2) s.fail("table needs at least two points [x, y]");
    for (std::size_t i = 0; i < f.table->size(); ++i) {
      s.finite("table", (*f.table)[i][0]), s.finite("table", (*f.table)[i][1]);
      if (i > 0 && !((*f.table)[i][0] > (*f.table)[i - 1][0]))
        s.fail(fmt::format("table: the first column must increase, but {:g} follows {:g}", (*f.table)[i][0],
                           (*f.table)[i - 1][0]));
    }
  }
  if (f.table && f.stiffness) s.fail("table takes the place of stiffness; give one");
  if (f.type == "bushing" && !f.stiffness_matrix && !f.damping_matrix)
    s.fail("a bushing force needs stiffness_matrix, damping_matrix or both");
  if (f.angle) s.finite("angle", *f.angle);
  if (f.axes != "world" && f.axes != "body") s.fail(fmt::format("axes = \"{}\" must be \"world\" or \"body\"", f.axes));
  if ((f.type == "spring" || f.type == "torsion") && !f.stiffness && !f.damping && !f.table)
    s.fail(fmt::format("a {} force needs stiffness, damping or both", f.type));
  if (f.type == "drag" && !f.linear && !f.quadratic) s.fail("a drag force needs linear, quadratic or both");
}

void check_contact(const BodyLookup& bodies, const Contact& c) {
  const Subject s{c.source, fmt::format("contact '{}'", c.name)};
  if (c.plane.has_value() + c.wall.has_value() + c.between.has_value() != 1)
    s.fail("give one of: plane (a half-space), wall (a rectangle), between (a list of bodies)");
  if (c.between && c.bodies) s.fail("between names the bodies; leave out bodies");
  s.finite("restitution", c.restitution);
  if (!(c.restitution >= 0 && c.restitution <= 1))
    s.fail(fmt::format("restitution = {:g} must lie between 0 and 1", c.restitution));
  s.not_negative("friction", c.friction);
  if (c.plane) s.direction("plane normal", c.plane->normal), s.finite("plane point", c.plane->point);
  if (c.wall) {
    s.direction("wall normal", c.wall->normal);
    s.finite("wall center", c.wall->center);
    s.finite("wall along", c.wall->along);
    s.positive("wall width", c.wall->width, "m");
    s.positive("wall height", c.wall->height, "m");
    if (!c.wall->along.isZero(0) &&
        c.wall->along.cross(c.wall->normal).norm() < 1e-12 * c.wall->along.norm() * c.wall->normal.norm())
      s.fail("wall: along must not be parallel to the normal");
  }
  const auto& named = c.between ? c.between : c.bodies;
  std::set<std::string> seen;
  for (const std::string& name : named.value_or(std::vector<std::string>{})) {
    const int body = bodies.index(name, c.source, s.label, c.between ? "between" : "bodies");
    if (body < 0) s.fail("the ground has no surface of its own; use plane or wall");
    if (!seen.insert(name).second) s.fail(fmt::format("'{}' is named twice; a body does not touch itself", name));
  }
  if (c.between && seen.size() < 2) s.fail("between needs at least two bodies");
}

void check_simulation(const SimulationSettings& sim) {
  const Subject s{sim.source, "simulation"};
  if (sim.duration) s.positive("duration", *sim.duration, "s");
  if (sim.step) s.positive("step", *sim.step, "s");
  if (sim.max_step) s.positive("max_step", *sim.max_step, "s");
  if (sim.output_every) s.positive("output_every", *sim.output_every, "s");
  if (sim.omega) s.positive("omega", *sim.omega, "1/s");
  s.not_negative("alpha", sim.alpha);
  s.not_negative("beta", sim.beta);
  if (sim.max_steps) s.positive("max_steps", *sim.max_steps, "");
  if (sim.theta && !(*sim.theta >= 0.5 && *sim.theta <= 1))
    s.fail(fmt::format("theta = {:g} must lie between 0.5 and 1", *sim.theta));
  if (sim.theta && sim.method != "moreau") s.fail("theta belongs to the method moreau");
  if (sim.omega && (sim.alpha || sim.beta))
    s.fail("omega stands for alpha = beta = omega; give omega, or alpha and beta");
  if (sim.alpha.has_value() != sim.beta.has_value()) s.fail("give both alpha and beta, or omega");
  if (sim.tolerance) {
    s.finite("tolerance", *sim.tolerance);
    if (!(*sim.tolerance >= 1e-15 && *sim.tolerance <= 0.1))
      s.fail(fmt::format("tolerance = {:g} must lie between 1e-15 and 0.1", *sim.tolerance));
  }
  if (sim.step && sim.tolerance) s.fail("both step (fixed) and tolerance (adaptive) are given; give one");
}

}  // namespace

bool is_valid_name(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto other = [](char c) { return (c >= '0' && c <= '9') || c == '-'; };
  return !name.empty() && name.size() <= 100 && letter(name[0]) && name.back() != '-' &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || other(c); });
}

BodyLookup::BodyLookup(const Model& model) {
  index_.emplace(ground_name, -1);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) index_.emplace(model.bodies[i].name, static_cast<int>(i));
}

int BodyLookup::index(const std::string& name, const Source& source, const std::string& element,
                      const std::string& key) const {
  if (const auto found = index_.find(name); found != index_.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [body, i] : index_) known.push_back(body);
  std::ranges::sort(known);
  throw InputError(source, element,
                   fmt::format("{} = \"{}\": there is no such body{}", key, name, did_you_mean(name, known)));
}

namespace {

// What can be said of equations without understanding them.
void check_equations(const Model& model) {
  const EquationSet& set = *model.equations;
  const Subject s{set.source, "equations"};
  const auto refuse = [&](const auto& elements, const char* what) {
    if (!elements.empty())
      throw InputError(elements.front().source, fmt::format("{} '{}'", what, elements.front().name),
                       "a model is made of bodies or of [equations], not of both");
  };
  refuse(model.bodies, "body");
  refuse(model.joints, "joint");
  refuse(model.forces, "force");
  refuse(model.contacts, "contact");
  if (set.equations.empty())
    s.fail("give differential = [\"x' = …\"] and, where there are some, algebraic = [\"… = …\"]");
  for (const InitialValue& v : set.initial) Subject{v.source, "initial"}.finite(v.name.c_str(), v.value);
}

}  // namespace

void check(const Model& model) {
  if (model.equations)
    check_equations(model);
  else if (model.bodies.empty())
    throw InputError(model.source, "",
                     "the model has no bodies; add a [bodies.NAME] table, or [equations] for a model given as such");
  Subject{model.source, "gravity"}.finite("gravity", model.gravity);
  check_names(model.bodies, "body");
  check_names(model.joints, "joint");
  check_names(model.forces, "force");
  check_names(model.contacts, "contact");
  check_names(model.events, "event");
  for (const auto& [name, value] : model.parameters)
    if (name == "t") throw InputError(model.source, "parameters", "'t' is time and cannot be a parameter");
  for (const Body& b : model.bodies) check_body(b);
  const BodyLookup bodies(model);
  for (const Joint& j : model.joints) check_joint(bodies, j);
  for (const Force& f : model.forces) check_force(bodies, f);
  for (const Contact& c : model.contacts) check_contact(bodies, c);
  for (const Event& e : model.events)
    if (e.zero_of.empty()) Subject{e.source, fmt::format("event '{}'", e.name)}.fail("give zero_of, an expression");
  check_simulation(model.simulation);
}

MassProperties mass_properties(const Body& body) {
  MassProperties p;
  p.mass = body.mass ? *body.mass : *body.density * volume(*body.shape);
  if (body.inertia)
    p.inertia = body.inertia;
  else if (body.shape) {
    const Inertia unit = unit_inertia(*body.shape);
    p.inertia = Inertia{p.mass * unit.moments, p.mass * unit.products};
  }
  p.center = body.mass_center ? *body.mass_center : body.shape ? centroid(*body.shape) : Vec3::Zero();
  return p;
}

}  // namespace plumb
