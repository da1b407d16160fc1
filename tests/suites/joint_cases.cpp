#include "suites/joint_cases.h"

namespace plumb {
namespace {

Body rigid(const std::string& name, const Vec3& at) {
  // Inertia with products: principal axes are not the body's.
  return Body{.name = name,
              .mass = 1.3,
              .inertia = Inertia{{0.5, 0.6, 0.7}, {0.05, -0.03, 0.08}},
              .position = at,
              .rotation = Quaternion{0.8, 0.1, -0.4, 0.3}.normalized()};
}

const Point here{0.3, -0.2, 0.4};

void add_two(Model& m, Joint j) {
  m.add(rigid("a", {0.1, 0.2, 0.3}));
  m.add(rigid("b", {0.7, -0.4, 0.5}));
  j.from = "a", j.to = "b", j.name = "joint";
  m.add(j);
}

void add_ground(Model& m, Joint j, bool to_ground = false) {
  m.add(rigid("b", {0.7, -0.4, 0.5}));
  j.from = to_ground ? "b" : "ground", j.to = to_ground ? "ground" : "b", j.name = "joint";
  m.add(j);
}

// Two joints, on the ground or on a body "c" that moves freely, and a coupling between them.
void add_coupled(Model& m, const std::string& coupling, bool carrier) {
  m.add(rigid("a", {0.1, 0.2, 0.3}));
  m.add(rigid("b", {0.7, -0.4, 0.5}));
  if (carrier) m.add(rigid("c", {0.3, 0.3, -0.6}));
  const std::string base = carrier ? "c" : "ground";
  m.add(Joint{.name = "first", .type = "revolute", .from = base, .to = "a", .point = here, .axis = Vec3(1, 2, -0.5)});
  const bool slides = coupling == "rack-and-pinion" || coupling == "cam";
  m.add(Joint{.name = "second",
              .type = slides ? "prismatic" : "revolute",
              .from = slides ? "b" : base,
              .to = slides ? base : "b",
              .point = Point{0.5, 0.4, 0.1},
              .axis = Vec3(-1, 0.3, 0.6)});
  Joint j{.name = "joint", .type = coupling, .joints = std::vector<std::string>{"first", "second"}};
  if (coupling == "gear") j.ratio = -2.5;
  if (coupling == "rack-and-pinion") j.radius = 0.3;
  if (coupling == "coupler") j.coefficients = std::vector<double>{0.7, -1.9};
  if (coupling == "cam") {
    j.type = "coupler";
    j.joints = std::vector<std::string>{"second", "first"};
    j.function = "0.2*sin(2*x) + 0.1*x^2";
  }
  m.add(j);
}

}  // namespace

std::vector<JointCase> joint_cases() {
  std::vector<JointCase> cases;
  const auto both = [&](const std::string& name, const Joint& j) {
    cases.push_back({name + "/two bodies", [j](Model& m) { add_two(m, j); }});
    cases.push_back({name + "/on the ground", [j](Model& m) { add_ground(m, j); }});
    cases.push_back({name + "/from a body to the ground", [j](Model& m) { add_ground(m, j, true); }});
  };
  const Vec3 axis(1, 2, -0.5);
  both("spherical", Joint{.type = "spherical", .point = here});
  both("revolute", Joint{.type = "revolute", .point = here, .axis = axis});
  both("fixed", Joint{.type = "fixed", .point = here});
  both("prismatic", Joint{.type = "prismatic", .point = here, .axis = axis});
  both("point-on-plane", Joint{.type = "point-on-plane", .point = here, .normal = axis});
  both("driven revolute", Joint{.type = "revolute", .point = here, .axis = axis, .angle = Quantity("0.4*sin(2*t)")});
  both("driven prismatic",
       Joint{.type = "prismatic", .point = here, .axis = axis, .displacement = Quantity("0.3*sin(t) + t^2/5")});
  both("rod", Joint{.type = "rod", .from_point = Point{0.3, 0.1, 0.0}, .to_point = Point{1.1, -0.2, 0.6}});
  both("driven rod", Joint{.type = "rod",
                           .from_point = Point{0.3, 0.1, 0.0},
                           .to_point = Point{1.1, -0.2, 0.6},
                           .length = Quantity("1.0 + 0.1*sin(3*t)")});
  both("moving rod end",
       Joint{.type = "rod", .from_local = Point{"0.1*t", "0.2*sin(t)", 0.3}, .to_local = Point{0.1, 0.0, "0.2*t^2"}});
  both("moving spherical", Joint{.type = "spherical",
                                 .from_local = Point{"0.1*t", "0.2*sin(t)", 0.3},
                                 .to_local = Point{0.1, 0.0, "0.2*t^2"}});
  both("moving plane", Joint{.type = "point-on-plane",
                             .from_local = Point{"0.1*t", "0.2*sin(t)", 0.3},
                             .to_local = Point{0.1, 0.0, "0.2*t^2"},
                             .normal = axis});
  const Vec3 across(2, -1, 0.3);  // not quite perpendicular to the axis: the start is assembled
  both("universal", Joint{.type = "universal", .point = here, .axis = axis, .axis_to = across});
  // Shafts that hang: folded back on each other the joint is singular, as its mechanism is.
  both("constant-velocity",
       Joint{.type = "constant-velocity", .point = here, .axis = Vec3(0.3, 0.5, -2), .axis_to = Vec3(1, 0.4, -2)});
  both("cylindrical", Joint{.type = "cylindrical", .point = here, .axis = axis});
  both("driven cylindrical", Joint{.type = "cylindrical",
                                   .point = here,
                                   .axis = axis,
                                   .angle = Quantity("0.4*sin(2*t)"),
                                   .displacement = Quantity("0.3*sin(t)")});
  both("screw", Joint{.type = "screw", .point = here, .axis = axis, .pitch = 0.4});
  both("left-handed driven screw",
       Joint{.type = "screw", .point = here, .axis = axis, .angle = Quantity("3*sin(t)"), .pitch = -0.7});
  both("planar", Joint{.type = "planar", .point = here, .normal = axis});
  both("point-on-line", Joint{.type = "point-on-line", .point = here, .axis = axis});
  both("in-line", Joint{.type = "in-line", .from_point = here, .to_point = Point{0.4, 0.0, 0.35}, .axis = axis});
  both("parallel-axes", Joint{.type = "parallel-axes", .axis = axis});
  both("perpendicular-axes", Joint{.type = "perpendicular-axes", .axis = axis, .axis_to = across});
  both("revolute with a driven rate",
       Joint{.type = "revolute", .point = here, .axis = axis, .rate = Quantity("sin(3*t)")});
  both(
      "prismatic with a driven rate",
      Joint{.type = "prismatic", .point = here, .axis = axis, .rate = Quantity("0.3*cos(t) - 0.2*joint.displacement")});
  both("revolute with a rate that depends on the motion",
       Joint{.type = "revolute", .point = here, .axis = axis, .rate = Quantity("sin(3*t) - joint.angle + 0.1*b.z")});
  both("point-on-curve", Joint{.type = "point-on-curve",
                               .to_point = here,
                               .curve = Point{"0.5*cos(s)", "0.7*sin(s)", "0.1*s"},
                               .range = std::vector<double>{-3, 3}});
  const auto rolling = [](Joint j) {
    j.type = "rolling", j.radius = 0.35, j.normal = Vec3(0.1, -0.2, 1);
    return j;
  };
  for (const bool disc : {false, true}) {
    Joint j = rolling(disc ? Joint{.axis = Vec3(1, 0.3, 0.4)} : Joint{.to_local = Point{0.1, 0.05, -0.1}});
    const std::string name = disc ? "rolling disc" : "rolling sphere";
    cases.push_back({name + "/two bodies", [j](Model& m) { add_two(m, j); }});
    cases.push_back({name + "/on the ground", [j](Model& m) { add_ground(m, j); }});
  }
  for (const bool carrier : {false, true})
    for (const std::string coupling : {"gear", "rack-and-pinion", "coupler", "cam"})
      cases.push_back({coupling + (carrier ? "/on a moving carrier" : "/on the ground"),
                       [=](Model& m) { add_coupled(m, coupling, carrier); }});
  cases.push_back({"rod/point on the ground", [](Model& m) {
                     m.add(Body{.name = "p", .mass = 0.4, .position = {1, 2, 3}});
                     m.add(Joint{.name = "joint", .type = "rod", .from = "ground", .to = "p", .from_point = here});
                   }});
  cases.push_back({"rod/point and body", [](Model& m) {
                     m.add(rigid("b", {0.7, -0.4, 0.5}));
                     m.add(Body{.name = "p", .mass = 0.4, .position = {1, 2, 3}});
                     m.add(Joint{.name = "joint", .type = "rod", .from = "p", .to = "b", .to_point = here});
                   }});
  cases.push_back({"rod/two points", [](Model& m) {
                     m.add(Body{.name = "p", .mass = 0.4, .position = {1, 2, 3}});
                     m.add(Body{.name = "q", .mass = 1.4, .position = {1, -2, 1}});
                     m.add(Joint{.name = "joint", .type = "rod", .from = "q", .to = "p"});
                   }});
  cases.push_back({"fixed/point on a body", [](Model& m) {
                     m.add(rigid("b", {0.7, -0.4, 0.5}));
                     m.add(Body{.name = "p", .mass = 0.4, .position = {1, 0, 1}});
                     m.add(Joint{.name = "joint", .type = "fixed", .from = "b", .to = "p"});
                   }});
  cases.push_back({"prismatic/bead on a moving wire", [](Model& m) {
                     m.add(rigid("b", {0.7, -0.4, 0.5}));
                     m.add(Body{.name = "p", .mass = 0.4, .position = {1, 0, 1}});
                     m.add(Joint{.name = "joint", .type = "prismatic", .from = "b", .to = "p", .axis = Vec3(0, 1, 1)});
                   }});
  cases.push_back(
      {"point-on-plane/point on a body", [](Model& m) {
         m.add(rigid("b", {0.7, -0.4, 0.5}));
         m.add(Body{.name = "p", .mass = 0.4, .position = {1, 0, 1}});
         m.add(Joint{.name = "joint", .type = "point-on-plane", .from = "b", .to = "p", .normal = Vec3(0, 1, 1)});
       }});
  // Two joints coupled through a body, one of them kept by several parts.
  cases.push_back(
      {"chain of different joints", [](Model& m) {
         add_two(m, Joint{.type = "revolute", .point = here, .axis = Vec3(0, 1, 1)});
         m.add(Joint{.name = "base", .type = "spherical", .from = "ground", .to = "a", .point = Point{0.0, 0.0, 0.0}});
         m.add(Body{.name = "p", .mass = 0.4, .position = {1, 0, 1}});
         m.add(Joint{.name = "tip", .type = "rod", .from = "b", .to = "p"});
       }});
  return cases;
}

std::string joint_case_name(const ::testing::TestParamInfo<JointCase>& info) {
  std::string name = info.param.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

}  // namespace plumb
