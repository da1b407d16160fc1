// The inputs of a mechanism that switch: forces, motors and drives given by expressions with conditions.
#include "plumb/system/dynamics.h"

namespace plumb {

void Dynamics::fill_motion_slots() {
  slots_[time_slot] = time_;
  for (std::size_t i = 0; i < system_.force_channels.size(); ++i) slots_[i + 1] = channel(system_.force_channels[i]);
}

void Dynamics::fill_rate_slots() {
  rate_slots_[time_slot] = {time_, 1, 0};
  for (std::size_t i = 0; i < system_.rate_channels.size(); ++i) {
    const Channel& c = system_.rate_channels[i];
    rate_slots_[i + 1] = {channel(c), channel(rate_of(c)), 0};
  }
}

template <class F>
void Dynamics::for_each_switching(double t, const double* y, F&& f) {
  place(t, y);
  fill_motion_slots();
  fill_rate_slots();
  rate_values_.resize(rate_slots_.size());
  for (std::size_t i = 0; i < rate_slots_.size(); ++i) rate_values_[i] = rate_slots_[i].value;
  int next = 0;
  system_.for_each_expression([&](const Expression& e, System::Slots slots, const std::string&, const Source&) {
    const double* const values = slots == System::Slots::motion  ? slots_.data()
                                 : slots == System::Slots::rates ? rate_values_.data()
                                                                 : &time_;
    if (e.switches() > 0) f(e, values, next);
    next += e.switches();
  });
}

void Dynamics::live_modes(double t, const double* y, double* modes) {
  for_each_switching(t, y,
                     [&](const Expression& e, const double* slots, int first) { e.live_modes(slots, modes + first); });
}

void Dynamics::indicators(double t, const double* y, const double* modes, double* z) {
  for_each_switching(t, y, [&](const Expression& e, const double* slots, int first) {
    e.indicators(slots, modes + first, z + first);
  });
}

void Dynamics::change_mode(double t, const double* y, int passed, double* modes) {
  for_each_switching(t, y, [&](const Expression& e, const double* slots, int first) {
    if (passed >= first && passed < first + e.switches()) e.change_mode(slots, passed - first, modes + first);
  });
}

}  // namespace plumb
