#include "plumb/study/validation.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <cmath>
#include <cstdlib>

#include "plumb/model/reader.h"
#include "plumb/trajectory/writers.h"

namespace plumb {
namespace fs = std::filesystem;

bool ValidatedQuantity::passed() const { return value && std::abs(*value - target) <= tolerance; }

std::optional<double> ValidatedQuantity::ratio() const {
  if (!value || target == 0) return std::nullopt;
  return *value / target;
}

bool CaseReport::passed() const {
  bool all = failure.empty() && !quantities.empty();
  for (const ValidatedQuantity& q : quantities) all = all && q.passed();
  return all;
}

CaseRun::CaseRun(const fs::path& folder, const std::optional<fs::path>& out, bool shown)
    : folder_(folder), out_(out), shown_(shown) {
  const fs::path path = folder / "case.toml";
  toml::table t;
  try {
    t = toml::parse_file(path.string());
  } catch (const toml::parse_error& e) {
    throw InputError(fmt::format("{}: {}", path.string(), e.description()));
  }
  report_.title = t["title"].value_or(std::string());
  report_.source = t["source"].value_or(std::string());
  const toml::array* list = t["quantities"].as_array();
  if (!list) throw InputError(fmt::format("{}: no [[quantities]]", path.string()));
  for (const toml::node& node : *list) {
    const toml::table& q = *node.as_table();
    ValidatedQuantity v;
    v.id = q["id"].value_or(std::string());
    v.name = q["name"].value_or(v.id);
    v.unit = q["unit"].value_or(std::string());
    v.target = q["target"].value_or(std::nan(""));
    v.tolerance = q["tolerance"].value_or(0.0);
    v.published = q["published"].value<double>();
    report_.quantities.push_back(v);
  }
}

Model CaseRun::model(const std::string& name) const { return read_model(file(name).string()); }

void CaseRun::report(const std::string& id, double value) {
  for (ValidatedQuantity& q : report_.quantities)
    if (q.id == id) {
      q.value = value;
      return;
    }
  throw InputError(fmt::format("{}: no quantity '{}'", file("case.toml").string(), id));
}

void CaseRun::figure(Figure figure) {
  if (shown_) report_.figures.push_back(std::move(figure));
}

void CaseRun::animate(const std::string& title, const Model& model, const Result& result) {
  if (shown_) report_.animations.push_back({title, stored(model, result)});
}

void CaseRun::write(const std::string& name, const std::string& text) const {
  if (!out_) return;
  fs::create_directories(*out_);
  write_file(*out_ / name, text);
}

const std::vector<PublishedCase>& published_cases() {
  static const std::vector<PublishedCase> cases = {
      {"pendulum", measure_pendulum},
      {"iftomm-a01", measure_iftomm_a01},
      {"pinned-bar", measure_pinned_bar},
      {"iftomm-a02", measure_iftomm_a02},
      {"iftomm-a03", measure_iftomm_a03},
      {"iftomm-a04", measure_iftomm_a04},
      {"slider-crank", measure_slider_crank},
      {"bicycle", measure_bicycle},
      {"heavy-top", measure_heavy_top},
      {"kapitza", measure_kapitza},
      {"linkages", measure_linkages},
      {"double-pendulum-wall", measure_double_pendulum_wall},
      {"bouncing-ball", measure_bouncing_ball},
      {"sliding-block", measure_sliding_block},
      {"rolling-sphere", measure_rolling_sphere},
      {"simultaneous-impacts", measure_simultaneous_impacts},
      {"pile", measure_pile},
#ifdef PLUMB_EQUATIONS
      {"dae-pendulum", measure_dae_pendulum},
      {"andrews-equations", measure_andrews_equations},
      {"car-axis", measure_car_axis},
      {"slider-crank-equations", measure_slider_crank_equations},
      {"pendulum-forms", measure_pendulum_forms},
      {"chain-equations", measure_chain_equations},
#endif
  };
  return cases;
}

CaseReport run_case(const PublishedCase& c, const fs::path& cases, const std::optional<fs::path>& out, bool shown) {
  CaseRun run(cases / c.name, out ? std::optional(*out / c.name) : std::nullopt, shown);
  run.result().name = c.name;
  try {
    c.measure(run);
  } catch (const std::exception& e) {
    run.result().failure = e.what();
  }
  return std::move(run.result());
}

fs::path find_cases() {
  std::error_code error;
  std::vector<fs::path> places;
  if (const char* named = std::getenv("PLUMB_CASES")) return named;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) places.push_back(program.parent_path().parent_path() / "share/plumb/cases");
  places.push_back(PLUMB_CASES_DIRECTORY);
  for (const fs::path& p : places)
    if (fs::is_directory(p, error)) return p;
  throw InputError(fmt::format("the published cases are not found ({}); set PLUMB_CASES to their directory",
                               places.back().string()));
}

}  // namespace plumb
