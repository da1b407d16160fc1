#include "plumb/trajectory/writers.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace plumb {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
namespace {

const char* const unfinished = ".part";

Json list(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

// Numbers as short as they can be without losing a bit.
void append_row(std::string& line, std::span<const double> row, char separator) {
  line.clear();
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) line += separator;
    fmt::format_to(std::back_inserter(line), "{}", row[i]);
  }
  line += '\n';
}

std::string header(const std::vector<std::string>& columns) {
  std::string line;
  for (const std::string& c : columns) line += (line.empty() ? "" : ",") + c;
  return line + "\n";
}

}  // namespace

Json summary(const Result& r) {
  Json j;
  j["outcome"] = r.outcome.name();
  if (!r.outcome.is_success()) j["partial"] = true;
  if (!r.outcome.subject.empty()) j["subject"] = r.outcome.subject;
  if (!r.outcome.reason.empty()) j["reason"] = r.outcome.reason;
  j["time"] = r.outcome.time;
  j["title"] = r.title;
  j["method"] = r.method;
  if (r.tolerance) j["tolerance"] = *r.tolerance;
  if (r.step) j["step"] = *r.step;
  j["duration"] = r.duration;
  j["steps"] = r.steps;
  j["rejected"] = r.rejected;
  j["evaluations"] = r.evaluations;
  j["cpu_seconds"] = r.cpu_seconds;
  const AuditReport& a = r.audit;
  j["energy"] = {{"initial", a.initial.total()},
                 {"final", a.final.total()},
                 {"max_drift", a.max_drift},
                 {"work", a.final.work},
                 {"dissipated", a.final.dissipated}};
  j["violation"] = {
      {"position", a.violation[0]}, {"velocity", a.violation[1]}, {"acceleration", a.acceleration_violation}};
  j["events"] = Json::array();
  const auto& columns = r.trajectory.columns();
  for (const EventRecord& e : r.events) {
    Json values = Json::object();
    for (std::size_t i = 1; i < columns.size(); ++i) values[columns[i]] = e.row[i];
    j["events"].push_back({{"name", e.name},
                           {"kind", "event"},
                           {"time", e.time},
                           {"direction", e.rising ? "rising" : "falling"},
                           {"values", values}});
  }
  j["final"] = Json::object();
  for (const FinalBody& b : r.final) {
    Json body = {{"position", list(b.position)}, {"velocity", list(b.velocity)}};
    if (b.rotation) body["rotation"] = {b.rotation->w, b.rotation->x, b.rotation->y, b.rotation->z};
    if (b.angular_velocity) body["angular_velocity"] = list(*b.angular_velocity);
    j["final"][b.name] = body;
  }
  if (r.error) {
    Json bodies = Json::object();
    for (const auto& [name, error] : r.error->final) bodies[name] = error;
    j["error"] = {{"max", r.error->max}, {"final", bodies}, {"against", r.error->against}};
  }
  j["messages"] = r.messages;
  j["warnings"] = r.warnings;
  j["version"] = r.version;
  j["model_hash"] = r.model_hash;
  return j;
}

void write_file(const fs::path& path, const std::string& text) {
  const fs::path part = path.string() + unfinished;
  std::ofstream out(part, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw InputError(fmt::format("{}: cannot be written", part.string()));
  fs::rename(part, path);
}

ResultDirectory::ResultDirectory(const fs::path& directory) : directory_(directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error || !fs::is_directory(directory))
    throw InputError(fmt::format("--out {}: the directory cannot be created{}", directory.string(),
                                 error ? ": " + error.message() : ""));
  trajectory_.open(directory_ / (std::string("trajectory.csv") + unfinished), std::ios::binary);
  if (!trajectory_) throw InputError(fmt::format("--out {}: no file can be written there", directory.string()));
}

ResultDirectory::~ResultDirectory() = default;

void ResultDirectory::begin_trajectory(const std::vector<std::string>& columns) { trajectory_ << header(columns); }

void ResultDirectory::write_row(std::span<const double> row) {
  append_row(line_, row, ',');
  trajectory_ << line_;
}

void ResultDirectory::finish(const Result& result) {
  trajectory_.close();
  if (!trajectory_)
    throw InputError(fmt::format("--out {}: trajectory.csv could not be written completely", directory_.string()));
  fs::rename(directory_ / (std::string("trajectory.csv") + unfinished), directory_ / "trajectory.csv");
  std::string events = "name,direction," + header(result.trajectory.columns());
  for (const EventRecord& e : result.events) {
    append_row(line_, e.row, ',');
    events += fmt::format("{},{},{}", e.name, e.rising ? "rising" : "falling", line_);
  }
  write_file(directory_ / "events.csv", events);
  write_file(directory_ / "summary.json", summary(result).dump(2) + "\n");
}

void ResultDirectory::write_six_columns(const Result& result, const std::vector<std::string>& columns) {
  write_file(directory_ / "iftomm.txt", six_columns(result.trajectory, columns[0], columns[1]));
}

std::string six_columns(const Trajectory& trajectory, const std::string& x, const std::string& y) {
  std::string text;
  const std::vector<std::string> names = {"t", x, y, "energy.total", "violation.position", "violation.velocity"};
  std::size_t at[6];
  for (std::size_t i = 0; i < 6; ++i) at[i] = trajectory.column(names[i]);
  for (std::size_t r = 0; r < trajectory.rows(); ++r) {
    const auto row = trajectory.row(r);
    const double energy = row[at[3]] - trajectory.row(0)[at[3]];
    fmt::format_to(std::back_inserter(text), "{:.6f} {:.15f} {:.15f} {:.6e} {:.6e} {:.6e}\n", row[at[0]], row[at[1]],
                   row[at[2]], energy, row[at[4]], row[at[5]]);
  }
  return text;
}

}  // namespace plumb
