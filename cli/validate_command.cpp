// plumb validate [CASE…]
#include "plumb/study/validation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "plumb/expression/nearest_name.h"
#include "plumb/report/validation_report.h"
#include "commands.h"
#include "page_file.h"
#include "text.h"

namespace plumb::cli {
namespace {

nlohmann::ordered_json to_json(const CaseReport& c) {
  nlohmann::ordered_json j = {{"name", c.name}, {"title", c.title}, {"source", c.source}, {"passed", c.passed()}};
  if (!c.failure.empty()) j["failure"] = c.failure;
  j["quantities"] = nlohmann::ordered_json::array();
  for (const ValidatedQuantity& q : c.quantities) {
    nlohmann::ordered_json entry = {{"name", q.name}, {"unit", q.unit}, {"target", q.target}};
    entry["published"] = q.published ? nlohmann::ordered_json(*q.published) : nullptr;
    entry["value"] = q.value ? nlohmann::ordered_json(*q.value) : nullptr;
    entry["ratio"] = q.ratio() ? nlohmann::ordered_json(*q.ratio()) : nullptr;
    entry["tolerance"] = q.tolerance;
    entry["passed"] = q.passed();
    j["quantities"].push_back(entry);
  }
  for (const ReportTable& t : c.tables)
    j["tables"].push_back({{"title", t.title}, {"columns", t.columns}, {"rows", t.rows}});
  return j;
}

void print(const CaseReport& c) {
  fmt::print("{}  ·  {}\n  {}\n\n", c.name, c.title, c.source);
  TextTable table({"quantity", "target", "published", "ours", "ratio", "allowed", ""});
  for (const ValidatedQuantity& q : c.quantities) {
    // A bound (target 0) is shown as a size, everything else with all its digits.
    const std::string value = !q.value        ? "–"
                              : q.target == 0 ? fmt::format("{:.2e}", *q.value)
                                              : fmt::format("{:.12g}", *q.value);
    table.add({q.unit.empty() ? q.name : fmt::format("{} ({})", q.name, q.unit), fmt::format("{:.12g}", q.target),
               q.published ? fmt::format("{:g}", *q.published) : "–", value,
               q.ratio() ? fmt::format("{:.9f}", *q.ratio()) : "–", fmt::format("{:.0e}", q.tolerance),
               q.passed() ? "ok" : "MISSED"});
  }
  fmt::print("{}", table.str());
  for (const ReportTable& t : c.tables) {
    TextTable text(t.columns);
    for (const auto& row : t.rows) text.add(row);
    fmt::print("\n  {}\n{}", t.title, text.str());
  }
  if (!c.failure.empty()) fmt::print("\n  failed: {}\n", c.failure);
  fmt::print("\n");
  std::fflush(stdout);
}

std::vector<PublishedCase> chosen(const std::vector<std::string>& names) {
  if (names.empty()) return published_cases();
  std::vector<PublishedCase> cases;
  std::vector<std::string> known;
  for (const PublishedCase& c : published_cases()) known.push_back(c.name);
  for (const std::string& n : names) {
    bool found = false;
    for (const PublishedCase& c : published_cases())
      if (c.name == n) cases.push_back(c), found = true;
    if (!found)
      throw InputError(
          fmt::format("there is no case '{}'{} (cases: {})", n, did_you_mean(n, known), fmt::join(known, ", ")));
  }
  return cases;
}

}  // namespace

int validate(const ValidateArguments& a) {
  const std::vector<PublishedCase> cases = chosen(a.cases);
  const std::filesystem::path folder = find_cases();
  nlohmann::ordered_json json = {{"passed", true}, {"cases", nlohmann::ordered_json::array()}};
  int missed = 0;
  std::vector<CaseReport> reports;
  if (a.report) make_directory("--report", *a.report);
  for (const PublishedCase& c : cases) {
    CaseReport report =
        run_case(c, folder, a.out ? std::optional<std::filesystem::path>(*a.out) : std::nullopt, a.report.has_value());
    if (!report.passed()) ++missed;
    if (a.json)
      json["cases"].push_back(to_json(report));
    else
      print(report);
    if (a.report) reports.push_back(std::move(report));
  }
  if (a.report) write_validation_report(*a.report, reports);
  json["passed"] = missed == 0;
  if (a.json)
    fmt::print("{}\n", json.dump(2));
  else if (missed == 0)
    fmt::print("all {} cases passed\n", cases.size());
  else
    fmt::print("{} of {} cases missed a target\n", missed, cases.size());
  if (a.report && !a.json) fmt::print("report in {}/index.html\n", *a.report);
  return missed == 0 ? done : target_missed;
}

}  // namespace plumb::cli
