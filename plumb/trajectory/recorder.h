// Turns what a simulation shows into a trajectory and a list of events.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plumb/model/model.h"
#include "plumb/observe/gauge.h"
#include "plumb/simulation/observer.h"
#include "plumb/system/system.h"
#include "plumb/trajectory/trajectory.h"

namespace plumb {

struct EventRecord {
  std::string name;
  double time = 0;
  bool rising = false;
  std::vector<double> row;  // the channels of the trajectory at that instant
};

// An entry of the ledger of impacts.
struct ImpactRecord {
  std::string contact;
  std::vector<std::string> bodies;
  Impact impact;
};

class Recorder : public Observer {
 public:
  // Called with every row as it is recorded, for writing while the run goes on.
  using RowSink = std::function<void(std::span<const double>)>;

  // `system` names the bodies of impacts; null where there are none.
  Recorder(const System* system, const std::vector<Event>& events, Gauge& gauge, RowSink sink = {});

  void on_sample(const Moment& moment) override;
  void on_event(const Occurrence& occurrence) override;
  void on_impact(const Impact& impact) override;

  Trajectory& trajectory() { return trajectory_; }
  std::vector<EventRecord>& events() { return records_; }
  std::vector<ImpactRecord>& impacts() { return impacts_; }

 private:
  void measure(double t, const double* y);

  const System* system_;
  std::vector<Channel> channels_;
  const std::vector<Event>& events_;
  Gauge& gauge_;
  RowSink sink_;
  std::vector<double> row_;
  Trajectory trajectory_;
  std::vector<EventRecord> records_;
  std::vector<ImpactRecord> impacts_;
};

}  // namespace plumb
