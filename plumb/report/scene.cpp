#include "plumb/report/scene.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace plumb {
namespace {

using Json = nlohmann::ordered_json;

Json list(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

// One overload for each shape; a new one is one line here and one in web/src/shapes.ts.
struct ShapeJson {
  Json operator()(const Box& s) const { return {{"type", "box"}, {"size", list(s.size)}}; }
  Json operator()(const Sphere& s) const { return {{"type", "sphere"}, {"radius", s.radius}}; }
  Json operator()(const Cylinder& s) const {
    return {{"type", "cylinder"}, {"radius", s.radius}, {"height", s.height}};
  }
  Json operator()(const Capsule& s) const { return {{"type", "capsule"}, {"radius", s.radius}, {"height", s.height}}; }
  Json operator()(const Hull& s) const {
    Json points = Json::array();
    for (const Vec3& p : s.points) points.push_back(list(p));
    return {{"type", "hull"}, {"points", points}};
  }
};

// A body known by its inertia alone is shown as the homogeneous box that has it: with principal moments A, B, C the
// edges are a² = 6 (B + C - A) / m and so on; its axes need not be those of the body.
Json equivalent_box(const SystemBody& b) {
  Vec3 edges;
  for (int i = 0; i < 3; ++i) edges[i] = std::sqrt(std::max(0.0, 6 * (b.moments.sum() - 2 * b.moments[i]) / b.mass));
  return {
      {"type", "box"}, {"size", list(edges)}, {"equivalent", true}, {"axes", {b.axes.w, b.axes.x, b.axes.y, b.axes.z}}};
}

Json body(const Body& given, const SystemBody& b) {
  Json j = {{"name", b.name}, {"mass", b.mass}};
  if (given.shape) {
    j["shape"] = std::visit(ShapeJson{}, *given.shape);
    if (!b.mass_center.isZero(0)) j["shape"]["offset"] = list(-b.mass_center);
  } else if (b.kind == BodyKind::rigid) {
    j["shape"] = equivalent_box(b);
  } else {
    j["shape"] = {{"type", "point"}};
  }
  return j;
}

class Ends {
 public:
  Ends(const System& system, const std::vector<double>& times, PackedColumns& tracks)
      : system_(system), times_(times), tracks_(tracks) {}

  Json operator()(const End& e) {
    Json j = {{"body", e.body}};
    if (e.motion >= 0)
      j["track"] = track(e);
    else
      j["at"] = list(in_body_axes(e, Eigen::Map<const Vec3>(system_.anchors.data() + 3 * e.anchor)));
    return j;
  }

 private:
  // Anchors are kept in principal axes.
  Vec3 in_body_axes(const End& e, const Vec3& s) const {
    if (e.kind == BodyKind::point) return Vec3::Zero();
    return e.kind == BodyKind::rigid ? Vec3(system_.bodies[e.body].axes.matrix() * s) : s;
  }

  std::size_t track(const End& e) {
    const MovingAnchor& m = system_.moving_anchors[e.motion];
    std::vector<double> values[3];
    for (const double t : times_) {
      Vec3 p;
      for (int k = 0; k < 3; ++k) p[k] = system_.drivers[m.first_driver + k].evaluate_in_time(t).value;
      const Vec3 s = in_body_axes(e, m.R * (p - m.offset));
      for (int k = 0; k < 3; ++k) values[k].push_back(s[k]);
    }
    const std::size_t first = tracks_.size();
    for (const auto& v : values) tracks_.add("", "m", v, {0, 0});
    return first;
  }

  const System& system_;
  const std::vector<double>& times_;
  PackedColumns& tracks_;
};

// Couplings of joints and of directions alone are nowhere in particular.
bool has_a_place(const SystemJoint& j) {
  return j.coupler < 0 && j.type != "parallel-axes" && j.type != "perpendicular-axes";
}

Json joint(const Model& model, const Joint& given, const SystemJoint& j, Ends& ends) {
  Json out = {{"name", j.name}, {"type", j.type}, {"from", ends(j.from)}, {"to", ends(j.to)}};
  // World axes at the start, seen from the body that carries them.
  if (const auto& direction = given.axis ? given.axis : given.normal) {
    Vec3 d = direction->normalized();
    if (j.from.kind == BodyKind::rigid) d = model.bodies[j.from.body].rotation.matrix().transpose() * d;
    out["axis"] = list(d);
  }
  return out;
}

Json surface(const Contact& c) {
  if (c.plane)
    return {{"name", c.name},
            {"type", "plane"},
            {"point", list(c.plane->point)},
            {"normal", list(c.plane->normal.normalized())}};
  return {{"name", c.name},
          {"type", "wall"},
          {"center", list(c.wall->center)},
          {"normal", list(c.wall->normal.normalized())},
          {"along", list(c.wall->along)},
          {"width", c.wall->width},
          {"height", c.wall->height}};
}

}  // namespace

Json scene(const Model& model, const System& system, const std::vector<double>& times, PackedColumns& tracks) {
  Json j = {{"gravity", list(system.gravity)},
            {"bodies", Json::array()},
            {"joints", Json::array()},
            {"springs", Json::array()},
            {"surfaces", Json::array()}};
  Ends ends(system, times, tracks);
  for (std::size_t i = 0; i < system.bodies.size(); ++i) j["bodies"].push_back(body(model.bodies[i], system.bodies[i]));
  for (std::size_t i = 0; i < system.joints.size(); ++i)
    if (has_a_place(system.joints[i])) j["joints"].push_back(joint(model, model.joints[i], system.joints[i], ends));
  std::size_t spring = 0;
  for (const Force& f : model.forces)
    if (f.type == "spring") {
      const Spring& s = system.springs[spring++];
      j["springs"].push_back({{"name", f.name}, {"from", ends(s.from)}, {"to", ends(s.to)}, {"length", s.length}});
    }
  for (const Contact& c : model.contacts)
    if (c.plane || c.wall) j["surfaces"].push_back(surface(c));
  return j;
}

}  // namespace plumb
