#include "plumb/simulation/switch_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plumb {
namespace {

// An indicator is zero within this part of the largest it has been.
constexpr double rounding = 1e-13;
// So many passages with less than this part of the duration between them have no end.
constexpr int too_often = 24;
constexpr double at_once = 1e-7;

}  // namespace

SwitchDriver::SwitchDriver(SwitchSource& source, std::vector<double>& modes, double duration, bool limits_steps)
    : source_(source), modes_(modes), duration_(duration), limits_steps_(limits_steps), scan_(duration) {
  timing_ = source.scan(scan_);
  scan_.finish();
  const std::size_t n = static_cast<std::size_t>(source.switches());
  modes_.assign(n, 0.0);
  for (std::vector<double>* v : {&z_, &last_, &sizes_, &live_}) v->assign(n, 0.0);
  suspect_.assign(n, 0);
  passing_.assign(n, never);
  passed_at_.assign(n, -never);
  in_a_row_.assign(n, 0);
}

bool SwitchDriver::is_idle() const { return modes_.empty() && (!limits_steps_ || scan_.longest_step(0) >= duration_); }

double SwitchDriver::longest_step(double t) const {
  const double seen = limits_steps_ ? scan_.longest_step(t) : never;
  return std::min(seen, scan_.next_instant(t) - t);
}

// Indicators at a state; the largest each has been.
void SwitchDriver::look(double t, const double* y) {
  source_.indicators(t, y, modes_.data(), z_.data());
  for (std::size_t i = 0; i < z_.size(); ++i)
    if (std::isfinite(z_[i])) sizes_[i] = std::max(sizes_[i], std::abs(z_[i]));
}

double SwitchDriver::first(Step& step) {
  const double timed = scan_.next_instant(step.begin());
  double earliest = step.end() >= timed ? timed : never;
  if (modes_.empty()) return earliest;
  // Those that pass zero, or come nearer to it than they change from one look to the next.
  std::ranges::fill(suspect_, char{0});
  std::ranges::fill(passing_, never);
  bool any = false;
  for (int k = 0; k <= samples_per_step; ++k) {
    const double theta = static_cast<double>(k) / samples_per_step;
    look(step.time_at(theta), k < samples_per_step ? step.at(theta) : step.result());
    for (std::size_t i = 0; i < z_.size(); ++i) {
      if (k > 0 && timing_[i] != SwitchTiming::listed && !(std::min(z_[i], last_[i]) > std::abs(z_[i] - last_[i]))) {
        suspect_[i] = 1;
        any = true;
      }
      last_[i] = z_[i];
    }
  }
  for (std::size_t i = 0; any && i < z_.size(); ++i) {
    if (!suspect_[i]) continue;
    passing_[i] = passing_of(static_cast<int>(i), step);
    earliest = std::min(earliest, passing_[i]);
  }
  return earliest;
}

double SwitchDriver::passing_of(int number, Step& step) {
  const auto value = [&](double t, const double* y) {
    look(t, y);
    return z_[number];
  };
  const auto on = [&](double theta) { return theta < 1 ? step.value(value, theta) : value(step.end(), step.result()); };
  const double start = std::min(value(step.begin(), step.state()), 0.0), slack = rounding * sizes_[number] - start;
  auto watched = [&](double theta) { return on(theta) + slack; };
  const auto fall = first_fall(StepFunction(watched));
  if (!fall) return never;
  // The zero itself, if it was positive before; of what was at zero already the place where it is no longer.
  if (on(fall->low) > slack) {
    auto plain = [&](double theta) { return on(theta); };
    return step.refine(value, root_between(StepFunction(plain), fall->low, fall->high), fall->low, fall->high);
  }
  return step.time_at(root_between(StepFunction(watched), fall->low, fall->high));
}

bool SwitchDriver::chatters(int number, double t) {
  in_a_row_[number] = t - passed_at_[number] < at_once * duration_ ? in_a_row_[number] + 1 : 0;
  passed_at_[number] = t;
  return in_a_row_[number] > too_often;
}

Outcome SwitchDriver::chattering(int number, double t) const {
  if (timing_[static_cast<std::size_t>(number)] == SwitchTiming::unlisted)
    return {Outcome::Kind::chattering, t, source_.describe(number),
            "its condition switches with time, faster than can be followed; use its mean, or a shorter duration",
            source_.source(number)};
  return {Outcome::Kind::chattering, t, source_.describe(number),
          "its condition switches to and fro without end: on either side the motion is driven back to the other. " +
              source_.remedy(),
          source_.source(number)};
}

void SwitchDriver::choose_modes(double t, const double* y) {
  if (modes_.empty()) return;
  source_.live_modes(t, y, modes_.data());
  follow_time(t, y);
}

void SwitchDriver::follow_time(double t, const double* y) {
  source_.live_modes(scan_.inside_after(t), y, live_.data());
  for (std::size_t i = 0; i < modes_.size(); ++i)
    if (timing_[i] == SwitchTiming::listed) modes_[i] = live_[i];
}

Interruption::Change SwitchDriver::act(double t, double* y) {
  if (t == 0) {
    std::ranges::fill(passed_at_, -never);
    std::ranges::fill(in_a_row_, 0);
    std::ranges::fill(passing_, never);
    std::ranges::fill(sizes_, 0.0);
    choose_modes(0, y);
    return {};
  }
  if (modes_.empty()) return {};
  follow_time(t, y);
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    if (timing_[i] == SwitchTiming::listed || !(passing_[i] <= t)) continue;
    passing_[i] = never;
    source_.change_mode(t, y, static_cast<int>(i), modes_.data());
    if (chatters(static_cast<int>(i), t)) return {false, chattering(static_cast<int>(i), t)};
  }
  return source_.follow(t, y);
}

}  // namespace plumb
