#include "plumb/simulation/contact_window.h"

#include <algorithm>

namespace plumb {

bool ContactWindow::note_change(double t) {
  const double oldest = changes_[next_];
  changes_[next_] = t;
  next_ = (next_ + 1) % many;
  return ++seen_ > static_cast<long>(many) && t - oldest < soon * duration_;
}

bool ContactWindow::note_step(double t, double step) {
  if (t - since_ > many_steps * far_shorter * step) {  // these were long enough in the mean
    since_ = t;
    short_steps_ = 0;
  }
  return ++short_steps_ > many_steps;
}

void ContactWindow::open(double t, double step) {
  const bool follows = count_ > 0 && t - end_ < end_ - begin_;
  steps_ = follows ? std::min(2 * steps_, most_steps) : fewest_steps;
  begin_ = t;
  step_ = step;
  end_ = t + steps_ * step;
  short_steps_ = 0;
  seen_ = 0;
  entry_ = Impact{};
  entry_.kind = Impact::Kind::window;
  ++count_;
}

void ContactWindow::add(const std::vector<Impact>& impacts) {
  for (const Impact& i : impacts) {
    if (i.normal_impulse > entry_.normal_impulse) {  // the heaviest gives its name
      entry_.contact = i.contact;
      entry_.from = i.from;
      entry_.to = i.to;
      entry_.point = i.point;
      entry_.normal = i.normal;
    }
    entry_.normal_impulse += i.normal_impulse;
    entry_.energy_lost += i.energy_lost;
  }
  if (impacts.empty()) return;
  if (entry_.energy_before == 0) entry_.energy_before = impacts.front().energy_before;
  entry_.energy_after = impacts.back().energy_after;
}

Impact ContactWindow::close(double t) {
  entry_.time = begin_;
  entry_.until = t;
  step_ = 0;
  return entry_;
}

}  // namespace plumb
