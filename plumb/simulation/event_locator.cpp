#include "plumb/simulation/event_locator.h"

#include <algorithm>
#include <cmath>

namespace plumb {
namespace {

constexpr int most_places = 1 << 16;  // at which an event function is looked at in one step

}  // namespace

EventLocator::EventLocator(const std::vector<Event>& events, Gauge& gauge, double grid) : gauge_(gauge), grid_(grid) {
  for (const Event& e : events) watches_.emplace_back(e, gauge);
  values_.resize(watches_.size());
  crossings_.reserve(64);
  found_.reserve(64);
}

void EventLocator::begin(double t, const double* y) {
  for (std::size_t i = 0; i < watches_.size(); ++i) {
    values_[i] = watches_[i].rounded_value(gauge_, t, y);
    watches_[i].begin(values_[i]);
  }
}

std::optional<int> EventLocator::find(Step& step, const Observers& observers) {
  found_.clear();
  const double on_grid = step.length() / grid_;
  const int places = std::clamp(on_grid < most_places ? static_cast<int>(std::ceil(on_grid)) : most_places,
                                samples_per_step, most_places);
  for (std::size_t i = 0; i < watches_.size(); ++i) {
    EventWatch& watch = watches_[i];
    const auto value = [&](double t, const double* y) { return watch.value(gauge_, t, y); };
    auto inside = [&](double theta) { return watch.rounded_value(gauge_, step.time_at(theta), step.at(theta)); };
    const Rounded at_end = watch.rounded_value(gauge_, step.end(), step.result());
    crossings_.clear();
    watch.crossings(inside, values_[i], at_end, places, crossings_);
    values_[i] = at_end;
    for (const EventWatch::Crossing& c : crossings_) {
      const bool at_the_end = c.high == 1 && EventWatch::sign_of_value(at_end) == 0;
      const double t = !watch.event().locate || at_the_end ? step.end() : step.locate(value, c.low, c.high);
      found_.push_back({static_cast<int>(i), t, c.rising});
    }
  }
  std::ranges::stable_sort(found_, {}, &Found::t);
  for (const Found& f : found_) {
    const bool stops = watches_[f.watch].event().action == Event::Action::stop;
    if (stops && f.t < step.end()) step.cut(f.t);
    const double* const y = f.t < step.end() ? step.take_to(f.t) : step.result();
    observers.event({f.watch, f.rising, f.t, y});
    if (stops) return f.watch;
  }
  return std::nullopt;
}

std::optional<int> EventLocator::jump(double t, const double* y, const Observers& observers) {
  for (std::size_t i = 0; i < watches_.size(); ++i) {
    values_[i] = watches_[i].rounded_value(gauge_, t, y);
    bool rising = false;
    if (!watches_[i].jump(values_[i], rising)) continue;
    observers.event({static_cast<int>(i), rising, t, y});
    if (watches_[i].event().action == Event::Action::stop) return static_cast<int>(i);
  }
  return std::nullopt;
}

}  // namespace plumb
