#include "run_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "plumb/plumb.h"
#include "text.h"

namespace plumb::cli {
namespace {

std::string energy_meaning(const AuditReport& a) {
  std::string text = fmt::format("largest |E − E(0) − work + losses|, at t = {:.4g} s", a.time_of_max_drift);
  if (a.max_drift == 0) text = "largest |E − E(0) − work + losses|";
  return text;
}

std::string losses_meaning(const AuditReport& a) {
  const double impacts = a.lost_in_impacts, others = a.final.dissipated - impacts;
  const double rounding = 1e-12 * std::abs(a.final.dissipated);
  if (std::abs(impacts) <= rounding) return "in dampers, drag and friction";
  if (std::abs(others) <= rounding) return "in impacts";
  return fmt::format("{:.6g} J in impacts, the rest in dampers, drag and friction", impacts);
}

std::string penetration_meaning(const OverlapReport& o) {
  return o.depth > 0 ? fmt::format("deepest overlap on the output grid: {} at t = {:.4g} s", o.what, o.time)
                     : "deepest overlap on the output grid of what may touch";
}

void print_audit(const Result& r) {
  const AuditReport& a = r.audit;
  TextTable table({"audit", "value", "meaning"});
  if (a.watched.empty() && a.has_energy) {
    table.add({"energy drift", fmt::format("{:.2e} J", a.max_drift), energy_meaning(a)});
    table.add({"energy", fmt::format("{:.10g} J", a.final.total()),
               fmt::format("at the end; {:.10g} J at the start", a.initial.total())});
  }
  for (const WatchReport& w : a.watched)
    table.add({w.name, fmt::format("{:.10g}", w.final),
               fmt::format("at the end; {:.10g} at the start, largest change {:.2e}", w.initial, w.max_change)});
  if (a.final.work != 0)
    table.add({"work done on it", fmt::format("{:.10g} J", a.final.work), "by applied forces and driven joints"});
  if (a.final.dissipated != 0)
    table.add({"dissipated", fmt::format("{:.10g} J", a.final.dissipated), losses_meaning(a)});
  table.add({"position violation", fmt::format("{:.2e}", a.violation[0]), "largest |g| over all steps (m, rad)"});
  table.add({"velocity violation", fmt::format("{:.2e}", a.violation[1]), "largest |g'| over all steps"});
  table.add(
      {"acceleration violation", fmt::format("{:.2e}", a.acceleration_violation), "largest |g''| on the output grid"});
  if (a.overlap.watches)
    table.add({"penetration", fmt::format("{:.2e} m", a.overlap.depth), penetration_meaning(a.overlap)});
  if (r.error)
    table.add({"estimated error", fmt::format("{:.2e}{}", r.error->max, r.final.empty() ? "" : " m"),
               fmt::format("of any {} at any output point, against {}", r.final.empty() ? "unknown" : "position",
                           r.error->against)});
  fmt::print("\n{}", table.str());
}

void print_events(const Result& r) {
  if (r.events.empty()) return;
  TextTable table({"event", "time", "direction"});
  const std::size_t shown = std::min<std::size_t>(r.events.size(), 12);
  for (std::size_t i = 0; i < shown; ++i)
    table.add(
        {r.events[i].name, fmt::format("{:.15g} s", r.events[i].time), r.events[i].rising ? "rising" : "falling"});
  fmt::print("\n{}", table.str());
  if (shown < r.events.size()) fmt::print("  … and {} more\n", r.events.size() - shown);
}

void print_singular_positions(const Result& r) {
  if (r.singular_positions.empty()) return;
  TextTable table({"singular position", "joints"});
  const std::size_t shown = std::min<std::size_t>(r.singular_positions.size(), 12);
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<std::string> joints = r.singular_positions[i].joints;
    if (joints.size() > 6) joints.resize(6), joints.push_back("…");
    table.add({fmt::format("{:.9g} s", r.singular_positions[i].time), fmt::format("{}", fmt::join(joints, ", "))});
  }
  fmt::print("\n{}", table.str());
  if (shown < r.singular_positions.size()) fmt::print("  … and {} more\n", r.singular_positions.size() - shown);
}

void print_impacts(const Result& r) {
  if (r.impacts.empty()) return;
  TextTable table({"impact", "bodies", "time", "normal velocity", "after", "impulse", "energy lost"});
  const std::size_t shown = std::min<std::size_t>(r.impacts.size(), 12);
  for (std::size_t i = 0; i < shown; ++i) {
    const Impact& e = r.impacts[i].impact;
    const char *const rate = e.is_angular ? "rad/s" : "m/s", *const impulse = e.is_angular ? "N m s" : "N s";
    const char* const how = e.kind == Impact::Kind::jam ? " (jam)" : e.kind == Impact::Kind::window ? " (window)" : "";
    table.add({r.impacts[i].contact + how, fmt::format("{}", fmt::join(r.impacts[i].bodies, ", ")),
               fmt::format("{:.15g} s", e.time), fmt::format("{:.9g} {}", e.normal_before, rate),
               fmt::format("{:.9g} {}", e.normal_after, rate), fmt::format("{:.9g} {}", e.normal_impulse, impulse),
               fmt::format("{:.9g} J", e.energy_lost)});
  }
  fmt::print("\n{}", table.str());
  if (shown < r.impacts.size()) fmt::print("  … and {} more\n", r.impacts.size() - shown);
}

void print_final_values(const Result& r) {
  TextTable table({"final state", "value", r.error ? "estimated error" : ""});
  const std::size_t shown = std::min<std::size_t>(r.final_values.size(), 24);
  for (std::size_t i = 0; i < shown; ++i)
    table.add({r.final_values[i].first, fmt::format("{:.12g}", r.final_values[i].second),
               r.error ? fmt::format("{:.2e}", r.error->final[i].second) : ""});
  fmt::print("\n{}", table.str());
  if (shown < r.final_values.size()) fmt::print("  … and {} more\n", r.final_values.size() - shown);
}

void print_final(const Result& r) {
  if (r.final.empty()) return print_final_values(r);
  TextTable table({"final state", "position", "velocity", r.error ? "estimated error" : ""});
  const auto vector = [](const Vec3& v) { return fmt::format("({:.9g}, {:.9g}, {:.9g})", v.x(), v.y(), v.z()); };
  const std::size_t shown = std::min<std::size_t>(r.final.size(), 12);
  for (std::size_t i = 0; i < shown; ++i)
    table.add({r.final[i].name, vector(r.final[i].position), vector(r.final[i].velocity),
               r.error ? fmt::format("{:.2e} m", r.error->final[i].second) : ""});
  fmt::print("\n{}", table.str());
  if (shown < r.final.size()) fmt::print("  … and {} more\n", r.final.size() - shown);
}

}  // namespace

void print_summary(const Result& r) {
  fmt::print("{}{}{}, {}\n", r.title, r.title.empty() ? "" : "  ·  ", r.method,
             r.step ? fmt::format("step {:g} s", *r.step) : fmt::format("tolerance {:g}", *r.tolerance));
  fmt::print("{}{} at t = {:.10g} s: {} steps{}, {} evaluations, {}\n", r.outcome.name(),
             r.outcome.subject.empty() ? "" : " (" + r.outcome.subject + ")", r.outcome.time, r.steps,
             r.rejected ? fmt::format(" ({} rejected)", r.rejected) : "", r.evaluations, seconds(r.cpu_seconds));
  print_audit(r);
  print_events(r);
  print_impacts(r);
  print_singular_positions(r);
  print_final(r);
}

std::string verdict_line(const Result& r, int stream) {
  static constexpr Colour colours[] = {Colour::green, Colour::yellow, Colour::red};
  const Verdict& v = r.verdict;
  std::string line = "verdict: " + coloured(colours[static_cast<int>(v.grade)], v.name(), stream);
  for (std::size_t i = 0; i < v.reasons.size(); ++i) line += (i == 0 ? " – " : "; ") + v.reasons[i];
  return line;
}

std::string overlap_note(const OverlapReport& o) {
  std::string note;
  constexpr std::size_t named = 3;
  for (std::size_t i = 0; i < std::min(named, o.undeclared.size()); ++i) {
    const UndeclaredOverlap& u = o.undeclared[i];
    note += fmt::format("{}'{}' and '{}' overlap by {}", i == 0 ? "" : ", ", u.a, u.b, length(u.depth));
  }
  if (o.undeclared.size() > named) note += fmt::format(", and {} more pairs do", o.undeclared.size() - named);
  return note + "; no contact is declared";
}

}  // namespace plumb::cli
