#include "plumb/report/validation_report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "plumb/figure/svg.h"
#include "plumb/report/page.h"
#include "plumb/trajectory/writers.h"

namespace plumb {
namespace fs = std::filesystem;
namespace {

const char* const style = R"css(
:root { color-scheme: light dark; --ground: #fff; --ink: #1d232b; --quiet: #5a6472; --line: #d8dde4; --raised: #f4f5f7;
  --accent: #1a6fb5; --good: #1c7c4a; --poor: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ground: #14181d; --ink: #e6eaf0; --quiet: #a3adba; --line: #323a44;
  --raised: #1d232a; --accent: #6cb2f0; --good: #5fcf94; --poor: #ff8a80; } }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 1rem clamp(.75rem, 3vw, 2rem) 3rem; }
a { color: var(--accent); } h2 { margin: 3rem 0 .3rem; } .quiet { color: var(--quiet); margin-top: 0; }
.good { color: var(--good); } .poor { color: var(--poor); font-weight: bold; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
td, th { padding: .3rem .9rem .3rem 0; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
td:first-child, th:first-child { text-align: left; white-space: normal; min-width: 14rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); gap: 1.5rem; }
figure { margin: 0; min-width: 0; } figure svg { width: 100%; height: auto; }
figcaption { color: var(--quiet); font-size: .9rem; }
iframe { width: 100%; height: 380px; border: 1px solid var(--line); border-radius: .5rem; background: var(--raised); }
)css";

std::string cell(const std::string& text, const char* tag = "td") {
  return fmt::format("<{0}>{1}</{0}>", tag, escape_markup(text));
}

std::string target_table(const CaseReport& c) {
  std::string t = "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>";
  for (const char* head : {"quantity", "target", "published", "ours", "ratio", "allowed", ""}) t += cell(head, "th");
  t += "</tr></thead><tbody>\n";
  for (const ValidatedQuantity& q : c.quantities) {
    const std::string value = !q.value        ? "–"
                              : q.target == 0 ? fmt::format("{:.2e}", *q.value)
                                              : fmt::format("{:.12g}", *q.value);
    t += "<tr>" + cell(q.unit.empty() ? q.name : fmt::format("{} ({})", q.name, q.unit));
    t += cell(fmt::format("{:.12g}", q.target)) + cell(q.published ? fmt::format("{:g}", *q.published) : "–") +
         cell(value);
    t += cell(q.ratio() ? fmt::format("{:.9f}", *q.ratio()) : "–") + cell(fmt::format("{:.0e}", q.tolerance));
    t += fmt::format("<td class=\"{}\">{}</td></tr>\n", q.passed() ? "good" : "poor", q.passed() ? "ok" : "missed");
  }
  return t + "</tbody></table></div>\n";
}

std::string further_table(const ReportTable& given) {
  std::string t = fmt::format("<details><summary>{}</summary><div class=\"scroll\" tabindex=\"0\"><table><thead><tr>",
                              escape_markup(given.title));
  for (const std::string& head : given.columns) t += cell(head, "th");
  t += "</tr></thead><tbody>\n";
  for (const auto& row : given.rows) {
    t += "<tr>";
    for (const std::string& value : row) t += cell(value);
    t += "</tr>\n";
  }
  return t + "</tbody></table></div></details>\n";
}

std::string figure_html(const Figure& f) {
  return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", svg(f, {560, 360, false}),
                     escape_markup(f.caption));
}

std::string animation_file(const CaseReport& c, std::size_t i) { return fmt::format("{}-{}.html", c.name, i + 1); }

std::string animation_html(const CaseReport& c, std::size_t i) {
  const std::string file = animation_file(c, i), title = escape_markup(c.animations[i].title);
  return fmt::format(
      "<figure><iframe loading=\"lazy\" src=\"{0}#embed\" title=\"{1}\"></iframe><figcaption>{1} · <a href=\"{0}\">the "
      "whole run</a></figcaption></figure>\n",
      file, title);
}

std::string section(const CaseReport& c) {
  std::string s =
      fmt::format("<section id=\"{0}\"><h2>{1} <small class=\"{2}\">{3}</small></h2>\n<p class=\"quiet\">{4}</p>\n",
                  escape_markup(c.name), escape_markup(c.title), c.passed() ? "good" : "poor",
                  c.passed() ? "all targets met" : "a target is missed", escape_markup(c.source));
  if (!c.failure.empty()) s += fmt::format("<p class=\"poor\">{}</p>\n", escape_markup(c.failure));
  s += target_table(c) + "<div class=\"figures\">\n";
  for (const Figure& f : c.figures) s += figure_html(f);
  for (std::size_t i = 0; i < c.animations.size(); ++i) s += animation_html(c, i);
  s += "</div>\n";
  for (const ReportTable& t : c.tables) s += further_table(t);
  return s + "</section>\n";
}

std::string index(const std::vector<CaseReport>& cases) {
  std::size_t met = 0, all = 0;
  for (const CaseReport& c : cases)
    for (const ValidatedQuantity& q : c.quantities) ++all, met += q.passed();
  std::string html =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>Plumb: validation</title>\n<style>";
  html += style;
  html += "</style></head>\n<body><main>\n<h1>Validation</h1>\n";
  html += fmt::format(
      "<p>plumb {} met {} of {} targets in {} published cases.<br><span class=\"quiet\">{}; {}</span></p>\n",
      PLUMB_VERSION, met, all, cases.size(), escape_markup(describe_machine()),
      fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::chrono::system_clock::now())));
  html += "<div class=\"scroll\"><table><thead><tr>" + cell("case", "th") + cell("targets met", "th") +
          "</tr></thead><tbody>\n";
  for (const CaseReport& c : cases) {
    std::size_t good = 0;
    for (const ValidatedQuantity& q : c.quantities) good += q.passed();
    html += fmt::format("<tr><td><a href=\"#{0}\">{1}</a></td><td class=\"{2}\">{3} of {4}</td></tr>\n",
                        escape_markup(c.name), escape_markup(c.title), c.passed() ? "good" : "poor", good,
                        c.quantities.size());
  }
  html += "</tbody></table></div>\n";
  for (const CaseReport& c : cases) html += section(c);
  return html + "</main></body></html>\n";
}

}  // namespace

std::string describe_machine() {
  utsname system{};
  uname(&system);
  std::string model = "unknown processor", line;
  std::ifstream cpus("/proc/cpuinfo");
  while (std::getline(cpus, line))
    if (line.starts_with("model name")) {
      model = line.substr(line.find(':') + 2);
      break;
    }
  return fmt::format("{} × {}, {} {}, {}, compiler {} {}", std::thread::hardware_concurrency(), model, system.sysname,
                     system.release, system.machine,
#ifdef __clang__
                     "clang",
#else
                     "g++",
#endif
                     __VERSION__);
}

void write_validation_report(const fs::path& directory, const std::vector<CaseReport>& cases) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error || !fs::is_directory(directory))
    throw InputError(fmt::format("--report {}: the directory cannot be made{}", directory.string(),
                                 error ? ": " + error.message() : ""));
  for (const CaseReport& c : cases)
    for (std::size_t i = 0; i < c.animations.size(); ++i)
      write_file(directory / animation_file(c, i), result_page(c.animations[i].run));
  write_file(directory / "index.html", index(cases));
}

}  // namespace plumb
