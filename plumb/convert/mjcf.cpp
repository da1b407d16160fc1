// MJCF, a subset: compiler (angle, eulerseq, inertiafromgeom), option (gravity), default classes of joints and geoms,
// bodies with inertial, joint, freejoint and geom, and the equalities connect, weld and joint. Angles are degrees
// unless the compiler says otherwise; poses are those of all joints at zero.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "plumb/convert/mjcf_shapes.h"
#include "plumb/convert/xml.h"

namespace plumb {
namespace {

struct Found {       // a body of the file
  std::string name;  // in our model; ground for the world
  Pose world;
};

class Mjcf {
 public:
  explicit Mjcf(const XmlSource& source) : source_(source), attributes_(source) {}

  Imported read(const Element& root) {
    result_.model.title = source_.text(root, "model").value_or("");
    const Element* world = nullptr;
    for (const Element* e = root.FirstChildElement(); e; e = e->NextSiblingElement()) {
      const std::string tag = e->Name();
      if (tag == "compiler")
        read_compiler(*e);
      else if (tag == "option")
        read_option(*e);
      else if (tag == "default")
        attributes_.read_defaults(*e);
      else if (tag == "worldbody")
        world = e;
      else if (tag == "equality")
        equalities_.push_back(e);
      else
        leave_out(*e, "mujoco", tag == "asset" || tag == "visual" ? "appearance" : "not part of the subset");
    }
    if (!world) source_.fail(root, "mujoco", "there is no <worldbody>");
    read_children(*world, {ground_name, {}}, "", "worldbody");
    for (const Element* e : equalities_) read_equalities(*e);
    result_.model.simulation.duration = 10;
    return std::move(result_);
  }

 private:
  void leave_out(const Element& e, const std::string& owner, const std::string& reason) {
    result_.left_out.push_back({e.GetLineNum(), fmt::format("{}: <{}>", owner, e.Name()), reason});
  }
  void leave_out_keys(const Element& e, const std::string& owner, const std::set<std::string>& known,
                      const std::string& reason = "not part of the subset") {
    for (const tinyxml2::XMLAttribute* a = e.FirstAttribute(); a; a = a->Next())
      if (!known.contains(a->Name()))
        result_.left_out.push_back({e.GetLineNum(), fmt::format("{}: <{} {}>", owner, e.Name(), a->Name()), reason});
  }

  void read_compiler(const Element& e) {
    const std::string angle = source_.text(e, "angle").value_or("degree");
    if (angle != "degree" && angle != "radian") source_.fail(e, "compiler", "angle must be \"degree\" or \"radian\"");
    attributes_.degrees = angle == "degree";
    attributes_.euler = source_.text(e, "eulerseq").value_or("xyz");
    if (source_.text(e, "coordinate").value_or("local") != "local")
      source_.fail(e, "compiler", "coordinate=\"global\" is not understood; only local coordinates are");
    from_geoms_ = source_.text(e, "inertiafromgeom").value_or("auto");
    leave_out_keys(e, "compiler", {"angle", "eulerseq", "coordinate", "inertiafromgeom", "autolimits"});
  }

  void read_option(const Element& e) {
    result_.model.gravity = source_.vector(e, "option", "gravity").value_or(result_.model.gravity);
    leave_out_keys(e, "option", {"gravity"}, "settings of another solver");
    for (const Element* c = e.FirstChildElement(); c; c = c->NextSiblingElement())
      leave_out(*c, "option", "settings of another solver");
  }

  void read_children(const Element& parent, const Found& here, const std::string& childclass,
                     const std::string& label) {
    for (const Element* e = parent.FirstChildElement(); e; e = e->NextSiblingElement()) {
      const std::string tag = e->Name();
      if (tag == "body")
        read_body(*e, here, childclass);
      else if (here.name == ground_name && (tag == "geom" || tag == "joint" || tag == "inertial"))
        leave_out(*e, label,
                  tag == "geom" ? "surfaces of the world are given by [contacts]" : "the world does not move");
      else if (tag != "geom" && tag != "joint" && tag != "freejoint" && tag != "inertial")
        leave_out(
            *e, label,
            tag == "light" || tag == "camera" || tag == "site" ? "appearance or sensor" : "not part of the subset");
    }
  }

  void read_body(const Element& e, const Found& parent, std::string childclass) {
    const std::string given = source_.text(e, "name").value_or(fmt::format("body{}", result_.model.bodies.size() + 1));
    const std::string label = fmt::format("body '{}'", given);
    if (bodies_.contains(given)) source_.fail(e, label, "another body has this name");
    childclass = source_.text(e, "childclass").value_or(childclass);
    leave_out_keys(e, label, {"name", "childclass", "pos", "quat", "axisangle", "euler", "xyaxes", "zaxis"});
    Found here{names_.make(given), parent.world * attributes_.pose(e, label)};
    std::vector<const Element*> joints, geoms;
    const Element* inertial = nullptr;
    bool free = false;
    for (const Element* c = e.FirstChildElement(); c; c = c->NextSiblingElement()) {
      const std::string tag = c->Name();
      if (tag == "joint" && attributes_.get(*c, childclass, "type").value_or("hinge") != "free")
        joints.push_back(c);
      else if (tag == "freejoint" || tag == "joint")
        free = true;
      else if (tag == "geom")
        geoms.push_back(c);
      else if (tag == "inertial")
        inertial = c;
    }
    if (free && parent.name != ground_name) source_.fail(e, label, "a free joint belongs to a child of the world");
    Body body = mass_of(e, inertial, geoms, childclass, label);
    body.name = here.name;
    body.position = here.world * body.mass_center.value_or(Vec3::Zero());
    body.rotation = Quaternion::from_matrix(here.world.R);
    result_.model.add(body);
    bodies_[given] = here;
    if (!free) add_joints(joints, parent, here, childclass, label);
    read_children(e, here, childclass, label);
  }

  Body mass_of(const Element& e, const Element* inertial, const std::vector<const Element*>& geoms,
               const std::string& childclass, const std::string& label) {
    if (inertial && from_geoms_ != "true") {
      leave_out_keys(*inertial, label,
                     {"pos", "quat", "axisangle", "euler", "xyaxes", "zaxis", "mass", "diaginertia", "fullinertia"});
      for (const Element* g : geoms) note_geom(*g, label);
      return attributes_.inertial(*inertial, label);
    }
    MassSum sum;
    for (const Element* g : geoms) {
      const auto one = attributes_.geom(*g, childclass, label);
      if (!one)
        leave_out(*g, label,
                  "a geom without volume, or of a type that is not understood (sphere, capsule, cylinder, box, "
                  "ellipsoid are)");
      else
        sum.add(*one);
      note_geom(*g, label);
    }
    if (!(sum.mass > 0)) source_.fail(e, label, "has no mass: give <inertial mass=\"…\" …/> or a geom with a volume");
    return sum.body();
  }

  void note_geom(const Element& g, const std::string& label) {
    leave_out_keys(g, label,
                   {"name", "class", "type", "size", "fromto", "pos", "quat", "axisangle", "euler", "xyaxes", "zaxis",
                    "mass", "density"},
                   "contacts are given by [contacts], appearance is not kept");
  }

  Vec3 axis_of(const Element& j, const std::string& childclass, const std::string& label, const Found& here) {
    const Vec3 a = attributes_.vector(j, childclass, label, "axis").value_or(Vec3::UnitZ());
    if (a.isZero(0)) source_.fail(j, label, "axis=\"0 0 0\" has no direction");
    return here.world.R * a;
  }

  void add_joints(const std::vector<const Element*>& list, const Found& parent, const Found& here,
                  const std::string& childclass, const std::string& label) {
    Joint j;
    j.from = parent.name;
    j.to = here.name;
    std::vector<std::string> types;
    std::vector<Vec3> axes;
    std::vector<Vec3> places;
    for (const Element* x : list) {
      types.push_back(attributes_.get(*x, childclass, "type").value_or("hinge"));
      axes.push_back(axis_of(*x, childclass, label, here).normalized());
      places.push_back(here.world * attributes_.vector(*x, childclass, label, "pos").value_or(Vec3::Zero()));
    }
    const auto is = [&](std::initializer_list<const char*> wanted) {
      return types == std::vector<std::string>(wanted.begin(), wanted.end());
    };
    const auto square = [&](std::size_t a, std::size_t b) { return std::abs(axes[a].dot(axes[b])) < 1e-9; };
    const auto together = [&] {
      for (const Vec3& p : places)
        if ((p - places[0]).norm() > 1e-12) return false;
      return true;
    };
    if (types.empty()) {
      j.type = "fixed";
      places.push_back(here.world.p);
    } else if (is({"hinge"})) {
      j.type = "revolute", j.axis = axes[0];
    } else if (is({"slide"})) {
      j.type = "prismatic", j.axis = axes[0];
    } else if (is({"ball"}) || (is({"hinge", "hinge", "hinge"}) && square(0, 1) && square(1, 2) && together())) {
      j.type = "spherical";
    } else if (is({"hinge", "hinge"}) && square(0, 1) && together()) {
      j.type = "universal", j.axis = axes[0], j.axis_to = axes[1];
    } else if ((is({"hinge", "slide"}) || is({"slide", "hinge"})) && axes[0].cross(axes[1]).norm() < 1e-9) {
      j.type = "cylindrical", j.axis = axes[0];
      if (types[0] == "slide") places[0] = places[1];
    } else if (is({"slide", "slide", "hinge"}) && square(0, 1) && square(0, 2) && square(1, 2)) {
      j.type = "planar", j.normal = axes[2];
    } else {
      source_.fail(*list[0], label,
                   "these joints together have no counterpart; understood are one joint, two hinges at right angles "
                   "(universal), three (ball), hinge and slide along one axis, two slides and a hinge across them");
    }
    j.point = Point{places[0].x(), places[0].y(), places[0].z()};
    j.name = names_.make(list.empty() ? here.name + "-joint"
                                      : source_.text(*list[0], "name").value_or(here.name + "-joint"));
    if (list.size() == 1 && (j.type == "revolute" || j.type == "prismatic")) add_range(*list[0], childclass, label, j);
    result_.model.add(j);
    for (const Element* x : list) {
      if (const auto name = source_.text(*x, "name")) joints_[*name] = j.name;
      leave_out_keys(*x, label,
                     {"name", "class", "type", "axis", "pos", "range", "limited", "damping", "stiffness", "springref",
                      "frictionloss"});
    }
    if (list.size() == 1 && j.axis) add_joint_forces(*list[0], childclass, label, j);
  }

  void add_range(const Element& x, const std::string& childclass, const std::string& label, Joint& j) {
    const auto range = attributes_.numbers(x, childclass, label, "range");
    if (!range || attributes_.get(x, childclass, "limited").value_or("auto") == "false") return;
    const std::vector<double> r = source_.exactly(x, label, "range", *range, 2);
    const double unit = j.type == "revolute" ? attributes_.angle_unit() : 1;
    if (r[0] < r[1]) j.limits = std::vector<double>{unit * r[0], unit * r[1]};
  }

  void add_joint_forces(const Element& x, const std::string& childclass, const std::string& label, const Joint& j) {
    const auto value = [&](const char* key) {
      const auto list = attributes_.numbers(x, childclass, label, key);
      return list ? source_.exactly(x, label, key, *list, 1)[0] : 0.0;
    };
    const double damping = value("damping"), friction = value("frictionloss"), stiffness = value("stiffness");
    if (damping > 0 || friction > 0) {
      Force f{.name = j.name + "-friction", .type = "joint-friction", .joint = j.name};
      if (damping > 0) f.damping = damping;
      if (friction > 0) f.coulomb = friction;
      result_.model.add(f);
    }
    if (!(stiffness > 0)) return;
    const double rest = value("springref");
    Force f{.name = j.name + "-spring", .joint = j.name};
    if (j.type == "revolute") {
      f.type = "torsion", f.stiffness = stiffness, f.angle = rest * attributes_.angle_unit();
    } else {
      f.type = "motor";
      f.effort = Quantity(fmt::format("-{:.17g}*({}.displacement - {:.17g})", stiffness, j.name, rest));
    }
    result_.model.add(f);
  }

  Found& body_named(const Element& e, const std::string& label, const char* key) {
    static Found world{ground_name, {}};
    const auto name = source_.text(e, key);
    if (!name || *name == "world") return world;
    if (!bodies_.contains(*name)) source_.fail(e, label, fmt::format("{}: there is no body '{}'", key, *name));
    return bodies_[*name];
  }

  void read_equalities(const Element& equality) {
    for (const Element* e = equality.FirstChildElement(); e; e = e->NextSiblingElement()) {
      const std::string tag = e->Name();
      const std::string label = fmt::format("equality '{}'", source_.text(*e, "name").value_or(tag));
      Joint j;
      j.name = names_.make(source_.text(*e, "name").value_or(tag));
      if (tag == "connect" || tag == "weld") {
        source_.required(*e, label, "body1");
        const Found &one = body_named(*e, label, "body1"), &two = body_named(*e, label, "body2");
        j.type = tag == "connect" ? "spherical" : "fixed";
        j.from = one.name;
        j.to = two.name;
        const auto anchor = source_.vector(*e, label, "anchor");
        if (tag == "connect" && !anchor) source_.fail(*e, label, "connect needs anchor, in the frame of body1");
        const Vec3 p = one.world * anchor.value_or(Vec3::Zero());
        j.point = Point{p.x(), p.y(), p.z()};
        leave_out_keys(*e, label, {"name", "body1", "body2", "anchor"}, "our constraints are rigid and hold exactly");
      } else if (tag == "joint") {
        couple(*e, label, j);
      } else {
        leave_out(*e, "equality", "not part of the subset");
        continue;
      }
      result_.model.add(j);
    }
  }

  // joint1 = c0 + c1 x + … + c4 x⁴ of joint2
  void couple(const Element& e, const std::string& label, Joint& j) {
    const std::string one = source_.required(e, label, "joint1");
    const std::string two = source_.text(e, "joint2").value_or("");
    for (const std::string& name : {one, two})
      if (!name.empty() && !joints_.contains(name)) source_.fail(e, label, fmt::format("there is no joint '{}'", name));
    const std::vector<double> c = source_.numbers(e, label, "polycoef").value_or(std::vector<double>{0, 1, 0, 0, 0});
    j.type = "coupler";
    if (two.empty())
      source_.fail(e, label, "without joint2 the joint is held still; take it out, or use a fixed joint");
    j.joints = std::vector<std::string>{joints_[one], joints_[two]};
    std::string f;
    for (std::size_t i = 0; i < c.size(); ++i)
      if (c[i] != 0)
        f += fmt::format("{}{:.17g}{}", f.empty() ? "" : " + ", c[i], i == 0 ? "" : fmt::format("*x^{}", i));
    j.function = f.empty() ? "0*x" : f;
    leave_out_keys(e, label, {"name", "joint1", "joint2", "polycoef"}, "our constraints are rigid and hold exactly");
  }

  const XmlSource& source_;
  MjcfAttributes attributes_;
  Imported result_;
  std::string from_geoms_ = "auto";
  std::vector<const Element*> equalities_;
  std::map<std::string, Found> bodies_;
  std::map<std::string, std::string> joints_;
  NameBook names_;
};

}  // namespace

Imported import_mjcf(const Element& mujoco, const XmlSource& source) { return Mjcf(source).read(mujoco); }

}  // namespace plumb
