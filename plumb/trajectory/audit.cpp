#include "plumb/trajectory/audit.h"

#include <algorithm>
#include <cmath>

namespace plumb {

Audit::Audit(Gauge& gauge) : gauge_(gauge), watched_(gauge.watched()) {
  report_.has_energy = gauge.has_energy();
  for (const Channel& c : watched_) report_.watched.push_back({c.name});
}

void Audit::on_step(const Moment& moment) {
  gauge_.look_at(moment.t, moment.y);
  report_.final = gauge_.energy();
  if (!begun_) report_.initial = report_.final;
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    WatchReport& w = report_.watched[i];
    w.final = gauge_.value(watched_[i]);
    if (!begun_) w.initial = w.final;
    w.max_change = std::max(w.max_change, std::abs(w.final - w.initial));
  }
  begun_ = true;
  const double drift = std::abs(report_.final.balance() - report_.initial.balance());
  if (drift > report_.max_drift) {
    report_.max_drift = drift;
    report_.time_of_max_drift = moment.t;
  }
  for (int level = 0; level < 2; ++level)
    report_.violation[level] = std::max(report_.violation[level], gauge_.violation(level));
}

void Audit::on_sample(const Moment& moment) {
  gauge_.look_at(moment.t, moment.y);
  report_.acceleration_violation = std::max(report_.acceleration_violation, gauge_.violation(2));
}

}  // namespace plumb
