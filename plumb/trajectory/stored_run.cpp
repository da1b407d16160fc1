#include "plumb/trajectory/stored_run.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <sstream>

#include "plumb/model/reader.h"
#include "plumb/trajectory/writers.h"

namespace plumb {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
namespace {

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(fmt::format("{}: there is no such file, or it cannot be read", path.string()));
  std::stringstream s;
  s << in.rdbuf();
  return std::move(s).str();
}

Json read_summary(const fs::path& path) {
  Json j = Json::parse(text_of(path), nullptr, false);
  if (j.is_discarded())
    throw InputError(fmt::format("{}: is cut off or no JSON; run the model again with --out", path.string()));
  if (!j.is_object() || !j.contains("outcome") || !j.contains("version"))
    throw InputError(fmt::format("{}: was not written by `plumb run --out`", path.string()));
  const std::string version = j["version"].is_string() ? j["version"].get<std::string>() : "?";
  if (!j.contains("format") || j["format"] != results_format)
    throw InputError(fmt::format(
        "{}: results of plumb {} in layout {}; this is plumb {}, which reads layout {}: run the "
        "model again with --out",
        path.string(), version, j.contains("format") ? j["format"].dump() : "0", PLUMB_VERSION, results_format));
  return j;
}

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> cells;
  for (std::size_t from = 0; from <= line.size();) {
    const std::size_t to = std::min(line.find(',', from), line.size());
    cells.emplace_back(line.substr(from, to - from));
    from = to + 1;
  }
  return cells;
}

Trajectory read_trajectory(const fs::path& path) {
  const std::string text = text_of(path);
  const std::size_t end_of_header = text.find('\n');
  if (text.compare(0, 2, "t,") != 0 || end_of_header == std::string::npos)
    throw InputError(fmt::format("{}:1: not a trajectory of plumb: the first column must be t", path.string()));
  Trajectory trajectory(split(std::string_view(text).substr(0, end_of_header)));
  std::vector<double> row(trajectory.columns().size());
  const char* at = text.data() + end_of_header + 1;
  const char* const end = text.data() + text.size();
  for (long line = 2; at < end; ++line) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const auto [stop, fault] = std::from_chars(at, end, row[c]);
      const char expected = c + 1 < row.size() ? ',' : '\n';
      if (fault != std::errc() || stop == end || *stop != expected)
        throw InputError(fmt::format("{}:{}: {}", path.string(), line,
                                     at == end || stop == end
                                         ? fmt::format("the file is cut off: {} of {} values", c, row.size())
                                         : fmt::format("value {} of {} ('{}') is not as `plumb run --out` writes it",
                                                       c + 1, row.size(), trajectory.columns()[c])));
      at = stop + 1;
    }
    trajectory.append(row);
  }
  return trajectory;
}

Overrides overrides_of(const Json& summary) {
  Overrides all;
  if (summary.contains("set"))
    for (const Json& pair : summary["set"])
      all.emplace_back(pair.at(0).get<std::string>(), pair.at(1).get<std::string>());
  return all;
}

}  // namespace

StoredRun read_results(const fs::path& directory) {
  std::error_code error;
  if (!fs::exists(directory, error))
    throw InputError(fmt::format("{}: there is no such directory of results", directory.string()));
  if (!fs::is_directory(directory, error))
    throw InputError(fmt::format("{}: name the directory that `plumb run --out` wrote", directory.string()));
  StoredRun run;
  const fs::path summary = directory / "summary.json";
  if (!fs::exists(summary, error))
    throw InputError(fmt::format("{}: holds no results (no summary.json); write them with `plumb run MODEL --out {}`",
                                 directory.string(), directory.string()));
  run.summary = read_summary(summary);
  try {
    run.trajectory = read_trajectory(directory / "trajectory.csv");
    if (const auto rows = run.summary.at("rows").get<std::size_t>(); rows != run.trajectory.rows())
      throw InputError(fmt::format("{}: has {} rows where summary.json says {}: it is cut off, or of another run",
                                   (directory / "trajectory.csv").string(), run.trajectory.rows(), rows));
    if (const fs::path model = directory / "model.toml"; fs::exists(model, error)) {
      run.model = read_model(model.string(), overrides_of(run.summary));
      if (model_hash(*run.model) != run.summary.at("model_hash"))
        throw InputError(fmt::format("{}: has been changed since the run; run it again", model.string()));
    }
  } catch (const Json::exception& e) {
    throw InputError(fmt::format("{}: {}", summary.string(), e.what()));
  }
  return run;
}

StoredRun stored(const Model& model, const Result& result) { return {model, summary(result), result.trajectory}; }

}  // namespace plumb
