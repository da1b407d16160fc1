#include "plumb/report/sliders.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "plumb/expression/expression.h"
#include "plumb/expression/nearest_name.h"
#include "plumb/model/parameters.h"
#include "plumb/model/reader.h"

namespace plumb {
namespace {

constexpr std::size_t most_bodies = 8;

// Three times as much either way; a value of zero has no size and gets `otherwise`.
Slider around(std::string name, std::string unit, double value, double otherwise) {
  const double far = value == 0 ? otherwise : 3 * std::abs(value);
  return {name, name, std::move(unit), value, -far, far};
}

bool is_plain_number(const toml::node& node) {
  if (node.is_number()) return true;
  const auto text = node.value<std::string>();
  if (!text) return false;
  try {
    return Expression::parse(*text, ParameterNames({}, false)).is_constant();
  } catch (const ExpressionError&) {
    return false;
  }
}

struct Coordinate {
  const char* suffix;
  const char* unit;
  double otherwise;
};
const Coordinate coordinates[] = {{"x", "m", 1},       {"y", "m", 1},       {"z", "m", 1},
                                  {"vx", "m/s", 5},    {"vy", "m/s", 5},    {"vz", "m/s", 5},
                                  {"wx", "rad/s", 10}, {"wy", "rad/s", 10}, {"wz", "rad/s", 10}};

double start_value(const Body& b, std::size_t c) {
  const auto k = static_cast<Eigen::Index>(c % 3);
  if (c < 3) return b.position[k];
  if (c < 6) return b.velocity ? (*b.velocity)[k] : 0;
  if (b.angular_velocity) return (*b.angular_velocity)[k];
  return b.angular_velocity_body ? (b.rotation.matrix() * *b.angular_velocity_body)[k] : 0;
}

void set_start(Body& b, std::size_t c, double value) {
  const auto k = static_cast<Eigen::Index>(c % 3);
  if (c < 3) {
    b.position[k] = value;
  } else if (c < 6) {
    if (!b.velocity) b.velocity = Vec3::Zero();
    (*b.velocity)[k] = value;
  } else {
    Vec3 omega;
    for (std::size_t i = 0; i < 3; ++i) omega[static_cast<Eigen::Index>(i)] = start_value(b, 6 + i);
    omega[k] = value;
    b.angular_velocity_body.reset();
    b.angular_velocity = omega;
  }
}

std::size_t coordinates_of(const Body& b) { return b.is_point() ? 6 : 9; }

bool move_start(Model& model, const std::string& name, double value) {
  for (std::size_t i = 0; i < std::min(model.bodies.size(), most_bodies); ++i)
    for (std::size_t c = 0; c < coordinates_of(model.bodies[i]); ++c)
      if (name == model.bodies[i].name + "." + coordinates[c].suffix) {
        set_start(model.bodies[i], c, value);
        model.overrides.emplace_back(name, fmt::format("{}", value));
        return true;
      }
  return false;
}

}  // namespace

std::vector<Slider> parameter_sliders(const Model& model) {
  std::vector<Slider> all;
  const toml::table root = toml::parse(model.text);
  const toml::table* given = root["parameters"].as_table();
  if (!given) return all;
  for (const auto& [name, value] : model.parameters) {
    const toml::node* node = given->get(name);
    if (!node || !is_plain_number(*node)) continue;
    Slider s = around(name, "", value, 1);
    // Most parameters keep their sign: lengths, masses, stiffnesses.
    if (value > 0) s.low = value / 10;
    if (value < 0) s.high = value / 10;
    all.push_back(s);
  }
  return all;
}

std::vector<Slider> start_sliders(const Model& model) {
  std::vector<Slider> all;
  for (std::size_t i = 0; i < std::min(model.bodies.size(), most_bodies); ++i)
    for (std::size_t c = 0; c < coordinates_of(model.bodies[i]); ++c)
      all.push_back(around(model.bodies[i].name + "." + coordinates[c].suffix, coordinates[c].unit,
                           start_value(model.bodies[i], c), coordinates[c].otherwise));
  return all;
}

Model moved(const Model& model, const std::map<std::string, double>& values) {
  Overrides overrides = model.overrides;
  std::map<std::string, double> start;
  for (const auto& [name, value] : values) {
    if (!std::isfinite(value)) throw InputError(fmt::format("{}: is not a finite number", name));
    if (!model.parameters.contains(name)) {
      start[name] = value;
      continue;
    }
    std::erase_if(overrides, [&n = name](const auto& o) { return o.first == n; });
    overrides.emplace_back(name, fmt::format("{}", value));
  }
  Model m = parse_model(model.text, model.source.file ? *model.source.file : "model", overrides);
  for (const auto& [name, value] : start)
    if (!move_start(m, name, value)) {
      std::vector<std::string> known;
      for (const Slider& s : parameter_sliders(model)) known.push_back(s.name);
      for (const Slider& s : start_sliders(model)) known.push_back(s.name);
      throw InputError(fmt::format("there is nothing named '{}' to move{}", name, did_you_mean(name, known)));
    }
  return m;
}

nlohmann::ordered_json json(const std::vector<Slider>& sliders) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Slider& s : sliders)
    all.push_back(
        {{"name", s.name}, {"label", s.label}, {"unit", s.unit}, {"value", s.value}, {"min", s.low}, {"max", s.high}});
  return all;
}

}  // namespace plumb
