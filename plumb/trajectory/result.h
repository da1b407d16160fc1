// A whole run, audited: the trajectory and everything needed to judge it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "plumb/audit/verdict.h"
#include "plumb/model/model.h"
#include "plumb/simulation/outcome.h"
#include "plumb/simulation/start.h"
#include "plumb/trajectory/recorder.h"
#include "plumb/trajectory/trajectory.h"

namespace plumb {

struct FinalBody {
  std::string name;
  Vec3 position, velocity;
  std::optional<Quaternion> rotation;    // rigid bodies
  std::optional<Vec3> angular_velocity;  // world axes
};

// Estimated global error, from a second run with a finer step or tolerance (study/error_estimate.h).
struct ErrorEstimate {
  double max = 0;  // of any body's position at any output point, m; of equations: of any unknown
  std::vector<std::pair<std::string, double>> final{};  // of each body's final position, m, or of each unknown
  std::string against;                                  // what the run was compared with
};

// A pose at which constraints lose independence for a moment; the motion passes it on its branch.
struct SingularPosition {
  double time = 0;
  std::vector<std::string> joints;
};

struct Result {
  std::string title;
  Outcome outcome;
  std::string method;
  int order = 0;  // of the method
  std::optional<double> tolerance, step;
  double duration = 0;
  long steps = 0, rejected = 0, evaluations = 0;
  double cpu_seconds = 0;
  Trajectory trajectory;
  std::vector<EventRecord> events;
  std::vector<ImpactRecord> impacts;  // the ledger
  std::vector<SingularPosition> singular_positions;
  AuditReport audit;
  std::vector<FinalBody> final;
  std::vector<std::pair<std::string, double>> final_values;  // of a model given as equations: its unknowns
  std::vector<std::string> messages;                         // about the start
  std::vector<std::string> warnings;
  std::optional<ErrorEstimate> error;
  double size = 1;                 // of what moves, m; of equations: of the largest unknown
  bool contacts_in_steps = false;  // see audit/verdict.h
  int contact_windows = 0;
  std::vector<std::string> doubts;
  Verdict verdict;
  std::string version, model_hash;
  std::string description, model_text;  // as read from the file
  Overrides overrides;                  // of its parameters
};

struct RunOptions {
  // Called once with the column names, then with every row as it is recorded.
  std::function<void(const std::vector<std::string>&)> on_columns{};
  Recorder::RowSink on_row{};
  // Called now and then with the fraction done.
  std::function<void(double)> on_progress{};
  // Called during the run with what will also be among its warnings.
  std::function<void(const std::string&)> on_notice{};
  // Asked to stop, the run ends as `cancelled` after the step at hand; what was computed is kept.
  std::stop_token stop{};
};

// Throws InputError; every other end is in Result::outcome.
Result simulate(const Model& model, const RunOptions& options = {});

// Judges it, once more where something was added to it. A run whose account of energy is open is not completed.
void judge(Result& result);

// Identifies a model: FNV-1a of its text and of the parameters set from outside.
std::string model_hash(const Model& model);

}  // namespace plumb
