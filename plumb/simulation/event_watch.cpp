#include "plumb/simulation/event_watch.h"

#include <fmt/format.h>

#include <cmath>

#include "plumb/model/parameters.h"

namespace plumb {
namespace {

class EventNames : public Names {
 public:
  EventNames(const Gauge& gauge, std::vector<Channel>& used) : gauge_(gauge), used_(used) {}

  std::optional<Meaning> find(std::string_view name) const override {
    if (name == "t") return Meaning{std::nullopt, time_slot};
    if (const auto p = gauge_.parameters().find(std::string(name)); p != gauge_.parameters().end())
      return Meaning{p->second};
    const auto channel = gauge_.find(name);
    if (!channel) return std::nullopt;
    used_.push_back(*channel);
    return Meaning{std::nullopt, static_cast<int>(used_.size())};
  }

  std::vector<std::string> all() const override {
    std::vector<std::string> names;
    for (const Channel& c : gauge_.channels()) names.push_back(c.name);
    for (const auto& [name, value] : gauge_.parameters()) names.push_back(name);
    return names;
  }

 private:
  const Gauge& gauge_;
  std::vector<Channel>& used_;
};

}  // namespace

EventWatch::EventWatch(const Event& event, const Gauge& gauge) : event_(event) {
  expression_ = parse_expression(event.zero_of, EventNames(gauge, channels_), event.source,
                                 fmt::format("event '{}'", event.name));
  slots_.resize(1 + channels_.size());
}

double EventWatch::value(Gauge& gauge, double t, const double* y) {
  gauge.look_at(t, y);
  slots_[time_slot] = t;
  for (std::size_t i = 0; i < channels_.size(); ++i) slots_[i + 1] = gauge.value(channels_[i]);
  return expression_.evaluate(slots_.data());
}

bool EventWatch::wanted(bool rising) const {
  return event_.direction == Event::Direction::both || (event_.direction == Event::Direction::rising) == rising;
}

// From one side of zero to the other, or onto zero; leaving zero is no crossing.
void EventWatch::visit(double low, double high, double value_at_high, std::vector<Crossing>& found) {
  const int sign = sign_of(value_at_high);
  if (sign_ != 0 && sign != sign_ && wanted(sign_ < 0)) found.push_back({low, high, sign_ < 0});
  sign_ = sign;
}

void EventWatch::crossings(const StepFunction& inside, double start, double end, std::vector<Crossing>& found) {
  if (!event_.locate) return visit(0, 1, end, found);
  constexpr double nudge = 1e-4;
  double last = start, last_slope = inside(nudge) - inside(0);
  for (int i = 1; i <= samples_per_step; ++i) {
    double low = static_cast<double>(i - 1) / samples_per_step;
    const double high = static_cast<double>(i) / samples_per_step;
    const double there = inside(high), slope = there - inside(high - nudge);
    const double value = i < samples_per_step ? there : end;
    const bool heads_for_zero = last * last_slope<0, leaves_zero = value * slope> 0;
    if (last * value > 0 && heads_for_zero && leaves_zero)
      if (const double other = find_other_side(inside, low, high, sign_); other > 0) {
        visit(low, other, inside(other), found);
        low = other;
      }
    visit(low, high, value, found);
    last = value;
    last_slope = slope;
  }
}

}  // namespace plumb
