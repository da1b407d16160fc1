// The published cases: each folder of cases/ holds the models, the source and the targets (case.toml); the
// measuring procedure of the same name stands in study/cases/.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "plumb/figure/figure.h"
#include "plumb/model/model.h"
#include "plumb/trajectory/stored_run.h"

namespace plumb {

// One line of a case: |value - target| <= tolerance.
struct ValidatedQuantity {
  std::string id, name, unit;
  double target = 0, tolerance = 0;
  std::optional<double> published;
  std::optional<double> value;

  bool passed() const;
  std::optional<double> ratio() const;  // value / target, where the target is not zero
};

struct ReportTable {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

// A run worth looking at.
struct CaseAnimation {
  std::string title;
  StoredRun run;
};

struct CaseReport {
  std::string name, title, source;
  std::vector<ValidatedQuantity> quantities;
  std::vector<ReportTable> tables;
  std::vector<Figure> figures;            // where they were asked for
  std::vector<CaseAnimation> animations;  // likewise
  std::string failure;                    // what went wrong, when the case could not be measured

  bool passed() const;
};

// What a measuring procedure works with.
class CaseRun {
 public:
  CaseRun(const std::filesystem::path& folder, const std::optional<std::filesystem::path>& out, bool shown = false);

  Model model(const std::string& file) const;
  std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  void report(const std::string& id, double value);
  void table(ReportTable table) { report_.tables.push_back(std::move(table)); }
  // Someone will look: figures and animations are wanted.
  bool shown() const { return shown_; }
  void figure(Figure figure);
  void animate(const std::string& title, const Model& model, const Result& result);
  // Writes a result file when an output directory was asked for.
  void write(const std::string& name, const std::string& text) const;

  CaseReport& result() { return report_; }

 private:
  std::filesystem::path folder_;
  std::optional<std::filesystem::path> out_;
  bool shown_;
  CaseReport report_;
};

struct PublishedCase {
  std::string name;
  void (*measure)(CaseRun&);
};
const std::vector<PublishedCase>& published_cases();

// Runs one case; every exception but InputError about the case itself is turned into a failure of the case.
CaseReport run_case(const PublishedCase& c, const std::filesystem::path& cases,
                    const std::optional<std::filesystem::path>& out, bool shown = false);

// Where the cases are: $PLUMB_CASES, next to an installed program, or in the source tree it was built from.
std::filesystem::path find_cases();

void measure_pendulum(CaseRun& run);
void measure_iftomm_a01(CaseRun& run);
void measure_pinned_bar(CaseRun& run);
void measure_iftomm_a02(CaseRun& run);
void measure_iftomm_a03(CaseRun& run);
void measure_iftomm_a04(CaseRun& run);
void measure_slider_crank(CaseRun& run);
void measure_bicycle(CaseRun& run);
void measure_heavy_top(CaseRun& run);
void measure_kapitza(CaseRun& run);
void measure_linkages(CaseRun& run);
void measure_double_pendulum_wall(CaseRun& run);
void measure_bouncing_ball(CaseRun& run);
void measure_sliding_block(CaseRun& run);
void measure_rolling_sphere(CaseRun& run);
void measure_simultaneous_impacts(CaseRun& run);
void measure_pile(CaseRun& run);
void measure_dae_pendulum(CaseRun& run);
void measure_andrews_equations(CaseRun& run);
void measure_car_axis(CaseRun& run);
void measure_slider_crank_equations(CaseRun& run);
void measure_pendulum_forms(CaseRun& run);
void measure_chain_equations(CaseRun& run);

}  // namespace plumb
