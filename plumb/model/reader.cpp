#include "plumb/model/reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "plumb/expression/nearest_name.h"
#include "plumb/model/check.h"
#include "plumb/model/element_types.h"
#include "plumb/model/parameters.h"

namespace plumb {
namespace {

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

// Everything the tables share: the file's name, the parameters, the way to complain.
struct Document {
  std::shared_ptr<const std::string> file;
  std::map<std::string, double> parameters;
};

// One TOML table being read into one element. Every key is read through here, so kinds and lines are
// checked in one place; `only` refuses the keys nobody asks for.
class Table {
 public:
  Table(const Document& doc, const toml::table& table, std::string label)
      : doc_(doc), table_(table), label_(std::move(label)) {}

  Source source() const { return {doc_.file, line_of(table_)}; }

  [[noreturn]] void fail(const toml::node& at, const std::string& message) const {
    throw InputError({doc_.file, line_of(at)}, label_, message);
  }

  void only(const std::vector<std::string>& known) const {
    for (const auto& [key, node] : table_) {
      const std::string name(key.str());
      if (std::ranges::count(known, name) == 0)
        throw InputError(
            {doc_.file, static_cast<int>(key.source().begin.line)}, label_,
            fmt::format("unknown key '{}'{} (known: {})", name, did_you_mean(name, known), fmt::join(known, ", ")));
    }
  }

  bool has(const char* key) const { return table_.contains(key); }
  const toml::node* node(const char* key) const { return table_.get(key); }

  std::optional<double> number(const char* key) const {
    const toml::node* n = node(key);
    return n ? std::optional(number_at(*n, key)) : std::nullopt;
  }
  std::optional<Vec3> vector(const char* key) const {
    const toml::node* n = node(key);
    return n ? std::optional(vector_at(*n, key)) : std::nullopt;
  }
  std::optional<Quantity> quantity(const char* key) const {
    const toml::node* n = node(key);
    return n ? std::optional(quantity_at(*n, key, true)) : std::nullopt;
  }
  // Three numbers or expressions; those that only use parameters become numbers here.
  std::optional<Point> point(const char* key, bool any_channel = false) const {
    const toml::node* n = node(key);
    if (!n) return std::nullopt;
    const toml::array& a = array_at(*n, key, 3);
    Point p;
    for (std::size_t i = 0; i < 3; ++i) p[i] = quantity_at(a[i], key, !any_channel);
    return p;
  }
  std::string text(const char* key, std::string otherwise = {}) const {
    const toml::node* n = node(key);
    if (!n) return otherwise;
    if (const auto s = n->value_exact<std::string>()) return *s;
    fail(*n, fmt::format("{} must be a text in quotes", key));
  }
  // The place of a word in a list of words; the first is the default.
  std::ptrdiff_t choose(const char* key, const std::vector<std::string>& words) const {
    const std::string word = text(key, words[0]);
    const auto at = std::ranges::find(words, word) - words.begin();
    if (at == std::ssize(words))
      fail(*node(key), fmt::format("{} = \"{}\" must be one of: {}", key, word, fmt::join(words, ", ")));
    return at;
  }
  bool truth(const char* key, bool otherwise) const {
    const toml::node* n = node(key);
    if (!n) return otherwise;
    if (const auto b = n->value_exact<bool>()) return *b;
    fail(*n, fmt::format("{} must be true or false", key));
  }
  std::optional<std::vector<std::string>> texts(const char* key) const {
    const toml::node* n = node(key);
    if (!n) return std::nullopt;
    std::vector<std::string> list;
    if (const toml::array* a = n->as_array())
      for (const toml::node& e : *a)
        if (const auto s = e.value_exact<std::string>()) list.push_back(*s);
    if (!n->is_array() || list.size() != n->as_array()->size())
      fail(*n, fmt::format("{} must be a list of names in quotes", key));
    return list;
  }

  std::optional<std::vector<double>> numbers(const char* key) const {
    const toml::node* n = node(key);
    if (!n) return std::nullopt;
    if (!n->is_array()) fail(*n, fmt::format("{} must be a list of numbers", key));
    std::vector<double> list;
    for (const toml::node& e : *n->as_array()) {  // rows of a matrix are put one after the other
      if (!e.is_array())
        list.push_back(number_at(e, key));
      else
        for (const toml::node& x : *e.as_array()) list.push_back(number_at(x, key));
    }
    return list;
  }
  std::optional<std::vector<std::array<double, 2>>> pairs(const char* key) const {
    const toml::node* n = node(key);
    if (!n) return std::nullopt;
    if (!n->is_array()) fail(*n, fmt::format("{} must be a list of pairs [x, y]", key));
    std::vector<std::array<double, 2>> list;
    for (const toml::node& e : *n->as_array()) {
      const toml::array& pair = array_at(e, key, 2);
      list.push_back({number_at(pair[0], key), number_at(pair[1], key)});
    }
    return list;
  }

  double number_at(const toml::node& n, const char* key) const {
    const Quantity q = quantity_at(n, key, false, false);
    return q.value;
  }

  Vec3 vector_at(const toml::node& n, const char* key) const {
    const toml::array& a = array_at(n, key, 3);
    Vec3 v;
    for (int i = 0; i < 3; ++i) v[i] = number_at(a[static_cast<std::size_t>(i)], key);
    return v;
  }

  const toml::array& array_at(const toml::node& n, const char* key, std::size_t size) const {
    const toml::array* a = n.as_array();
    if (!a || a->size() != size) fail(n, fmt::format("{} must be a list of {} numbers", key, size));
    return *a;
  }

  // A number, or an expression. `time_only`: the names allowed are the parameters and t, and are checked
  // here; otherwise channels may appear too and the compiled system checks them. `dynamic` = false: the
  // result must be a number.
  Quantity quantity_at(const toml::node& n, const char* key, bool time_only, bool dynamic = true) const {
    double value = 0;
    if (const auto f = n.value_exact<double>())
      value = *f;
    else if (const auto i = n.value_exact<std::int64_t>())
      value = static_cast<double>(*i);
    else if (const auto s = n.value_exact<std::string>()) {
      const Source at{doc_.file, line_of(n)};
      const std::string element = fmt::format("{}: {}", label_, key);
      const ParameterNames names(doc_.parameters, dynamic);
      if (dynamic && !time_only) {
        // Channels are not known yet: a text that is not plain parameters is kept for later.
        try {
          const Expression e = Expression::parse(*s, names);
          if (!e.is_constant()) return Quantity(*s, at.line);
          value = e.constant();
        } catch (const ExpressionError&) {
          return Quantity(*s, at.line);
        }
      } else {
        const Expression e = parse_expression(*s, names, at, element);
        if (!e.is_constant()) return Quantity(*s, at.line);
        value = e.constant();
      }
    } else {
      fail(n, fmt::format("{} must be a number or an expression in quotes", key));
    }
    if (!std::isfinite(value)) fail(n, fmt::format("{} = {} is not a finite number", key, value));
    Quantity q(value);
    q.line = line_of(n);
    return q;
  }

  Table child(const char* key) const {
    const toml::node* n = node(key);
    if (!n->is_table()) fail(*n, fmt::format("{} must be a table {{ … }}", key));
    return Table(doc_, *n->as_table(), label_ + ": " + key);
  }

 private:
  const Document& doc_;
  const toml::table& table_;
  std::string label_;
};

Quaternion read_rotation(const Table& t) {
  const Table r = t.child("rotation");
  r.only({"axis", "angle", "quaternion"});
  if (const toml::node* n = r.node("quaternion")) {
    if (r.has("axis") || r.has("angle")) r.fail(*n, "give axis and angle, or quaternion, not both");
    const toml::array& a = r.array_at(*n, "quaternion", 4);
    double c[4];
    for (std::size_t i = 0; i < 4; ++i) c[i] = r.number_at(a[i], "quaternion");
    const Quaternion q{c[0], c[1], c[2], c[3]};
    if (!(q.norm() > 0)) r.fail(*n, "quaternion [w, x, y, z] must not be zero");
    return q.normalized();
  }
  const auto axis = r.vector("axis");
  const auto angle = r.number("angle");
  if (!axis || !angle)
    r.fail(*t.node("rotation"), "give { axis = [x, y, z], angle = … } or { quaternion = [w, x, y, z] }");
  if (axis->isZero(0)) r.fail(*r.node("axis"), "axis = [0, 0, 0] has no direction; give a vector that is not zero");
  return Quaternion::from_axis_angle(*axis, *angle);
}

std::optional<Shape> read_shape(const Table& t) {
  std::optional<Shape> shape;
  const auto claim = [&](const char* key) {
    if (!t.has(key)) return false;
    if (shape) t.fail(*t.node(key), fmt::format("{}: the body has a shape already; give one", key));
    return true;
  };
  const auto pair = [&](const char* key) {
    const toml::array& a = t.array_at(*t.node(key), key, 2);
    return std::pair(t.number_at(a[0], key), t.number_at(a[1], key));
  };
  if (claim("box")) shape = Box{*t.vector("box")};
  if (claim("sphere")) shape = Sphere{*t.number("sphere")};
  if (claim("cylinder")) shape = Cylinder{pair("cylinder").first, pair("cylinder").second};
  if (claim("capsule")) shape = Capsule{pair("capsule").first, pair("capsule").second};
  if (claim("hull")) {
    Hull hull;
    const toml::array* points = t.node("hull")->as_array();
    if (!points) t.fail(*t.node("hull"), "hull must be a list of points [[x, y, z], …]");
    for (const toml::node& p : *points) hull.points.push_back(t.vector_at(p, "hull: a point"));
    shape = hull;
  }
  return shape;
}

Body read_body(const Table& t, const std::string& name) {
  t.only({"mass", "density", "box", "sphere", "cylinder", "capsule", "hull", "inertia", "mass_center", "position",
          "rotation", "velocity", "angular_velocity", "angular_velocity_body"});
  Body b;
  b.name = name;
  b.source = t.source();
  b.mass = t.number("mass");
  b.density = t.number("density");
  b.shape = read_shape(t);
  if (const toml::node* n = t.node("inertia")) {
    const std::size_t size = n->is_array() && n->as_array()->size() == 6 ? 6 : 3;
    if (!n->is_array() || n->as_array()->size() != size)
      t.fail(*n, "inertia must be [xx, yy, zz] or [xx, yy, zz, xy, xz, yz]");
    double c[6] = {};
    for (std::size_t i = 0; i < size; ++i) c[i] = t.number_at((*n->as_array())[i], "inertia");
    b.inertia = Inertia{{c[0], c[1], c[2]}, {c[3], c[4], c[5]}};
  }
  b.mass_center = t.vector("mass_center");
  b.position = t.vector("position").value_or(Vec3::Zero());
  if (t.has("rotation")) b.rotation = read_rotation(t);
  b.velocity = t.vector("velocity");
  b.angular_velocity = t.vector("angular_velocity");
  b.angular_velocity_body = t.vector("angular_velocity_body");
  return b;
}

// The keys of the named type, or a complaint about the type itself.
std::vector<std::string> keys_of_type(const Table& t, const toml::table& table, const std::vector<ElementType>& types,
                                      const char* kind) {
  const std::string type = t.text("type");
  const std::vector<std::string> names = type_names(types);
  if (type.empty()) t.fail(table, fmt::format("give type, one of: {}", fmt::join(names, ", ")));
  const ElementType* found = find_type(types, type);
  if (!found)
    t.fail(*t.node("type"), fmt::format("unknown {} type '{}'{} (known: {})", kind, type, did_you_mean(type, names),
                                        fmt::join(names, ", ")));
  return found->keys();
}

Joint read_joint(const Table& t, const toml::table& table, const std::string& name) {
  t.only(keys_of_type(t, table, joint_types(), "joint"));
  Joint j;
  j.name = name;
  j.source = t.source();
  j.type = t.text("type");
  j.from = t.text("from");
  j.to = t.text("to");
  j.point = t.point("point");
  j.from_point = t.point("from_point");
  j.to_point = t.point("to_point");
  j.from_local = t.point("from_local");
  j.to_local = t.point("to_local");
  j.axis = t.vector("axis");
  j.normal = t.vector("normal");
  j.length = t.quantity("length");
  j.angle = t.quantity("angle");
  j.displacement = t.quantity("displacement");
  if (const toml::node* n = t.node("rate")) j.rate = t.quantity_at(*n, "rate", false);
  j.axis_to = t.vector("axis_to");
  j.pitch = t.number("pitch");
  j.radius = t.number("radius");
  j.ratio = t.number("ratio");
  j.joints = t.texts("joints");
  j.coefficients = t.numbers("coefficients");
  if (t.has("function")) j.function = t.text("function");
  j.curve = t.point("curve", true);
  j.range = t.numbers("range");
  j.limits = t.numbers("limits");
  j.restitution = t.number("restitution");
  j.start = t.number("start");
  j.start_rate = t.number("start_rate");
  return j;
}

Force read_force(const Table& t, const toml::table& table, const std::string& name) {
  t.only(keys_of_type(t, table, force_types(), "force"));
  Force f;
  f.name = name;
  f.source = t.source();
  f.type = t.text("type");
  f.from = t.text("from");
  f.to = t.text("to");
  f.on = t.text("on");
  f.joint = t.text("joint");
  f.bodies = t.texts("bodies");
  f.point = t.point("point");
  f.from_point = t.point("from_point");
  f.to_point = t.point("to_point");
  f.local = t.point("local");
  f.from_local = t.point("from_local");
  f.to_local = t.point("to_local");
  f.force = t.point("force", true);
  f.torque = t.point("torque", true);
  f.axes = t.text("axes", "world");
  f.stiffness = t.number("stiffness");
  f.damping = t.number("damping");
  f.length = t.number("length");
  f.angle = t.number("angle");
  f.linear = t.number("linear");
  f.quadratic = t.number("quadratic");
  f.axis = t.vector("axis");
  if (const toml::node* n = t.node("effort")) f.effort = t.quantity_at(*n, "effort", false);
  f.table = t.pairs("table");
  f.stiffness_matrix = t.numbers("stiffness_matrix");
  f.damping_matrix = t.numbers("damping_matrix");
  f.coulomb = t.number("coulomb");
  f.smooth = t.number("smooth");
  return f;
}

PlaneSurface read_plane(const Table& contact) {
  const Table t = contact.child("plane");
  t.only({"point", "normal"});
  if (!t.has("point") || !t.has("normal"))
    t.fail(*contact.node("plane"), "give { point = [x, y, z], normal = [x, y, z] }");
  return {*t.vector("point"), *t.vector("normal")};
}

WallSurface read_wall(const Table& contact) {
  const Table t = contact.child("wall");
  t.only({"center", "normal", "along", "size"});
  for (const char* key : {"center", "normal", "size"})
    if (!t.has(key))
      t.fail(*contact.node("wall"),
             "give { center = [x, y, z], normal = [x, y, z], size = [width, height] } and, for a rectangle that is "
             "turned, along = [x, y, z], the direction of the width");
  const toml::array& size = t.array_at(*t.node("size"), "size", 2);
  WallSurface w{*t.vector("center"), *t.vector("normal"), Vec3::Zero(), t.number_at(size[0], "size"),
                t.number_at(size[1], "size")};
  w.along = t.vector("along").value_or(Vec3::Zero());
  return w;
}

Contact read_contact(const Table& t, const std::string& name) {
  t.only({"plane", "wall", "between", "bodies", "restitution", "friction", "law"});
  Contact c;
  c.name = name;
  c.source = t.source();
  if (t.has("plane")) c.plane = read_plane(t);
  if (t.has("wall")) c.wall = read_wall(t);
  c.between = t.texts("between");
  c.bodies = t.texts("bodies");
  c.restitution = t.number("restitution").value_or(0);
  c.friction = t.number("friction").value_or(0);
  c.law = static_cast<Contact::Law>(t.choose("law", {"newton", "poisson"}));
  return c;
}

Event read_event(const Table& t, const std::string& name) {
  t.only({"zero_of", "direction", "action", "locate"});
  Event e;
  e.name = name;
  e.source = t.source();
  e.zero_of = t.text("zero_of");
  e.direction = static_cast<Event::Direction>(t.choose("direction", {"both", "rising", "falling"}));
  e.action = static_cast<Event::Action>(t.choose("action", {"record", "stop"}));
  e.locate = t.truth("locate", true);
  return e;
}

SimulationSettings read_simulation(const Table& t) {
  t.only({"duration", "method", "tolerance", "step", "output_every", "omega", "alpha", "beta", "theta", "max_step",
          "max_steps", "result_columns", "fix_start"});
  SimulationSettings s;
  s.source = t.source();
  s.duration = t.number("duration");
  s.method = t.text("method", s.method);
  s.tolerance = t.number("tolerance");
  s.step = t.number("step");
  s.output_every = t.number("output_every");
  const toml::node* omega = t.node("omega");
  s.omega_auto = omega && omega->value_exact<std::string>() == "auto";
  if (!s.omega_auto) s.omega = t.number("omega");
  s.theta = t.number("theta");
  s.alpha = t.number("alpha");
  s.beta = t.number("beta");
  s.max_step = t.number("max_step");
  s.max_steps = t.number("max_steps");
  s.fix_start = t.truth("fix_start", false);
  s.result_columns = t.texts("result_columns").value_or(std::vector<std::string>{});
  return s;
}

class Reader {
 public:
  Reader(const toml::table& root, const std::string& file, const Overrides& overrides) : root_(root) {
    doc_.file = std::make_shared<const std::string>(file);
    top().only({"title", "description", "gravity", "parameters", "bodies", "joints", "forces", "contacts", "events",
                "equations", "initial", "watch", "simulation"});
    read_parameters(overrides);
  }

  Model read() {
    Model m;
    m.source = {doc_.file, 0};
    m.parameters = doc_.parameters;
    m.title = top().text("title");
    m.description = top().text("description");
    m.gravity = top().vector("gravity").value_or(m.gravity);
    each("bodies", "body", [&](const Table& t, const toml::table&, const std::string& n) { m.add(read_body(t, n)); });
    each("joints", "joint",
         [&](const Table& t, const toml::table& raw, const std::string& n) { m.add(read_joint(t, raw, n)); });
    each("forces", "force",
         [&](const Table& t, const toml::table& raw, const std::string& n) { m.add(read_force(t, raw, n)); });
    each("contacts", "contact",
         [&](const Table& t, const toml::table&, const std::string& n) { m.add(read_contact(t, n)); });
    each("events", "event", [&](const Table& t, const toml::table&, const std::string& n) { m.add(read_event(t, n)); });
    if (section("equations")) m.equations = read_equations();
    for (const char* key : {"initial", "watch"})
      if (!m.equations && section(key))
        top().fail(*root_.get(key), fmt::format("[{}] belongs to a model of [equations]; there are none", key));
    m.simulation.source = m.source;
    if (const toml::table* t = section("simulation")) m.simulation = read_simulation(Table(doc_, *t, "simulation"));
    return m;
  }

 private:
  Table top() const { return Table(doc_, root_, ""); }

  const toml::table* section(const char* key) const {
    const toml::node* n = root_.get(key);
    if (n && !n->is_table()) top().fail(*n, fmt::format("{0} must be a table, written [{0}]", key));
    return n ? n->as_table() : nullptr;
  }

  // What a table holds, in the order in which it stands in the file.
  std::vector<std::pair<std::string, const toml::node*>> entries(const char* key) const {
    std::vector<std::pair<std::string, const toml::node*>> order;
    if (const toml::table* all = section(key))
      for (const auto& [name, node] : *all) order.emplace_back(std::string(name.str()), &node);
    std::ranges::stable_sort(order, {}, [](const auto& e) {
      return std::pair(e.second->source().begin.line, e.second->source().begin.column);
    });
    return order;
  }

  EquationSet read_equations() const {
    EquationSet set;
    const Table t(doc_, *section("equations"), "equations");
    t.only({"differential", "algebraic"});
    set.source = t.source();
    for (const char* key : {"differential", "algebraic"}) {
      const toml::node* n = t.node(key);
      if (!n) continue;
      t.texts(key);  // refuses everything but a list of texts
      for (const toml::node& e : *n->as_array())
        set.equations.push_back(
            {*e.value_exact<std::string>(), std::string_view(key) == "algebraic", {doc_.file, line_of(e)}});
    }
    const toml::table* initial = section("initial");
    for (const auto& [name, node] : entries("initial")) {
      const Table values(doc_, *initial, "initial");
      InitialValue v{name, 0, node->is_table(), {doc_.file, line_of(*node)}};
      if (v.is_guess) {
        const Table guess = values.child(name.c_str());
        guess.only({"guess"});
        if (!guess.has("guess")) guess.fail(*node, "write a number, or { guess = number }");
        v.value = *guess.number("guess");
      } else {
        v.value = values.number_at(*node, name.c_str());
      }
      set.initial.push_back(v);
    }
    for (const auto& [name, node] : entries("watch")) {
      const Table watch(doc_, *section("watch"), "watch");
      if (!is_valid_name(name)) watch.fail(*node, fmt::format("the name '{}' cannot be used", name));
      set.watch.push_back({name, watch.text(name.c_str()), {doc_.file, line_of(*node)}});
    }
    return set;
  }

  template <class Add>
  void each(const char* key, const char* kind, const Add& add) const {
    for (const auto& [name, node] : entries(key)) {
      const std::string label = fmt::format("{} '{}'", kind, name);
      if (!node->is_table())
        throw InputError({doc_.file, line_of(*node)}, label,
                         fmt::format("must be a table, written [{}.{}]", key, name));
      add(Table(doc_, *node->as_table(), label), *node->as_table(), name);
    }
  }

  void read_parameters(const Overrides& overrides) {
    ParameterTexts texts;
    if (const toml::table* t = section("parameters"))
      for (const auto& [key, node] : *t) {
        const std::string name(key.str());
        const Source at{doc_.file, line_of(node)};
        if (!is_valid_name(name)) throw InputError(at, "parameters", fmt::format("the name '{}' cannot be used", name));
        Quantity q;
        if (const auto f = node.value_exact<double>())
          q = *f;
        else if (const auto i = node.value_exact<std::int64_t>())
          q = static_cast<double>(*i);
        else if (const auto s = node.value_exact<std::string>())
          q = Quantity(*s);
        else
          throw InputError(at, fmt::format("parameter '{}'", name), "must be a number or an expression in quotes");
        q.line = at.line;
        texts[name] = q;
      }
    for (const auto& [name, text] : overrides) {
      if (!texts.contains(name)) {
        std::vector<std::string> known;
        for (const auto& [k, q] : texts) known.push_back(k);
        throw InputError(
            {doc_.file, 0}, fmt::format("--set {}={}", name, text),
            fmt::format("the model has no parameter '{}'{} (parameters: {})", name, did_you_mean(name, known),
                        known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
      }
      texts[name] = Quantity(text, texts[name].line);
    }
    doc_.parameters = resolve_parameters(texts, {doc_.file, 0});
  }

  const toml::table& root_;
  Document doc_;
};

}  // namespace

Model parse_model(const std::string& text, const std::string& file_name, const Overrides& overrides) {
  toml::table root;
  try {
    root = toml::parse(text, file_name);
  } catch (const toml::parse_error& e) {
    throw InputError({std::make_shared<const std::string>(file_name), static_cast<int>(e.source().begin.line)}, "",
                     fmt::format("not a TOML file: {}", e.description()));
  }
  Model m = Reader(root, file_name, overrides).read();
  m.text = text;
  m.overrides = overrides;
  check(m);
  return m;
}

Model read_model(const std::string& path, const Overrides& overrides) {
  namespace fs = std::filesystem;
  const Source at{std::make_shared<const std::string>(path), 0};
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw InputError(at, "", "there is no such file");
  if (fs::is_directory(status)) throw InputError(at, "", "is a directory; name a model file");
  if (const auto size = fs::file_size(path, error); !error && size > max_model_bytes)
    throw InputError(
        at, "", fmt::format("{} MiB are too many; model files are at most {} MiB", size >> 20, max_model_bytes >> 20));
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(at, "", "cannot be opened for reading");
  // In pieces: a pipe does not tell its size beforehand.
  std::string text;
  for (char piece[65536]; in.read(piece, sizeof piece) || in.gcount() > 0;) {
    text.append(piece, static_cast<std::size_t>(in.gcount()));
    if (text.size() > max_model_bytes)
      throw InputError(at, "", fmt::format("model files are at most {} MiB long", max_model_bytes >> 20));
  }
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) throw InputError(at, "", "the file is empty");
  return parse_model(text, path, overrides);
}

}  // namespace plumb
