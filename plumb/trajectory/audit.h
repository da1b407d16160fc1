// The running account of a simulation: energy and constraint violation, over all steps.
#pragma once

#include <array>

#include "plumb/simulation/observer.h"
#include "plumb/system/measurement.h"

namespace plumb {

struct AuditReport {
  Energy initial{}, final{};
  double max_drift = 0;  // of |E - E(0) - work + losses|
  double time_of_max_drift = 0;
  std::array<double, 2> violation{};  // largest |g|, |G v + g_t|
  double acceleration_violation = 0;  // largest |G v' + gamma| on the output grid
};

class Audit : public Observer {
 public:
  explicit Audit(Measurement& measurement) : measurement_(measurement) {}

  void on_step(const Moment& moment) override;
  void on_sample(const Moment& moment) override;
  const AuditReport& report() const { return report_; }

 private:
  Measurement& measurement_;
  AuditReport report_;
  bool begun_ = false;
};

}  // namespace plumb
