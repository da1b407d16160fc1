#include "plumb/trajectory/writers.h"

#include <fmt/format.h>

#include <algorithm>
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

Json impact_json(const ImpactRecord& r) {
  const Impact& i = r.impact;
  Json j = {{"name", r.contact},
            {"kind", "impact"},
            {"time", i.time},
            {"bodies", r.bodies},
            {"point", list(i.point)},
            {"normal", list(i.normal)},
            {"normal_velocity", i.normal_before},
            {"normal_velocity_after", i.normal_after},
            {"tangential_velocity", list(i.tangential_before)},
            {"tangential_velocity_after", list(i.tangential_after)},
            {"impulse", i.normal_impulse},
            {"tangential_impulse", list(i.tangential_impulse)},
            {"energy_before", i.energy_before},
            {"energy_after", i.energy_after},
            {"energy_lost", i.energy_lost}};
  if (i.is_angular) j["angular"] = true;  // rad/s and N m s
  if (i.at_rest_from >= 0) j["at_rest_from"] = i.at_rest_from;
  if (i.kind == Impact::Kind::jam) j["how"] = "jam";
  if (i.kind == Impact::Kind::window) {
    j["how"] = "window";
    j["until"] = i.until;
  }
  return j;
}

std::string impacts_csv(const Result& result) {
  std::string text =
      "contact,body,other,t,px,py,pz,nx,ny,nz,normal_velocity,normal_velocity_after,slip_x,slip_y,slip_z,slip_after_x,"
      "slip_after_y,slip_after_z,impulse,friction_x,friction_y,friction_z,energy_before,energy_after,energy_lost\n";
  std::string line;
  for (const ImpactRecord& r : result.impacts) {
    const Impact& i = r.impact;
    std::vector<double> row = {i.time};
    const auto put = [&](const Vec3& v) { row.insert(row.end(), v.begin(), v.end()); };
    put(i.point), put(i.normal);
    row.push_back(i.normal_before), row.push_back(i.normal_after);
    put(i.tangential_before), put(i.tangential_after);
    row.push_back(i.normal_impulse);
    put(i.tangential_impulse);
    row.insert(row.end(), {i.energy_before, i.energy_after, i.energy_lost});
    append_row(line, row, ',');
    text += fmt::format("{},{},{},{}", r.contact, r.bodies.back(), r.bodies.size() > 1 ? r.bodies[0] : "", line);
  }
  return text;
}

}  // namespace

Json summary(const Result& r) {
  Json j;
  j["format"] = results_format;
  j["outcome"] = r.outcome.name();
  if (!r.outcome.is_success()) j["partial"] = true;
  if (!r.outcome.subject.empty()) j["subject"] = r.outcome.subject;
  if (!r.outcome.reason.empty()) j["reason"] = r.outcome.reason;
  j["time"] = r.outcome.time;
  j["title"] = r.title;
  if (!r.description.empty()) j["description"] = r.description;
  j["method"] = r.method;
  if (r.tolerance) j["tolerance"] = *r.tolerance;
  if (r.step) j["step"] = *r.step;
  j["duration"] = r.duration;
  j["steps"] = r.steps;
  j["rejected"] = r.rejected;
  j["evaluations"] = r.evaluations;
  j["cpu_seconds"] = r.cpu_seconds;
  j["rows"] = r.trajectory.rows();
  const AuditReport& a = r.audit;
  if (a.has_energy)
    j["energy"] = {{"initial", a.initial.total()},     {"final", a.final.total()},
                   {"max_drift", a.max_drift},         {"work", a.final.work},
                   {"dissipated", a.final.dissipated}, {"lost_in_impacts", a.lost_in_impacts},
                   {"scale", a.energy_scale}};
  for (const WatchReport& w : a.watched)
    j["watch"][w.name] = {{"initial", w.initial}, {"final", w.final}, {"max_change", w.max_change}};
  j["violation"] = {
      {"position", a.violation[0]}, {"velocity", a.violation[1]}, {"acceleration", a.acceleration_violation}};
  j["verdict"] = {{"grade", r.verdict.name()}, {"reasons", r.verdict.reasons}};
  if (a.overlap.watches) j["penetration"] = a.overlap.depth;
  if (!a.overlap.what.empty()) j["penetration_at"] = {{"what", a.overlap.what}, {"time", a.overlap.time}};
  if (!a.overlap.limit.empty()) j["limit_overrun"] = {{"limit", a.overlap.limit}, {"by", a.overlap.overrun}};
  for (const UndeclaredOverlap& u : a.overlap.undeclared)
    j["undeclared_overlaps"].push_back({{"bodies", {u.a, u.b}}, {"depth", u.depth}, {"time", u.time}});
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
  for (const ImpactRecord& r_impact : r.impacts) j["events"].push_back(impact_json(r_impact));
  for (const SingularPosition& p : r.singular_positions)
    j["events"].push_back(
        {{"name", "singular position"}, {"kind", "singular"}, {"time", p.time}, {"joints", p.joints}});
  auto& events = j["events"].get_ref<Json::array_t&>();
  std::ranges::stable_sort(events, {}, [](const Json& e) { return e["time"].get<double>(); });
  j["final"] = Json::object();
  for (const FinalBody& b : r.final) {
    Json body = {{"position", list(b.position)}, {"velocity", list(b.velocity)}};
    if (b.rotation) body["rotation"] = {b.rotation->w, b.rotation->x, b.rotation->y, b.rotation->z};
    if (b.angular_velocity) body["angular_velocity"] = list(*b.angular_velocity);
    j["final"][b.name] = body;
  }
  for (const auto& [name, value] : r.final_values) j["final"][name] = value;
  if (r.error) {
    Json bodies = Json::object();
    for (const auto& [name, error] : r.error->final) bodies[name] = error;
    j["error"] = {{"max", r.error->max}, {"final", bodies}, {"against", r.error->against}};
  }
  j["messages"] = r.messages;
  j["warnings"] = r.warnings;
  j["version"] = r.version;
  j["model_hash"] = r.model_hash;
  for (const auto& [name, value] : r.overrides) j["set"].push_back({name, value});
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
  // What another run may have left here and this one does not have.
  std::error_code ignored;
  if (result.impacts.empty()) fs::remove(directory_ / "impacts.csv", ignored);
  if (result.model_text.empty()) fs::remove(directory_ / "model.toml", ignored);
  if (!result.impacts.empty()) write_file(directory_ / "impacts.csv", impacts_csv(result));
  if (!result.model_text.empty()) write_file(directory_ / "model.toml", result.model_text);
  write_file(directory_ / "summary.json", summary(result).dump(2) + "\n");
}

void ResultDirectory::write_six_columns(const Result& result, const std::vector<std::string>& columns) {
  write_file(directory_ / "iftomm.txt", six_columns(result.trajectory, columns[0], columns[1]));
}

std::string trajectory_csv(const Trajectory& trajectory) {
  std::string text = header(trajectory.columns()), line;
  for (std::size_t r = 0; r < trajectory.rows(); ++r) {
    append_row(line, trajectory.row(r), ',');
    text += line;
  }
  return text;
}

std::string six_columns(const Trajectory& trajectory, const std::string& x, const std::string& y) {
  std::string text;
  // Equations have the energy their model watches.
  const bool total = std::ranges::count(trajectory.columns(), "energy.total") > 0;
  const std::vector<std::string> names = {
      "t", x, y, total ? "energy.total" : "energy", "violation.position", "violation.velocity"};
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
