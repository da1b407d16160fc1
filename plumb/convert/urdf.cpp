// URDF: links in a tree of joints. Each link with a mass becomes a body in the pose of all joints at zero; links
// without mass are frames, which must be fixed to something. The root is the ground unless it has a mass.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "plumb/convert/xml.h"

namespace plumb {
namespace {

Mat3 from_rpy(const Vec3& rpy) {
  return (Eigen::AngleAxisd(rpy.z(), Vec3::UnitZ()) * Eigen::AngleAxisd(rpy.y(), Vec3::UnitY()) *
          Eigen::AngleAxisd(rpy.x(), Vec3::UnitX()))
      .toRotationMatrix();
}

struct Link {
  const Element* xml = nullptr;
  std::string body;  // name in our model; empty until placed
  Pose in_body;      // of the link's frame in the frame of that body
  Pose in_world;
  bool placed = false;
};

class Urdf {
 public:
  Urdf(const XmlSource& source, const ImportOptions& options) : source_(source), options_(options) {}

  Imported read(const Element& robot) {
    result_.model.title = source_.text(robot, "name").value_or("");
    for (const Element* e = robot.FirstChildElement(); e; e = e->NextSiblingElement()) {
      const std::string tag = e->Name();
      if (tag == "link")
        add_link(*e);
      else if (tag == "joint")
        joints_.push_back(e);
      else
        leave_out(*e, "robot",
                  tag == "material"                          ? "appearance"
                  : tag == "transmission" || tag == "gazebo" ? "extension of other tools"
                                                             : "unknown element");
    }
    if (links_.empty()) source_.fail(robot, "robot", "there is no <link>");
    grow(find_root(robot));
    for (const Element* e : joints_) couple_mimic(*e);
    result_.model.simulation.duration = 10;
    return std::move(result_);
  }

 private:
  void leave_out(const Element& e, const std::string& owner, const std::string& reason) {
    result_.left_out.push_back({e.GetLineNum(), fmt::format("{}: <{}>", owner, e.Name()), reason});
  }

  void add_link(const Element& e) {
    const std::string name = source_.required(e, "link", "name");
    if (links_.contains(name)) source_.fail(e, fmt::format("link '{}'", name), "another link has this name");
    links_[name].xml = &e;
    order_.push_back(name);
  }

  std::string link_of(const Element& joint, const char* which) const {
    const std::string label = label_of(joint);
    const Element* e = joint.FirstChildElement(which);
    if (!e) source_.fail(joint, label, fmt::format("<{}> is missing", which));
    const std::string name = source_.required(*e, label, "link");
    if (!links_.contains(name)) source_.fail(*e, label, fmt::format("there is no link '{}'", name));
    return name;
  }

  std::string label_of(const Element& joint) const {
    return fmt::format("joint '{}'", source_.text(joint, "name").value_or(""));
  }

  std::string find_root(const Element& robot) {
    std::map<std::string, const Element*> parent_joint;
    for (const Element* j : joints_) {
      source_.required(*j, "joint", "name");
      const std::string child = link_of(*j, "child"), parent = link_of(*j, "parent");
      if (child == parent) source_.fail(*j, label_of(*j), fmt::format("link '{}' is its own parent", child));
      if (const auto [it, fresh] = parent_joint.emplace(child, j); !fresh)
        source_.fail(
            *j, label_of(*j),
            fmt::format("link '{}' has a parent already (line {}); URDF is a tree: close the loop with a joint "
                        "of the converted model",
                        child, it->second->GetLineNum()));
      children_[parent].push_back(j);
    }
    std::string root;
    for (const std::string& name : order_) {
      if (parent_joint.contains(name)) continue;
      if (!root.empty())
        source_.fail(*links_[name].xml, fmt::format("link '{}'", name),
                     fmt::format("has no parent, and neither has '{}'; all links but one hang on a joint", root));
      root = name;
    }
    if (root.empty()) source_.fail(robot, "robot", "the joints form a circle: no link is the root");
    std::set<std::string> reached = {root};
    for (std::vector<std::string> open = {root}; !open.empty();) {
      const std::string at = open.back();
      open.pop_back();
      for (const Element* j : children_[at]) open.push_back(link_of(*j, "child")), reached.insert(open.back());
    }
    for (const Element* j : joints_)
      if (!reached.contains(link_of(*j, "child")))
        source_.fail(
            *j, label_of(*j),
            fmt::format("link '{}' hangs in a circle that does not reach the root '{}'", link_of(*j, "child"), root));
    return root;
  }

  Pose origin(const Element& e, const std::string& label) const {
    const Element* o = e.FirstChildElement("origin");
    if (!o) return {};
    return {from_rpy(source_.vector(*o, label, "rpy").value_or(Vec3::Zero())),
            source_.vector(*o, label, "xyz").value_or(Vec3::Zero())};
  }

  // Makes a body of the link if it has a mass. False: it is only a frame.
  bool make_body(const std::string& name, bool root) {
    Link& link = links_[name];
    const std::string label = fmt::format("link '{}'", name);
    const Element* inertial = nullptr;
    for (const Element* e = link.xml->FirstChildElement(); e; e = e->NextSiblingElement()) {
      const std::string tag = e->Name();
      if (tag == "inertial")
        inertial = e;
      else
        leave_out(*e, label,
                  tag == "visual"      ? "appearance"
                  : tag == "collision" ? "contacts are given by the shape of a body and [contacts]"
                                       : "unknown element");
    }
    if (!inertial || (root && options_.fix_base)) return false;
    const Element *mass = inertial->FirstChildElement("mass"), *inertia = inertial->FirstChildElement("inertia");
    if (!mass) source_.fail(*inertial, label, "<inertial> needs <mass value=\"…\"/>");
    const double m = source_.number(*mass, label, "value").value_or(0);
    if (!(m > 0)) source_.fail(*mass, label, fmt::format("mass {:g} kg must be positive", m));
    if (!inertia) source_.fail(*inertial, label, "<inertial> needs <inertia ixx=\"…\" …/>");
    const auto entry = [&](const char* key) { return source_.number(*inertia, label, key).value_or(0); };
    Mat3 I;
    I << entry("ixx"), entry("ixy"), entry("ixz"), entry("ixy"), entry("iyy"), entry("iyz"), entry("ixz"), entry("iyz"),
        entry("izz");
    const Pose centre = origin(*inertial, label);
    I = centre.R * I * centre.R.transpose();
    Body b;
    b.name = names_.make(name);
    b.mass = m;
    b.inertia = Inertia{{I(0, 0), I(1, 1), I(2, 2)}, {I(0, 1), I(0, 2), I(1, 2)}};
    if (const std::string fault = inertia_fault(*b.inertia); !fault.empty())
      source_.fail(*inertia, label, "inertia: " + fault);
    b.mass_center = centre.p;
    b.position = link.in_world * centre.p;
    b.rotation = Quaternion::from_matrix(link.in_world.R);
    link.body = b.name;
    link.in_body = {};
    result_.model.add(b);
    return true;
  }

  void grow(const std::string& root) {
    Link& base = links_[root];
    base.placed = true;
    if (!make_body(root, true)) base.body = ground_name;
    for (std::vector<std::string> open = {root}; !open.empty();) {
      const std::string at = open.back();
      open.pop_back();
      for (const Element* j : children_[at]) {
        add_joint(*j, at);
        open.push_back(link_of(*j, "child"));
      }
    }
  }

  void add_joint(const Element& e, const std::string& parent_name) {
    const std::string label = label_of(e), type = source_.required(e, label, "type"), child_name = link_of(e, "child");
    const Link& parent = links_[parent_name];
    Link& child = links_[child_name];
    child.in_world = parent.in_world * origin(e, label);
    const bool has_mass = make_body(child_name, false);
    if (!has_mass) {
      if (type != "fixed")
        source_.fail(*child.xml, fmt::format("link '{}'", child_name),
                     fmt::format("has no mass but moves on the {} joint '{}'; give it an <inertial>", type,
                                 source_.text(e, "name").value_or("")));
      child.body = parent.body;
      return note_rest(e, label);
    }
    if (type == "floating") return note_rest(e, label);
    Joint j;
    j.name = names_.make(source_.required(e, label, "name"));
    j.from = parent.body;
    j.to = child.body;
    const Vec3 p = child.in_world.p;
    j.point = Point{p.x(), p.y(), p.z()};
    const Element* axis = e.FirstChildElement("axis");
    const Vec3 a =
        child.in_world.R * (axis ? source_.vector(*axis, label, "xyz").value_or(Vec3::UnitX()) : Vec3::UnitX());
    if (type != "fixed" && a.isZero(0)) source_.fail(*axis, label, "axis xyz=\"0 0 0\" has no direction");
    if (type == "revolute" || type == "continuous")
      j.type = "revolute", j.axis = a;
    else if (type == "prismatic")
      j.type = "prismatic", j.axis = a;
    else if (type == "planar")
      j.type = "planar", j.normal = a;
    else if (type == "fixed")
      j.type = "fixed";
    else
      source_.fail(
          e, label,
          fmt::format("type '{}' must be one of: revolute, continuous, prismatic, fixed, floating, planar", type));
    const Element* limit = e.FirstChildElement("limit");
    if (limit && (type == "revolute" || type == "prismatic")) {
      const double low = source_.number(*limit, label, "lower").value_or(0);
      const double high = source_.number(*limit, label, "upper").value_or(0);
      if (low < high) j.limits = std::vector<double>{low, high};
    }
    names_of_joints_[source_.required(e, label, "name")] = j.name;
    result_.model.add(j);
    if (const Element* d = e.FirstChildElement("dynamics"); d && j.axis) {
      Force f{.name = j.name + "-friction", .type = "joint-friction", .joint = j.name};
      const double damping = source_.number(*d, label, "damping").value_or(0);
      const double friction = source_.number(*d, label, "friction").value_or(0);
      if (damping > 0) f.damping = damping;
      if (friction > 0) f.coulomb = friction;
      if (damping > 0 || friction > 0) result_.model.add(f);
    }
    note_rest(e, label);
  }

  void note_rest(const Element& e, const std::string& label) {
    static const std::set<std::string> known = {"parent", "child", "origin", "axis", "dynamics", "mimic"};
    for (const Element* c = e.FirstChildElement(); c; c = c->NextSiblingElement()) {
      if (known.contains(c->Name())) continue;
      if (std::string(c->Name()) != "limit") {
        leave_out(*c, label, "unknown element");
        continue;
      }
      for (const char* key : {"effort", "velocity"})
        if (c->Attribute(key))
          result_.left_out.push_back(
              {c->GetLineNum(), fmt::format("{}: <limit {}>", label, key), "bounds of a drive, not of the mechanism"});
    }
  }

  void couple_mimic(const Element& e) {
    const Element* m = e.FirstChildElement("mimic");
    if (!m) return;
    const std::string label = label_of(e), own = source_.required(e, label, "name"),
                      other = source_.required(*m, label, "joint");
    if (!names_of_joints_.contains(other))
      source_.fail(*m, label, fmt::format("mimic: there is no moving joint '{}'", other));
    if (!names_of_joints_.contains(own)) return leave_out(*m, label, "the joint itself does not move");
    Joint j{.name = names_.make(own + "-mimic"), .type = "coupler"};
    j.joints = std::vector<std::string>{names_of_joints_[own], names_of_joints_[other]};
    j.coefficients = std::vector<double>{1, -source_.number(*m, label, "multiplier").value_or(1)};
    if (source_.number(*m, label, "offset").value_or(0) != 0)
      result_.left_out.push_back({m->GetLineNum(), fmt::format("{}: <mimic offset>", label),
                                  "couplers keep the start, at which both joints are zero"});
    result_.model.add(j);
  }

  const XmlSource& source_;
  ImportOptions options_;
  Imported result_;
  std::map<std::string, Link> links_;
  std::vector<std::string> order_;
  std::vector<const Element*> joints_;
  std::map<std::string, std::vector<const Element*>> children_;
  std::map<std::string, std::string> names_of_joints_;
  NameBook names_;
};

}  // namespace

Imported import_urdf(const Element& robot, const XmlSource& source, const ImportOptions& options) {
  return Urdf(source, options).read(robot);
}

}  // namespace plumb
