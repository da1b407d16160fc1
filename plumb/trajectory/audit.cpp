#include "plumb/trajectory/audit.h"

#include <algorithm>
#include <cmath>

namespace plumb {

void Audit::on_step(const Moment& moment) {
  measurement_.look_at(moment.t, moment.y);
  report_.final = measurement_.energy();
  if (!begun_) report_.initial = report_.final;
  begun_ = true;
  const double drift = std::abs(report_.final.balance() - report_.initial.balance());
  if (drift > report_.max_drift) {
    report_.max_drift = drift;
    report_.time_of_max_drift = moment.t;
  }
  for (int level = 0; level < 2; ++level)
    report_.violation[level] = std::max(report_.violation[level], measurement_.violation(level));
}

void Audit::on_sample(const Moment& moment) {
  measurement_.look_at(moment.t, moment.y);
  report_.acceleration_violation = std::max(report_.acceleration_violation, measurement_.violation(2));
}

}  // namespace plumb
