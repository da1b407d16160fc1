#include "plumb/simulation/sampler.h"

#include <algorithm>

namespace plumb {

void Sampler::show(Step& step, bool last, const Observers& observers, void* subject, Settle settle) {
  if (observers.empty()) return;
  const double end = step.end(), close = 1e-9 * std::min(step.length(), every_);
  for (;; ++next_) {
    const double t = static_cast<double>(next_) * every_;
    if (t > end + close || t > duration_ + close) break;
    if (t > end - close) {  // the end of the step itself
      ++next_;
      return observers.sample({last ? end : t, step.result()});
    }
    const double theta = (t - step.begin()) / step.length();
    std::copy_n(step.at(theta), y_.size(), y_.begin());
    // Redundant rows can make the projection of an interpolated state run away; then it is shown as interpolated.
    if (!settle(subject, t, y_.data())) std::copy_n(step.at(theta), y_.size(), y_.begin());
    observers.sample({t, y_.data()});
  }
  if (last) observers.sample({end, step.result()});
}

}  // namespace plumb
