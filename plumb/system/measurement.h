// The value of any channel at a state. Accelerations and multipliers are computed only when a channel needs
// them.
#pragma once

#include <vector>

#include "plumb/system/dynamics.h"
#include "plumb/system/gauge.h"

namespace plumb {

class Measurement final : public Gauge {
 public:
  Measurement(Dynamics& dynamics, const Stabilisation& stabilisation);

  // `reference` is what energy.drift is measured from.
  void set_reference(double energy_balance) { reference_ = energy_balance; }

  void look_at(double t, const double* y) override;
  double value(const Channel& channel) override;

  Energy energy() override;
  // Norms |g|, |G v + g_t|, |G v' + gamma|.
  double violation(int level) override;

  std::vector<Channel> channels() const override { return all_channels(dynamics_.system()); }
  std::optional<Channel> find(std::string_view name) const override { return find_channel(dynamics_.system(), name); }
  const std::map<std::string, double>& parameters() const override { return dynamics_.system().parameters; }

 private:
  void need_rates();

  Dynamics& dynamics_;
  Stabilisation stabilisation_;
  double reference_ = 0;
  double t_ = 0;
  const double* y_ = nullptr;
  bool has_rates_ = false;
  std::vector<double> rate_, rows_;
};

}  // namespace plumb
