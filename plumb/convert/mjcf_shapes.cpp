#include "plumb/convert/mjcf_shapes.h"

#include <fmt/format.h>

#include <cmath>

namespace plumb {

void MjcfAttributes::read_class(const Element& e, const std::string& name, const std::string& parent) {
  auto& own = classes_[name];
  if (!parent.empty() && classes_.contains(parent)) own = classes_[parent];
  for (const Element* c = e.FirstChildElement(); c; c = c->NextSiblingElement())
    if (std::string(c->Name()) != "default")
      for (const tinyxml2::XMLAttribute* a = c->FirstAttribute(); a; a = a->Next())
        classes_[name][fmt::format("{}.{}", c->Name(), a->Name())] = a->Value();
  for (const Element* c = e.FirstChildElement("default"); c; c = c->NextSiblingElement("default"))
    read_class(*c, source_.required(*c, "default", "class"), name);
}

std::optional<std::string> MjcfAttributes::get(const Element& e, const std::string& childclass, const char* key) const {
  if (const auto own = source_.text(e, key)) return own;
  std::string name = source_.text(e, "class").value_or(childclass);
  if (name.empty()) name = "main";
  const auto found = classes_.find(name);
  if (found == classes_.end()) {
    if (name == "main") return std::nullopt;
    source_.fail(e, fmt::format("<{}>", e.Name()), fmt::format("there is no default class '{}'", name));
  }
  const auto value = found->second.find(fmt::format("{}.{}", e.Name(), key));
  return value == found->second.end() ? std::nullopt : std::optional(value->second);
}

std::optional<std::vector<double>> MjcfAttributes::numbers(const Element& e, const std::string& childclass,
                                                           const std::string& label, const char* key) const {
  const auto value = get(e, childclass, key);
  return value ? std::optional(source_.parse(e, label, key, *value)) : std::nullopt;
}

std::optional<Vec3> MjcfAttributes::vector(const Element& e, const std::string& childclass, const std::string& label,
                                           const char* key) const {
  const auto list = numbers(e, childclass, label, key);
  if (!list) return std::nullopt;
  const std::vector<double> v = source_.exactly(e, label, key, *list, 3);
  return Vec3(v[0], v[1], v[2]);
}

Pose MjcfAttributes::pose(const Element& e, const std::string& label, const std::string& childclass) const {
  Pose p;
  p.p = vector(e, childclass, label, "pos").value_or(Vec3::Zero());
  const auto list = [&](const char* key, std::size_t n) -> std::optional<std::vector<double>> {
    const auto v = numbers(e, childclass, label, key);
    return v ? std::optional(source_.exactly(e, label, key, *v, n)) : std::nullopt;
  };
  if (const auto q = list("quat", 4)) {
    const Quaternion given{(*q)[0], (*q)[1], (*q)[2], (*q)[3]};
    if (!(given.norm() > 0)) source_.fail(e, label, "quat must not be zero");
    p.R = given.matrix();
  } else if (const auto a = list("axisangle", 4)) {
    const Vec3 axis((*a)[0], (*a)[1], (*a)[2]);
    if (axis.isZero(0)) source_.fail(e, label, "axisangle has no axis");
    p.R = Eigen::AngleAxisd((*a)[3] * angle_unit(), axis.normalized()).toRotationMatrix();
  } else if (const auto angles = list("euler", 3)) {
    // Small letters turn about the axes as they have been turned so far, capitals about those of the parent.
    for (std::size_t i = 0; i < 3 && i < euler.size(); ++i) {
      const char c = euler[i];
      const int k = std::tolower(c) - 'x';
      if (k < 0 || k > 2) source_.fail(e, label, fmt::format("eulerseq '{}' must be three of xyzXYZ", euler));
      const Mat3 turn = Eigen::AngleAxisd((*angles)[i] * angle_unit(), Vec3::Unit(k)).toRotationMatrix();
      p.R = std::islower(static_cast<unsigned char>(c)) ? Mat3(p.R * turn) : Mat3(turn * p.R);
    }
  } else if (const auto xy = list("xyaxes", 6)) {
    Vec3 x((*xy)[0], (*xy)[1], (*xy)[2]), y((*xy)[3], (*xy)[4], (*xy)[5]);
    x.normalize();
    y = (y - x * x.dot(y)).normalized();
    p.R << x, y, x.cross(y);
  } else if (const auto z = list("zaxis", 3)) {
    p.R = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), Vec3((*z)[0], (*z)[1], (*z)[2])).toRotationMatrix();
  }
  return p;
}

Body MjcfAttributes::inertial(const Element& e, const std::string& label) const {
  const Pose p = pose(e, label);
  const double mass = source_.number(e, label, "mass").value_or(0);
  if (!(mass > 0)) source_.fail(e, label, "<inertial> needs a positive mass");
  Mat3 I = Mat3::Zero();
  if (const auto full = source_.numbers(e, label, "fullinertia")) {
    const std::vector<double> f = source_.exactly(e, label, "fullinertia", *full, 6);
    I << f[0], f[3], f[4], f[3], f[1], f[5], f[4], f[5], f[2];
  } else if (const auto diagonal = source_.vector(e, label, "diaginertia")) {
    I = diagonal->asDiagonal();
  } else {
    source_.fail(e, label, "<inertial> needs diaginertia or fullinertia");
  }
  I = p.R * I * p.R.transpose();
  Body b;
  b.mass = mass;
  b.mass_center = p.p;
  b.inertia = Inertia{{I(0, 0), I(1, 1), I(2, 2)}, {I(0, 1), I(0, 2), I(1, 2)}};
  if (const std::string fault = inertia_fault(*b.inertia); !fault.empty()) source_.fail(e, label, "inertia: " + fault);
  return b;
}

std::optional<GeomMass> MjcfAttributes::geom(const Element& e, const std::string& childclass,
                                             const std::string& label) const {
  const std::string type = get(e, childclass, "type").value_or("sphere");
  std::vector<double> size = numbers(e, childclass, label, "size").value_or(std::vector<double>{});
  GeomMass g;
  g.pose = pose(e, label, childclass);
  double half = 0;
  const auto ends = numbers(e, childclass, label, "fromto");
  if (ends && (type == "capsule" || type == "cylinder")) {
    const std::vector<double> f = source_.exactly(e, label, "fromto", *ends, 6);
    const Vec3 a(f[0], f[1], f[2]), b(f[3], f[4], f[5]);
    half = (b - a).norm() / 2;
    if (!(half > 0)) source_.fail(e, label, "fromto: the two ends coincide");
    g.pose = {Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), b - a).toRotationMatrix(), (a + b) / 2};
    size.resize(1);
    size.push_back(half);
  }
  const auto need = [&](std::size_t n) {
    if (size.size() < n) source_.fail(e, label, fmt::format("a {} geom needs size with {} numbers", type, n));
    for (std::size_t i = 0; i < n; ++i)
      if (!(size[i] > 0)) source_.fail(e, label, fmt::format("size {:g} of a geom must be positive", size[i]));
  };
  double volume_of = 0;
  Vec3 unit = Vec3::Zero();
  if (type == "sphere") {
    need(1);
    g.shape = Sphere{size[0]};
  } else if (type == "capsule") {
    need(2);
    g.shape = Capsule{size[0], 2 * size[1]};
  } else if (type == "cylinder") {
    need(2);
    g.shape = Cylinder{size[0], 2 * size[1]};
  } else if (type == "box") {
    need(3);
    g.shape = Box{{2 * size[0], 2 * size[1], 2 * size[2]}};
  } else if (type == "ellipsoid") {
    need(3);
    const double a = size[0] * size[0], b = size[1] * size[1], c = size[2] * size[2];
    volume_of = 4 * std::numbers::pi / 3 * size[0] * size[1] * size[2];
    unit = Vec3(b + c, a + c, a + b) / 5;
  } else {
    return std::nullopt;
  }
  if (type != "ellipsoid") {
    g.has_shape = true;
    volume_of = volume(g.shape);
    unit = unit_inertia(g.shape).moments;
  }
  const auto value = [&](const char* key) {
    const auto list = numbers(e, childclass, label, key);
    return list ? std::optional(source_.exactly(e, label, key, *list, 1)[0]) : std::nullopt;
  };
  g.mass = value("mass").value_or(value("density").value_or(1000) * volume_of);
  if (!(g.mass > 0)) return std::nullopt;
  g.moments = g.mass * unit;
  return g;
}

Body MassSum::body() const {
  Body b;
  b.mass = mass;
  Vec3 centre = Vec3::Zero();
  for (const GeomMass& g : parts) centre += g.mass / mass * g.pose.p;
  b.mass_center = centre;
  Mat3 I = Mat3::Zero();
  for (const GeomMass& g : parts) {
    const Vec3 d = g.pose.p - centre;
    I += g.pose.R * g.moments.asDiagonal() * g.pose.R.transpose() +
         g.mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
  }
  b.inertia = Inertia{{I(0, 0), I(1, 1), I(2, 2)}, {I(0, 1), I(0, 2), I(1, 2)}};
  if (parts.size() == 1 && parts[0].has_shape && parts[0].pose.R.isIdentity(1e-12)) b.shape = parts[0].shape;
  return b;
}

}  // namespace plumb
