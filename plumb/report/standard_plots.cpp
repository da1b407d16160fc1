#include "plumb/report/standard_plots.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <nlohmann/json.hpp>

namespace plumb {
namespace {

bool has(const Trajectory& t, const std::string& name) { return std::ranges::count(t.columns(), name) > 0; }

// Whether a column moves by more than rounding.
bool varies(const Trajectory& t, const std::string& name) {
  const std::vector<double> v = t[name];
  double low = v[0], high = v[0];
  for (const double x : v) low = std::min(low, x), high = std::max(high, x);
  return high - low > 1e-9 * std::max({1.0, std::abs(low), std::abs(high)});
}

// Coordinates that move, of the first bodies; at most six, so that they can be told apart.
std::vector<std::string> moving_coordinates(const StoredRun& run) {
  std::vector<std::string> names;
  if (!run.model) return names;
  for (const Body& b : run.model->bodies)
    for (const char* axis : {".x", ".y", ".z"})
      if (const std::string name = b.name + axis;
          names.size() < 6 && has(run.trajectory, name) && varies(run.trajectory, name))
        names.push_back(name);
  return names;
}

std::string axis_label(const std::vector<std::string>& names, const std::vector<std::string>& units) {
  const std::set<std::string> different(units.begin(), units.end());
  std::string label = names.size() == 1 ? names[0] : "";
  if (different.size() == 1 && !units[0].empty()) label += fmt::format("{}({})", label.empty() ? "" : " ", units[0]);
  return label;
}

}  // namespace

std::string unit_of(const std::optional<System>& system, const std::string& channel) {
  if (channel == "t") return "s";
  if (!system) return "";
  const std::optional<Channel> c = find_channel(*system, channel);
  return c ? unit(*c) : "";
}

std::optional<System> system_of(const StoredRun& run) {
  if (!run.model || run.model->bodies.empty()) return std::nullopt;
  return compile(*run.model);
}

std::vector<ChannelPlot> standard_plots(const StoredRun& run) {
  std::vector<ChannelPlot> plots;
  const Trajectory& t = run.trajectory;
  if (t.rows() < 2) return plots;
  if (!run.model || run.model->bodies.empty()) {
    std::vector<std::string> names;
    for (const std::string& c : t.columns())
      if (names.size() < 6 && c != "t" && c.find('.') == std::string::npos) names.push_back(c);
    if (!names.empty()) plots.push_back({"Solution", names});
    if (names.size() > 1) plots.push_back({"Phase", {names[1]}, names[0]});
  }
  if (auto names = moving_coordinates(run); !names.empty()) plots.push_back({"Motion", names});
  if (has(t, "energy.total")) {
    plots.push_back({"Energy", {"energy.kinetic", "energy.potential", "energy.total"}});
    if (has(t, "energy.dissipated") && (varies(t, "energy.dissipated") || varies(t, "energy.work")))
      plots.push_back({"Work and losses", {"energy.total", "energy.work", "energy.dissipated"}});
    plots.push_back({"Energy drift", {"energy.drift"}});
  }
  if (has(t, "violation.position") && (!run.model || run.model->bodies.empty() || !run.model->joints.empty()))
    plots.push_back({"Constraint violation", {"violation.position", "violation.velocity"}, "t", true});
  if (run.model && !run.model->contacts.empty()) {
    std::vector<std::string> gaps;
    for (const Contact& c : run.model->contacts)
      if (gaps.size() < 6 && has(t, c.name + ".gap") && varies(t, c.name + ".gap")) gaps.push_back(c.name + ".gap");
    if (!gaps.empty()) plots.push_back({"Gaps", gaps});
  }
  return plots;
}

nlohmann::ordered_json standard_plots_json(const StoredRun& run) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const ChannelPlot& p : standard_plots(run))
    all.push_back({{"title", p.title}, {"channels", p.channels}, {"x", p.x}, {"log", p.log}});
  return all;
}

Figure figure_of(const StoredRun& run, const ChannelPlot& plot) {
  const std::optional<System> system = system_of(run);
  Figure f;
  f.title = plot.title;
  const std::vector<double> x = run.trajectory[plot.x];
  const std::string x_unit = unit_of(system, plot.x);
  f.x.label = x_unit.empty() ? plot.x : fmt::format("{} ({})", plot.x, x_unit);
  // Time fills the axis; anything else gets a margin, so that turning points can be seen.
  if (plot.x != "t" && !x.empty())
    if (const auto [low, high] = std::ranges::minmax(x); low < high)
      f.x.range = std::pair(low - 0.04 * (high - low), high + 0.04 * (high - low));
  std::vector<std::string> units;
  for (const std::string& c : plot.channels) {
    f.curves.push_back({c, x, run.trajectory[c]});
    units.push_back(unit_of(system, c));
  }
  f.y.label = axis_label(plot.channels, units);
  f.y.log = plot.log;
  // Units differ: each curve says its own.
  if (std::set<std::string>(units.begin(), units.end()).size() > 1)
    for (std::size_t i = 0; i < units.size(); ++i)
      if (!units[i].empty()) f.curves[i].name += fmt::format(" ({})", units[i]);
  f.equal_scale = plot.x != "t" && units.size() == 1 && x_unit == "m" && units[0] == "m";
  return f;
}

}  // namespace plumb
