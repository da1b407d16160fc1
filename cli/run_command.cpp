// plumb run MODEL
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "plumb/plumb.h"
#include "commands.h"
#include "model_arguments.h"
#include "page_file.h"
#include "progress.h"
#include "run_text.h"

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

}  // namespace

int run(const RunArguments& a) {
  Model model = read(a.model);
  apply(a, model);
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
  std::vector<std::string> said;
  options.stop = stop_on_signals();
  {
    Progress progress(a.model.path);
    if (!a.quiet) options.on_progress = [&](double fraction) { progress.show(fraction); };
    options.on_notice = [&](const std::string& notice) {
      progress.say("warning: " + notice);
      said.push_back(notice);
    };
    result = simulate(model, options);
  }
  if (a.error && result.outcome.is_success()) {
    Progress progress(a.model.path + ", once more for --error");
    RunOptions again;
    if (!a.quiet) again.on_progress = [&](double fraction) { progress.show(fraction); };
    again.stop = options.stop;
    result.error = estimate_error(model, result, again);
    judge(result);
  }
  for (const std::string& m : result.messages)
    if (!a.quiet) fmt::print(stderr, "plumb: {}\n", m);
  // Notices have been said when they came up.
  for (const std::string& w : result.warnings)
    if (std::ranges::count(said, w) == 0) fmt::print(stderr, "plumb: warning: {}\n", w);
  if (!result.audit.overlap.undeclared.empty() && !a.quiet)
    fmt::print(stderr, "plumb: note: {}\n", overlap_note(result.audit.overlap));
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
  // A start that cannot be assembled is a fault of the model, found before anything ran.
  if (result.outcome.kind == Outcome::Kind::inconsistent_start) {
    fmt::print(stderr, "{}\n", result.outcome.describe());
    return bad_input;
  }
  if (!result.outcome.is_success()) fmt::print(stderr, "{}\n", result.outcome.describe());
  const bool is_trusted = result.verdict.grade == Verdict::Grade::trusted;
  if (!a.json && !a.quiet)
    fmt::print("\n{}\n", verdict_line(result, 1));
  else if (!is_trusted)
    fmt::print(stderr, "plumb: {}\n", verdict_line(result, 2));
  return result.outcome.is_success() && (is_trusted || !a.strict) ? done : not_completed;
}

}  // namespace plumb::cli
