// A model as text. Numbers are written so that reading them gives the same bits.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plumb/convert/import.h"

namespace plumb {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

std::string number(double x) {
  std::string s = fmt::format("{}", x);  // shortest that reads back the same
  return s.find_first_of(".en") == std::string::npos ? s + ".0" : s;
}
std::string value(double x) { return number(x); }
std::string value(const std::string& s) { return quoted(s); }
std::string value(const Quantity& q) { return q.is_number() ? number(q.value) : quoted(q.expression); }
std::string value(const Vec3& v) { return fmt::format("[{}, {}, {}]", number(v.x()), number(v.y()), number(v.z())); }
std::string value(const Point& p) { return fmt::format("[{}, {}, {}]", value(p[0]), value(p[1]), value(p[2])); }
std::string value(const std::array<double, 2>& p) { return fmt::format("[{}, {}]", number(p[0]), number(p[1])); }
template <class T>
std::string value(const std::vector<T>& list) {
  std::string s;
  for (const T& x : list) s += (s.empty() ? "" : ", ") + value(x);
  return "[" + s + "]";
}

class Writer {
 public:
  void table(const std::string& name) { out_ += fmt::format("\n[{}]\n", name); }
  template <class T>
  void put(const char* key, const T& x) {
    out_ += fmt::format("{} = {}\n", key, value(x));
  }
  template <class T>
  void put(const char* key, const std::optional<T>& x) {
    if (x) put(key, *x);
  }
  void raw(const std::string& line) { out_ += line + "\n"; }
  std::string text() { return std::move(out_); }

 private:
  std::string out_;
};

void write_body(Writer& w, const Body& b) {
  w.table("bodies." + b.name);
  if (b.shape) {
    if (const auto* box = std::get_if<Box>(&*b.shape)) w.put("box", box->size);
    if (const auto* s = std::get_if<Sphere>(&*b.shape)) w.put("sphere", s->radius);
    if (const auto* c = std::get_if<Cylinder>(&*b.shape)) w.put("cylinder", std::vector<double>{c->radius, c->height});
    if (const auto* h = std::get_if<Hull>(&*b.shape)) w.put("hull", h->points);
    if (const auto* c = std::get_if<Capsule>(&*b.shape)) w.put("capsule", std::vector<double>{c->radius, c->height});
  }
  w.put("mass", b.mass);
  w.put("density", b.density);
  if (b.inertia) {
    const Vec3 &m = b.inertia->moments, &p = b.inertia->products;
    std::vector<double> list = {m.x(), m.y(), m.z()};
    if (!p.isZero(0)) list.insert(list.end(), {p.x(), p.y(), p.z()});
    w.put("inertia", list);
  }
  w.put("mass_center", b.mass_center);
  w.put("position", b.position);
  const Quaternion& q = b.rotation;
  if (q.x != 0 || q.y != 0 || q.z != 0)
    w.raw(fmt::format("rotation = {{ quaternion = {} }}", value(std::vector<double>{q.w, q.x, q.y, q.z})));
  w.put("velocity", b.velocity);
  w.put("angular_velocity", b.angular_velocity);
  w.put("angular_velocity_body", b.angular_velocity_body);
}

void write_joint(Writer& w, const Joint& j) {
  w.table("joints." + j.name);
  w.put("type", j.type);
  if (!j.from.empty()) w.put("from", j.from), w.put("to", j.to);
  w.put("point", j.point);
  w.put("from_point", j.from_point);
  w.put("to_point", j.to_point);
  w.put("from_local", j.from_local);
  w.put("to_local", j.to_local);
  w.put("axis", j.axis);
  w.put("axis_to", j.axis_to);
  w.put("normal", j.normal);
  w.put("length", j.length);
  w.put("angle", j.angle);
  w.put("displacement", j.displacement);
  w.put("rate", j.rate);
  w.put("pitch", j.pitch);
  w.put("radius", j.radius);
  w.put("ratio", j.ratio);
  w.put("joints", j.joints);
  w.put("coefficients", j.coefficients);
  w.put("function", j.function);
  w.put("curve", j.curve);
  w.put("range", j.range);
  w.put("limits", j.limits);
  w.put("restitution", j.restitution);
  w.put("start", j.start);
  w.put("start_rate", j.start_rate);
}

void write_force(Writer& w, const Force& f) {
  w.table("forces." + f.name);
  w.put("type", f.type);
  if (!f.from.empty()) w.put("from", f.from), w.put("to", f.to);
  if (!f.on.empty()) w.put("on", f.on);
  if (!f.joint.empty()) w.put("joint", f.joint);
  w.put("bodies", f.bodies);
  w.put("point", f.point);
  w.put("from_point", f.from_point);
  w.put("to_point", f.to_point);
  w.put("local", f.local);
  w.put("from_local", f.from_local);
  w.put("to_local", f.to_local);
  w.put("force", f.force);
  w.put("torque", f.torque);
  if (f.axes != "world") w.put("axes", f.axes);
  w.put("stiffness", f.stiffness);
  w.put("damping", f.damping);
  w.put("length", f.length);
  w.put("angle", f.angle);
  w.put("linear", f.linear);
  w.put("quadratic", f.quadratic);
  w.put("axis", f.axis);
  w.put("effort", f.effort);
  w.put("table", f.table);
  w.put("stiffness_matrix", f.stiffness_matrix);
  w.put("damping_matrix", f.damping_matrix);
  w.put("coulomb", f.coulomb);
  w.put("smooth", f.smooth);
}

}  // namespace

std::string write_model(const Model& model) {
  Writer w;
  if (!model.title.empty()) w.put("title", model.title);
  w.put("gravity", model.gravity);
  for (const Body& b : model.bodies) write_body(w, b);
  for (const Joint& j : model.joints) write_joint(w, j);
  for (const Force& f : model.forces) write_force(w, f);
  w.table("simulation");
  w.put("duration", model.simulation.duration);
  w.put("method", model.simulation.method);
  w.put("tolerance", model.simulation.tolerance);
  w.put("step", model.simulation.step);
  return w.text();
}

}  // namespace plumb
