// Attributes of MJCF elements with their default classes; masses of geoms and their sum.
#pragma once

#include <map>
#include <numbers>

#include "plumb/convert/xml.h"

namespace plumb {

struct GeomMass {
  double mass = 0;
  Pose pose;  // of the centre and principal axes, in the body
  Vec3 moments;
  Shape shape;
  bool has_shape = false;
};

// The body made of several geoms.
struct MassSum {
  double mass = 0;
  std::vector<GeomMass> parts;

  void add(const GeomMass& g) { mass += g.mass, parts.push_back(g); }
  Body body() const;  // mass, mass centre and inertia in body axes; its shape where it is a single geom in those axes
};

class MjcfAttributes {
 public:
  explicit MjcfAttributes(const XmlSource& source) : source_(source) {}

  bool degrees = true;
  std::string euler = "xyz";
  double angle_unit() const { return degrees ? std::numbers::pi / 180 : 1; }

  void read_defaults(const Element& e) { read_class(e, "main", ""); }

  // The element's own value, or that of its class, of the body's childclass, or of the main class.
  std::optional<std::string> get(const Element& e, const std::string& childclass, const char* key) const;
  std::optional<std::vector<double>> numbers(const Element& e, const std::string& childclass, const std::string& label,
                                             const char* key) const;
  std::optional<Vec3> vector(const Element& e, const std::string& childclass, const std::string& label,
                             const char* key) const;

  Pose pose(const Element& e, const std::string& label, const std::string& childclass = "") const;
  Body inertial(const Element& e, const std::string& label) const;
  std::optional<GeomMass> geom(const Element& e, const std::string& childclass, const std::string& label) const;

 private:
  void read_class(const Element& e, const std::string& name, const std::string& parent);

  const XmlSource& source_;
  std::map<std::string, std::map<std::string, std::string>> classes_;  // class -> "tag.key" -> value
};

}  // namespace plumb
