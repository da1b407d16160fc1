// Result files. Everything is written under a temporary name and renamed when it is complete, so a file with
// its final name is never half written.
#pragma once

#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>
#include <nlohmann/json_fwd.hpp>

#include "plumb/trajectory/result.h"

namespace plumb {

// The layout of a directory of results; results of another layout are refused (stored_run.h).
inline constexpr int results_format = 1;

// summary.json, and what `run --json` prints.
nlohmann::ordered_json summary(const Result& result);

// A directory of results: trajectory.csv (written row by row), events.csv, impacts.csv, model.toml (the text the model
// was read from), summary.json and, on request, the six-column IFToMM file. Files of a run that did not end well are
// kept and marked "partial" in summary.json.
class ResultDirectory {
 public:
  // Creates the directory; throws InputError when that, or writing in it, is impossible.
  explicit ResultDirectory(const std::filesystem::path& directory);
  ~ResultDirectory();

  void begin_trajectory(const std::vector<std::string>& columns);
  void write_row(std::span<const double> row);
  // Completes trajectory.csv and writes the others.
  void finish(const Result& result);
  void write_six_columns(const Result& result, const std::vector<std::string>& columns);

 private:
  std::filesystem::path directory_;
  std::ofstream trajectory_;
  std::string line_;
};

// All rows, as trajectory.csv has them.
std::string trajectory_csv(const Trajectory& trajectory);

// t, two channels, E - E(0), |g|, |g'| in plain columns: the result format of the IFToMM benchmark library.
std::string six_columns(const Trajectory& trajectory, const std::string& x, const std::string& y);

// Writes `text` to `path` under a temporary name, then renames it.
void write_file(const std::filesystem::path& path, const std::string& text);

}  // namespace plumb
