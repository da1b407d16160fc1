#include "plumb/audit/audit.h"

#include <algorithm>
#include <cmath>

#include "plumb/solver/largest.h"

namespace plumb {

Audit::Audit(Gauge& gauge) : gauge_(gauge), watched_(gauge.watched()) {
  report_.has_energy = gauge.has_energy();
  report_.accounts_for_energy = gauge.accounts_for_energy();
  for (const Channel& c : watched_) report_.watched.push_back({c.name});
}

void Audit::weigh(const Energy& e) {
  least_potential_ = begun_ ? std::min(least_potential_, e.potential) : e.potential;
  most_potential_ = begun_ ? std::max(most_potential_, e.potential) : e.potential;
  for (double x : {e.kinetic, most_potential_ - least_potential_, std::abs(e.work), std::abs(e.dissipated)})
    keep_largest(report_.energy_scale, x);
  keep_largest(report_.energy_size, std::max(report_.energy_scale, std::abs(e.potential)));
}

void Audit::on_step(const Moment& moment) {
  gauge_.look_at(moment.t, moment.y);
  report_.final = gauge_.energy();
  if (!begun_) report_.initial = report_.final;
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    WatchReport& w = report_.watched[i];
    w.final = gauge_.value(watched_[i]);
    if (!begun_) w.initial = w.final;
    keep_largest(w.max_change, std::abs(w.final - w.initial));
  }
  weigh(report_.final);
  begun_ = true;
  const double drift = std::abs(report_.final.balance() - report_.initial.balance()), last = report_.max_drift;
  keep_largest(report_.max_drift, drift);
  if (!std::isnan(last) && report_.max_drift != last) report_.time_of_max_drift = moment.t;
  for (int level = 0; level < 2; ++level) keep_largest(report_.violation[level], gauge_.violation(level));
}

void Audit::on_sample(const Moment& moment) {
  gauge_.look_at(moment.t, moment.y);
  keep_largest(report_.acceleration_violation, gauge_.violation(2));
}

}  // namespace plumb
