#include "plumb/report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "plumb/figure/svg.h"
#ifdef PLUMB_EQUATIONS
#include "plumb/equations/derivation.h"
#endif
#include "plumb/report/packed_columns.h"
#include "plumb/report/scene.h"
#include "plumb/report/standard_plots.h"
#include "plumb/report/web_assets.h"

namespace plumb {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t fewest_rows = 200, longest_ledger = 2000;

// Columns the animation needs: x y z and qw … qz of each body.
bool is_pose(const std::string& name) {
  const std::string last = name.substr(name.rfind('.') + 1);
  return last == "x" || last == "y" || last == "z" || (last.size() == 2 && last[0] == 'q');
}

bool is_global(const std::string& name) {
  return name == "t" || name.starts_with("energy.") || name.starts_with("violation.");
}

struct Selection {
  std::vector<std::size_t> columns, rows;
};

Selection select(const Trajectory& t, const PageOptions& options) {
  Selection s;
  const auto& names = t.columns();
  // A system so large that not even a few rows of all channels fit is shown by its poses and its audit.
  const bool all = names.size() * fewest_rows <= 4 * options.max_values;
  for (std::size_t c = 0; c < names.size(); ++c)
    if (all || is_pose(names[c]) || is_global(names[c])) s.columns.push_back(c);
  std::size_t varying = 0;
  for (const std::size_t c : s.columns) {
    bool varies = false;
    for (std::size_t r = 1; r < t.rows() && !varies; ++r) varies = t.row(r)[c] != t.row(0)[c];
    varying += varies;
  }
  const std::size_t wanted = std::max(fewest_rows, options.max_values / std::max<std::size_t>(varying, 1));
  const std::size_t every = std::max<std::size_t>(1, (t.rows() + wanted - 1) / wanted);
  for (std::size_t r = 0; r < t.rows(); r += every) s.rows.push_back(r);
  if (t.rows() > 0 && s.rows.back() != t.rows() - 1) s.rows.push_back(t.rows() - 1);
  return s;
}

PackedColumns::Extremes extremes(const Trajectory& t, std::size_t column) {
  PackedColumns::Extremes e{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (std::size_t r = 0; r < t.rows(); ++r) {
    const double v = t.row(r)[column];
    if (std::isfinite(v)) e.low = std::min(e.low, v), e.high = std::max(e.high, v);
  }
  return e;
}

// The summary without what the page does not show: states at events, final states.
Json trimmed(Json summary) {
  summary.erase("final");
  Json events = Json::array();
  for (Json& e : summary["events"]) {
    if (events.size() == longest_ledger) break;
    e.erase("values");
    events.push_back(std::move(e));
  }
  summary["events_total"] = summary["events"].size();
  summary["events"] = std::move(events);
  return summary;
}

// A model without a title goes by the name of its file.
std::string file_title(const StoredRun& run) {
  return run.model && run.model->source.file ? std::filesystem::path(*run.model->source.file).stem().string() : "";
}

// How a model given as equations came to be solved, as markup of our own in which every text is escaped.
std::string derivation_of(const StoredRun& run) {
#ifdef PLUMB_EQUATIONS
  if (run.model && run.model->equations) return as_html_fragment(derive(*run.model));
#endif
  (void)run;
  return {};
}

}  // namespace

std::vector<std::size_t> displayed_rows(const Trajectory& trajectory, const PageOptions& options) {
  return select(trajectory, options).rows;
}

Json page_data(const StoredRun& run, const PageOptions& options) {
  const Trajectory& t = run.trajectory;
  const Selection s = select(t, options);
  const std::optional<System> system = system_of(run);
  PackedColumns packed;
  std::vector<double> times, values(s.rows.size());
  for (const std::size_t r : s.rows) times.push_back(t.row(r)[0]);
  for (const std::size_t c : s.columns) {
    for (std::size_t i = 0; i < s.rows.size(); ++i) values[i] = t.row(s.rows[i])[c];
    packed.add(t.columns()[c], unit_of(system, t.columns()[c]), values, extremes(t, c));
  }
  Json data = {{"format", results_page_format}, {"version", PLUMB_VERSION}};
  data["summary"] = trimmed(run.summary);
  if (data["summary"].value("title", "").empty()) data["summary"]["title"] = file_title(run);
  data["scene"] = system ? scene(*run.model, *system, times, packed) : Json(nullptr);
  data["table"] = packed.json();
  data["rows_total"] = t.rows();
  data["columns_total"] = t.columns().size();
  if (!options.full_data.empty()) data["full_data"] = options.full_data;
  data["plots"] = standard_plots_json(run);
  if (const std::string derivation = derivation_of(run); !derivation.empty()) data["derivation"] = derivation;
  data["model"] = run.model ? run.model->text : "";
  return data;
}

std::string embedded_json(const Json& data) {
  std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace), safe;
  safe.reserve(text.size());
  // No '<' anywhere: neither </script> nor <!-- can end or change the element. The two line separators are fine in JSON
  // but were not always in scripts.
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<')
      safe += "\\u003c";
    else if (text[i] == '>')
      safe += "\\u003e";
    else if (text[i] == '&')
      safe += "\\u0026";
    else
      safe += text[i];
  }
  return safe;
}

std::string page_around(const Json& data, bool connects) {
  std::string title = "plumb";
  if (data.contains("summary") && data["summary"].contains("title") && data["summary"]["title"].is_string() &&
      !data["summary"]["title"].get<std::string>().empty())
    title = data["summary"]["title"].get<std::string>();
  std::string html;
  html += "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  // Nothing is loaded from anywhere; the browser makes sure of it.
  html += fmt::format(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
      "style-src "
      "'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'{}\">\n",
      connects ? "; connect-src 'self'" : "");
  html += "<meta name=\"generator\" content=\"plumb " PLUMB_VERSION "\">\n";
  html += "<link rel=\"icon\" href=\"data:,\">\n";
  html += "<title>" + escape_markup(title) + "</title>\n<style>" + std::string(page_style()) +
          "</style>\n</head>\n<body>\n";
  html += "<main id=\"page\"><noscript>This page needs JavaScript, which is part of it.</noscript></main>\n";
  html += "<script type=\"application/json\" id=\"plumb-data\">" + embedded_json(data) + "</script>\n";
  html += "<script>" + std::string(page_script()) + "</script>\n</body>\n</html>\n";
  return html;
}

std::string result_page(const StoredRun& run, const PageOptions& options) {
  return page_around(page_data(run, options));
}

}  // namespace plumb
