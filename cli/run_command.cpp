// plumb run MODEL
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "plumb/plumb.h"
#include "commands.h"
#include "model_arguments.h"
#include "page_file.h"
#include "text.h"

namespace plumb::cli {
namespace {

void apply(const RunArguments& a, Model& model) {
  SimulationSettings& s = model.simulation;
  const auto positive = [](const char* option, double x) {
    if (!(x > 0) || !std::isfinite(x)) throw InputError(fmt::format("{} {}: must be a positive number", option, x));
  };
  if (a.step && a.tolerance) throw InputError("--step (fixed) and --tolerance (adaptive) exclude each other; give one");
  if (a.method) s.method = *a.method;
  if (a.step) {
    positive("--step", *a.step);
    s.step = a.step;
    s.tolerance.reset();
  }
  if (a.tolerance) {
    if (!(*a.tolerance >= 1e-15 && *a.tolerance <= 0.1))
      throw InputError(fmt::format("--tolerance {}: must lie between 1e-15 and 0.1", *a.tolerance));
    s.tolerance = a.tolerance;
    s.step.reset();
  }
  if (a.duration) {
    positive("--duration", *a.duration);
    s.duration = a.duration;
  }
  if (a.output_every) {
    positive("--output-every", *a.output_every);
    s.output_every = a.output_every;
  }
  if (a.omega) {
    positive("--omega", *a.omega);
    s.omega = a.omega;
    s.omega_auto = false;
    s.alpha.reset();
    s.beta.reset();
  }
}

// A bar on the terminal, from half a second on.
class ProgressBar {
 public:
  void show(double fraction) {
    using namespace std::chrono;
    const auto now = steady_clock::now();
    if (now - began_ < milliseconds(500) || now - last_ < milliseconds(100)) return;
    last_ = now;
    shown_ = true;
    const int full = static_cast<int>(30 * fraction);
    std::string bar;
    for (int i = 0; i < 30; ++i) bar += i < full ? "█" : "░";
    fmt::print(stderr, "\r  {} {:3.0f} %", bar, 100 * fraction);
    std::fflush(stderr);
  }
  ~ProgressBar() {
    if (shown_) fmt::print(stderr, "\r{:46}\r", "");
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now(), last_{};
  bool shown_ = false;
};

// The channels the six-column file shows: as the model says, or the first body's x and y.
std::vector<std::string> result_columns(const Model& model, const Result& result) {
  std::vector<std::string> columns = model.simulation.result_columns;
  const auto& all = result.trajectory.columns();
  if (columns.empty() && model.equations && all.size() > 2) columns = {all[1], all[2]};
  if (columns.empty()) columns = {model.bodies[0].name + ".x", model.bodies[0].name + ".y"};
  if (columns.size() != 2)
    throw InputError(model.simulation.source, "simulation",
                     "result_columns must name two channels, columns 2 and 3 of the six-column file");
  for (const std::string& c : columns) result.trajectory.column(c);
  return columns;
}

std::string energy_meaning(const AuditReport& a) {
  std::string text = fmt::format("largest |E − E(0) − work + losses|, at t = {:.4g} s", a.time_of_max_drift);
  if (a.max_drift == 0) text = "largest |E − E(0) − work + losses|";
  return text;
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
  if (a.final.work != 0 || a.final.dissipated != 0) {
    table.add({"work done on it", fmt::format("{:.10g} J", a.final.work), "by applied forces and driven joints"});
    table.add({"dissipated", fmt::format("{:.10g} J", a.final.dissipated), "in dampers and drag"});
  }
  table.add({"position violation", fmt::format("{:.2e}", a.violation[0]), "largest |g| over all steps (m, rad)"});
  table.add({"velocity violation", fmt::format("{:.2e}", a.violation[1]), "largest |g'| over all steps"});
  table.add(
      {"acceleration violation", fmt::format("{:.2e}", a.acceleration_violation), "largest |g''| on the output grid"});
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
    table.add({r.impacts[i].contact, fmt::format("{}", fmt::join(r.impacts[i].bodies, ", ")),
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

}  // namespace

int run(const RunArguments& a) {
  Model model = read(a.model);
  apply(a, model);
  if (a.fix_start && !model.equations)
    throw InputError("--fix-start is for models given as equations; mechanisms are assembled by themselves");
  model.simulation.fix_start = model.simulation.fix_start || a.fix_start;
  bool six = false;
  for (const std::string& f : a.format) six = six || f == "iftomm";
  if (six && !a.out) throw InputError("--format iftomm writes a file and needs --out DIR");

  if (a.html) require_writable("--html", *a.html);

  std::unique_ptr<ResultDirectory> directory;
  RunOptions options;
  if (a.out) {
    options.on_columns = [&](const std::vector<std::string>& columns) {
      directory = std::make_unique<ResultDirectory>(*a.out);
      directory->begin_trajectory(columns);
    };
    options.on_row = [&](std::span<const double> row) { directory->write_row(row); };
  }
  Result result;
  {
    ProgressBar bar;
    if (!a.quiet && !a.json && is_terminal(2)) options.on_progress = [&](double fraction) { bar.show(fraction); };
    result = simulate(model, options);
    RunOptions again;
    again.on_progress = options.on_progress;
    if (a.error && result.outcome.is_success()) result.error = estimate_error(model, result);
  }
  for (const std::string& m : result.messages)
    if (!a.quiet) fmt::print(stderr, "plumb: {}\n", m);
  for (const std::string& w : result.warnings) fmt::print(stderr, "plumb: warning: {}\n", w);
  if (directory) {
    if (six) directory->write_six_columns(result, result_columns(model, result));
    directory->finish(result);
  }
  std::string page;
  if (a.html && result.trajectory.rows() > 0) page = write_page(stored(model, result), *a.html);
  if (a.json)
    fmt::print("{}\n", summary(result).dump(2));
  else if (!a.quiet && result.outcome.kind != Outcome::Kind::inconsistent_start)
    print_summary(result);
  if (directory && !a.quiet && !a.json) fmt::print("\nresults in {}\n", *a.out);
  if (!page.empty() && !a.quiet && !a.json) fmt::print("\npage in {}\n", page);
  if (result.outcome.is_success()) return done;

  fmt::print(stderr, "{}\n", result.outcome.describe());
  // A start that cannot be assembled is a fault of the model, found before anything ran.
  return result.outcome.kind == Outcome::Kind::inconsistent_start ? bad_input : not_completed;
}

}  // namespace plumb::cli
