#include "plumb/equations/from_mechanism.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "plumb/model/check.h"
#include "plumb/simulation/simulation.h"

namespace plumb {
namespace {

constexpr const char* axis_names = "xyz";

// A number as the shortest text that gives it back.
std::string number(double x) { return fmt::format("{}", x); }

class Translator {
 public:
  explicit Translator(const Model& mechanism) : in_(mechanism), bodies_(mechanism), simulation_(mechanism) {
    refuse();
    for (const Joint& j : in_.joints) rods_.push_back(read_rod(j));
    choose_axes();
  }

  Model translate() {
    if (const auto& outcome = simulation_.outcome()) throw InputError(outcome->describe());
    out_.title = in_.title;
    out_.source = in_.source;
    out_.simulation = in_.simulation;
    out_.equations.emplace();
    out_.equations->source = in_.source;
    parameters();
    for (std::size_t b = 0; b < in_.bodies.size(); ++b)
      for (int axis : axes_) motion(static_cast<int>(b), axis);
    for (const Rod& rod : rods_) constraint(rod);
    initial();
    energy();
    out_.text = in_.text;
    check(out_);
    return std::move(out_);
  }

 private:
  struct Rod {
    std::string name;
    int from, to;         // bodies, -1: the ground
    Vec3 from_at, to_at;  // on the ground
    std::string length;   // the name of its parameter, or an expression of t
  };

  void refuse() const {
    const auto fail = [](const Source& s, const std::string& label, const std::string& what) {
      throw InputError(s, label, what + "; equations are written for point masses and rods");
    };
    for (const Body& b : in_.bodies)
      if (!b.is_point()) fail(b.source, fmt::format("body '{}'", b.name), "is a rigid body");
    for (const Joint& j : in_.joints)
      if (j.type != "rod") fail(j.source, fmt::format("joint '{}'", j.name), fmt::format("is of type {}", j.type));
    for (const Force& f : in_.forces)
      fail(f.source, fmt::format("force '{}'", f.name), fmt::format("is of type {}", f.type));
    for (const Contact& c : in_.contacts) fail(c.source, fmt::format("contact '{}'", c.name), "is a contact");
  }

  Rod read_rod(const Joint& j) {
    Rod rod{
        j.name, bodies_.index(j.from, j.source, j.name, "from"), bodies_.index(j.to, j.source, j.name, "to"), {}, {},
        {}};
    const auto place = [&](int body, const std::optional<Point>& point, const std::optional<Point>& local) {
      if (body >= 0) {
        if (local)
          throw InputError(j.source, fmt::format("joint '{}'", j.name),
                           "is anchored beside a point mass, which has no axes");
        return Vec3(in_.bodies[static_cast<std::size_t>(body)].position);
      }
      const auto& given = point ? point : local ? local : j.point;
      Vec3 at = Vec3::Zero();
      for (int k = 0; k < 3 && given; ++k) {
        const Quantity& q = (*given)[static_cast<std::size_t>(k)];
        if (!q.is_number())
          throw InputError(j.source, fmt::format("joint '{}'", j.name),
                           "has a moving anchor; equations are written for fixed ones");
        at[k] = q.value;
      }
      return at;
    };
    rod.from_at = place(rod.from, j.from_point, j.from_local);
    rod.to_at = place(rod.to, j.to_point, j.to_local);
    if (j.length && !j.length->is_number())
      rod.length = "(" + j.length->expression + ")";
    else
      lengths_.emplace_back("l_" + clean(j.name), j.length ? j.length->value : (rod.to_at - rod.from_at).norm());
    if (rod.length.empty()) rod.length = lengths_.back().first;
    return rod;
  }

  // Axes along which something can happen.
  void choose_axes() {
    for (int k = 0; k < 3; ++k) {
      bool still = in_.gravity[k] == 0;
      const double at = in_.bodies[0].position[k];
      for (const Body& b : in_.bodies) still = still && b.position[k] == at && (!b.velocity || (*b.velocity)[k] == 0);
      for (const Rod& r : rods_) {
        if (r.from < 0) still = still && r.from_at[k] == at;
        if (r.to < 0) still = still && r.to_at[k] == at;
      }
      if (!still) axes_.push_back(k);
    }
    if (axes_.empty()) axes_ = {0, 1, 2};
  }

  static std::string clean(std::string name) {
    for (char& c : name)
      if (c == '-') c = '_';
    return name;
  }
  bool is_single() const { return in_.bodies.size() == 1; }
  std::string coordinate(int body, int axis) const {
    return is_single() ? std::string(1, axis_names[axis])
                       : fmt::format("{}_{}", clean(in_.bodies[static_cast<std::size_t>(body)].name), axis_names[axis]);
  }
  std::string velocity(int body, int axis) const {
    return is_single()
               ? fmt::format("v{}", axis_names[axis])
               : fmt::format("{}_v{}", clean(in_.bodies[static_cast<std::size_t>(body)].name), axis_names[axis]);
  }
  std::string mass(int body) const {
    return is_single() ? "m" : "m_" + clean(in_.bodies[static_cast<std::size_t>(body)].name);
  }
  std::string multiplier(const Rod& r) const { return rods_.size() == 1 ? "mu" : "mu_" + clean(r.name); }
  std::string gravity(int axis) const { return axes_with_gravity_ == 1 ? "g" : fmt::format("g_{}", axis_names[axis]); }

  void parameters() {
    // Expressions of t keep the names of the mechanism's parameters.
    for (const Joint& j : in_.joints)
      if (j.length && !j.length->is_number()) out_.parameters = in_.parameters;
    for (int k = 0; k < 3; ++k) axes_with_gravity_ += in_.gravity[k] != 0;
    for (int k = 0; k < 3; ++k)
      if (in_.gravity[k] != 0) out_.parameters[gravity(k)] = std::abs(in_.gravity[k]);
    for (std::size_t b = 0; b < in_.bodies.size(); ++b)
      if (*in_.bodies[b].mass != 1) out_.parameters[mass(static_cast<int>(b))] = *in_.bodies[b].mass;
    for (const auto& [name, value] : lengths_) out_.parameters[name] = value;
  }

  // "(x - 2)" from one end of a rod to the other, along an axis.
  std::string span(const Rod& r, int from, int to, const Vec3& from_at, int axis) const {
    static_cast<void>(r);
    const std::string here = coordinate(to, axis);
    if (from >= 0) return fmt::format("({} - {})", here, coordinate(from, axis));
    const double a = from_at[axis];
    return a == 0  ? here
           : a > 0 ? fmt::format("({} - {})", here, number(a))
                   : fmt::format("({} + {})", here, number(-a));
  }

  void add(const std::string& text, bool is_algebraic) {
    out_.equations->equations.push_back({text, is_algebraic, in_.source});
  }

  void motion(int body, int axis) {
    add(fmt::format("{}' = {}", coordinate(body, axis), velocity(body, axis)), false);
    std::string force;
    for (const Rod& r : rods_) {
      if (r.to == body) force += fmt::format(" - {}*{}", span(r, r.from, r.to, r.from_at, axis), multiplier(r));
      if (r.from == body) force += fmt::format(" - {}*{}", span(r, r.to, r.from, r.to_at, axis), multiplier(r));
    }
    const double m = *in_.bodies[static_cast<std::size_t>(body)].mass, g = in_.gravity[axis];
    if (!force.empty() && force.compare(0, 3, " - ") == 0) force = "-" + force.substr(3);
    if (m != 1 && !force.empty()) force = fmt::format("({})/{}", force, mass(body));
    if (g != 0)
      force += fmt::format("{}{}{}", g < 0 ? (force.empty() ? "-" : " - ") : (force.empty() ? "" : " + "),
                           gravity(axis), "");
    add(fmt::format("{}' = {}", velocity(body, axis), force.empty() ? "0" : force), false);
  }

  void constraint(const Rod& r) {
    std::vector<std::string> squares;
    for (int axis : axes_)
      squares.push_back(r.to >= 0 ? span(r, r.from, r.to, r.from_at, axis) + "^2"
                                  : span(r, r.to, r.from, r.to_at, axis) + "^2");
    add(fmt::format("{} = {}^2", fmt::join(squares, " + "), r.length), true);
  }

  void initial() {
    const System& s = simulation_.system();
    const double* const y = simulation_.state();
    for (std::size_t b = 0; b < in_.bodies.size(); ++b)
      for (int axis : axes_) {
        const int body = static_cast<int>(b);
        out_.equations->initial.push_back({coordinate(body, axis), y[s.bodies[b].q + axis], false, in_.source});
        out_.equations->initial.push_back({velocity(body, axis), y[s.nq + s.bodies[b].v + axis], false, in_.source});
      }
  }

  void energy() {
    std::string sum;
    for (std::size_t b = 0; b < in_.bodies.size(); ++b) {
      const int body = static_cast<int>(b);
      const bool unit = *in_.bodies[b].mass == 1;
      std::vector<std::string> squares;
      for (int axis : axes_) squares.push_back(velocity(body, axis) + "^2");
      sum +=
          fmt::format("{}{}({})/2", sum.empty() ? "" : " + ", unit ? "" : mass(body) + "*", fmt::join(squares, " + "));
      for (int axis : axes_)
        if (in_.gravity[axis] != 0)
          sum += fmt::format(" {} {}{}*{}", in_.gravity[axis] < 0 ? "+" : "-", unit ? "" : mass(body) + "*",
                             gravity(axis), coordinate(body, axis));
    }
    out_.equations->watch.push_back({"energy", sum, in_.source});
  }

  const Model& in_;
  BodyLookup bodies_;
  Simulation simulation_;
  std::vector<Rod> rods_;
  std::vector<std::pair<std::string, double>> lengths_;
  std::vector<int> axes_;
  int axes_with_gravity_ = 0;
  Model out_;
};

}  // namespace

Model equations_of_mechanism(const Model& mechanism) { return Translator(mechanism).translate(); }

std::string as_model_file(const Model& m) {
  const auto quoted = [](const std::string& s) {
    std::string out = "\"";
    for (char c : s) out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return out + "\"";
  };
  std::string out;
  if (!m.title.empty()) out += fmt::format("title = {}\n", quoted(m.title));
  if (!m.parameters.empty()) out += "\n[parameters]\n";
  for (const auto& [name, value] : m.parameters) out += fmt::format("{} = {}\n", name, number(value));
  out += "\n[equations]\n";
  for (const bool algebraic : {false, true}) {
    std::vector<std::string> list;
    for (const EquationText& e : m.equations->equations)
      if (e.is_algebraic == algebraic) list.push_back("\n  " + quoted(e.text));
    if (!list.empty())
      out += fmt::format("{} = [{}\n]\n", algebraic ? "algebraic" : "differential", fmt::join(list, ","));
  }
  out += "\n[initial]\n";
  for (const InitialValue& v : m.equations->initial) {
    const std::string key = v.name.find('\'') == std::string::npos ? v.name : quoted(v.name);
    out += v.is_guess ? fmt::format("{} = {{ guess = {} }}\n", key, number(v.value))
                      : fmt::format("{} = {}\n", key, number(v.value));
  }
  if (!m.equations->watch.empty()) out += "\n[watch]\n";
  for (const WatchedQuantity& w : m.equations->watch) out += fmt::format("{} = {}\n", w.name, quoted(w.expression));
  const SimulationSettings& s = m.simulation;
  out += "\n[simulation]\n";
  if (s.duration) out += fmt::format("duration = {}\n", number(*s.duration));
  out += fmt::format("method = {}\n", quoted(s.method));
  if (s.tolerance) out += fmt::format("tolerance = {}\n", number(*s.tolerance));
  if (s.step) out += fmt::format("step = {}\n", number(*s.step));
  if (s.omega) out += fmt::format("omega = {}\n", number(*s.omega));
  if (s.omega_auto) out += "omega = \"auto\"\n";
  if (s.output_every) out += fmt::format("output_every = {}\n", number(*s.output_every));
  return out;
}

}  // namespace plumb
