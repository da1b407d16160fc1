// The running account of a simulation: energy and constraint violation, over all steps.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "plumb/audit/overlap_audit.h"
#include "plumb/observe/gauge.h"
#include "plumb/simulation/observer.h"

namespace plumb {

// What a model asks to have watched.
struct WatchReport {
  std::string name;
  double initial = 0, final = 0, max_change = 0;  // over all steps
};

struct AuditReport {
  bool has_energy = true, accounts_for_energy = true;
  std::vector<WatchReport> watched{};
  Energy initial{}, final{};
  double max_drift = 0;  // of |E - E(0) - work + losses|; not finite: the energy was not
  double time_of_max_drift = 0;
  // What moves between its forms: the most of kinetic energy, of the range of potential energy, of work and of losses.
  double energy_scale = 0;
  double energy_size = 0;             // the most of any of them as a number, which is what rounding is a part of
  double mass = 0, weight = 0;        // of all bodies, kg and N
  double lost_in_impacts = 0;         // of what was dissipated
  std::array<double, 2> violation{};  // largest |g|, |G v + g_t|
  double acceleration_violation = 0;  // largest |G v' + gamma| on the output grid
  OverlapReport overlap{};
};

class Audit : public Observer {
 public:
  explicit Audit(Gauge& gauge);

  void on_step(const Moment& moment) override;
  void on_sample(const Moment& moment) override;
  void on_impact(const Impact& impact) override { report_.lost_in_impacts += impact.energy_lost; }
  AuditReport& report() { return report_; }

 private:
  void weigh(const Energy& e);

  Gauge& gauge_;
  AuditReport report_;
  std::vector<Channel> watched_;
  double least_potential_ = 0, most_potential_ = 0;
  bool begun_ = false;
};

}  // namespace plumb
