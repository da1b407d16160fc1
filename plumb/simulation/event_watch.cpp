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

// Of what a channel shows: projections and sums leave this many units of its size.
constexpr double channel_rounding = 64 * Rounded::unit;

EventWatch::EventWatch(const Event& event, const Gauge& gauge) : event_(event) {
  expression_ = parse_expression(event.zero_of, EventNames(gauge, channels_), event.source,
                                 fmt::format("event '{}'", event.name));
  slots_.resize(1 + channels_.size());
  sizes_.resize(1 + channels_.size());
  rounded_.resize(1 + channels_.size());
}

void EventWatch::read(Gauge& gauge, double t, const double* y) {
  gauge.look_at(t, y);
  slots_[time_slot] = t;
  for (std::size_t i = 0; i < channels_.size(); ++i) slots_[i + 1] = gauge.value(channels_[i]);
}

double EventWatch::value(Gauge& gauge, double t, const double* y) {
  read(gauge, t, y);
  return expression_.evaluate(slots_.data());
}

Rounded EventWatch::rounded_value(Gauge& gauge, double t, const double* y) {
  read(gauge, t, y);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    // A gap of 1e-16 m between bodies at a distance of 1 m is rounding: the size a channel has had counts.
    sizes_[i] = std::max(sizes_[i], std::abs(slots_[i]));
    rounded_[i] = {slots_[i], (i == 0 ? Rounded::unit : channel_rounding) * sizes_[i]};
  }
  return expression_.evaluate_rounded(rounded_.data());
}

bool EventWatch::wanted(bool rising) const {
  return event_.direction == Event::Direction::both || (event_.direction == Event::Direction::rising) == rising;
}

// From one side of zero to the other, or onto zero; leaving zero is no crossing.
void EventWatch::visit(double low, double high, int sign, std::vector<Crossing>& found) {
  if (sign_ != 0 && sign != sign_ && wanted(sign_ < 0)) found.push_back({low, high, sign_ < 0});
  sign_ = sign;
}

bool EventWatch::jump(const Rounded& after, bool& rising) {
  const int sign = sign_of_value(after);
  rising = sign_ < 0;
  const bool counts = sign_ != 0 && sign != sign_ && wanted(rising);
  sign_ = sign;
  return counts;
}

}  // namespace plumb
