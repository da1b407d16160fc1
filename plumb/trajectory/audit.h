// The running account of a simulation: energy and constraint violation, over all steps.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "plumb/observe/gauge.h"
#include "plumb/simulation/observer.h"

namespace plumb {

// What a model asks to have watched.
struct WatchReport {
  std::string name;
  double initial = 0, final = 0, max_change = 0;  // over all steps
};

struct AuditReport {
  bool has_energy = true;
  std::vector<WatchReport> watched{};
  Energy initial{}, final{};
  double max_drift = 0;  // of |E - E(0) - work + losses|
  double time_of_max_drift = 0;
  std::array<double, 2> violation{};  // largest |g|, |G v + g_t|
  double acceleration_violation = 0;  // largest |G v' + gamma| on the output grid
};

class Audit : public Observer {
 public:
  explicit Audit(Gauge& gauge);

  void on_step(const Moment& moment) override;
  void on_sample(const Moment& moment) override;
  const AuditReport& report() const { return report_; }

 private:
  Gauge& gauge_;
  AuditReport report_;
  std::vector<Channel> watched_;
  bool begun_ = false;
};

}  // namespace plumb
