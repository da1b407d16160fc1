#include "plumb/simulation/time_scan.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumb {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t most_instants = 100000, most_cells = 400000;
constexpr long most_looks = 1000000;      // at intervals, for one switch
constexpr double bend = 1e-4;             // part of an input's range by which it may bend within a step …
constexpr double stretch = 16;            // … times the square of this
constexpr double unread_part = 1.0 / 50;  // of the duration: the longest step where nothing can be read off
constexpr double shortest_part = 1e-7;    // of the duration: cells are not halved further

double value_at(const Expression& e, double t) { return e.evaluate(&t); }

}  // namespace

std::vector<SwitchTiming> TimeScan::add(const Expression& expression) {
  TimeParts parts = time_parts(expression);
  has_unread_ = has_unread_ || parts.is_hidden;
  std::vector<SwitchTiming> timing(static_cast<std::size_t>(expression.switches()), SwitchTiming::by_state);
  for (const TimedSwitch& s : parts.switches) {
    std::vector<double> found;
    const bool is_listed = find_instants(s, found);
    timing[static_cast<std::size_t>(s.number)] = is_listed ? SwitchTiming::listed : SwitchTiming::unlisted;
    if (is_listed) instants_.insert(instants_.end(), found.begin(), found.end());
  }
  for (Expression& e : parts.inputs) inputs_.push_back({std::move(e), {}});
  return timing;
}

// Roots of the argument, or of its distance from whole numbers, in an explicit stack of intervals from left to right.
bool TimeScan::find_instants(const TimedSwitch& s, std::vector<double>& found) const {
  struct Piece {
    double low, high;
  };
  std::vector<Piece> stack = {{0, duration_}};
  const double least = 1e-15 * duration_;
  const auto side = [&](double t) {
    const double x = value_at(s.argument, t);
    return s.at_integers ? std::floor(x) : double(x > 0) - double(x < 0);
  };
  long looks = 0;
  while (!stack.empty()) {
    const Piece p = stack.back();
    stack.pop_back();
    if (++looks > most_looks || found.size() > most_instants) return false;
    const Interval x = s.argument.values_over({p.low, p.high});
    const bool may =
        s.at_integers ? std::floor(x.low) != std::floor(x.high) || x.low == std::floor(x.low) : x.contains(0);
    if (!may) continue;
    const double width = p.high - p.low, middle = p.low + width / 2;
    if (width > 1e-4 * duration_ || (side(p.low) == side(p.high) && width > 1e-9 * duration_)) {
      stack.push_back({middle, p.high});
      stack.push_back({p.low, middle});
      continue;
    }
    if (side(p.low) == side(p.high)) continue;  // touched at most, for less than can be told
    double low = p.low, high = p.high;
    const double before = side(low);
    for (;;) {
      const double t = low + (high - low) / 2;
      if (t <= low || t >= high) break;
      (side(t) == before ? low : high) = t;
    }
    // On the instant itself the argument is zero, or a whole number: that time, if it is one; of a jump the time after.
    const auto distance = [&](double t) {
      const double v = value_at(s.argument, t);
      return std::abs(s.at_integers ? v - std::round(v) : v);
    };
    found.push_back(distance(low) <= 0.5 * distance(high) ? low : high);
    if (high < p.high - least) stack.push_back({high + least, p.high});
  }
  return true;
}

void TimeScan::finish() {
  std::ranges::sort(instants_);
  // Nearer to each other, or to an end of the run, than a step can be short they are one.
  const double least = 1e-14 * duration_;
  std::vector<double> distinct;
  for (double t : instants_)
    if (t > least && t < duration_ - least && (distinct.empty() || t - distinct.back() > least)) distinct.push_back(t);
  instants_ = std::move(distinct);
  for (Input& input : inputs_) {
    std::vector<double> modes(static_cast<std::size_t>(input.expression.switches()) + 1);
    double low = infinity, high = -infinity;
    for (int i = 0; i <= 256; ++i) {
      const double v = value_at(input.expression, duration_ * i / 256);
      low = std::min(low, v);
      high = std::max(high, v);
    }
    double from = 0;
    for (std::size_t k = 0; k <= instants_.size(); ++k) {
      const double to = k < instants_.size() ? instants_[k] : duration_, middle = from + (to - from) / 2;
      input.expression.live_modes(&middle, modes.data());
      scan(input, from, to, modes.data(), low, high);
      from = to;
    }
    if (input.cells.size() < most_cells) continue;
    has_unread_ = true;
    input.cells.clear();
  }
}

void TimeScan::scan(Input& input, double begin, double end, const double* modes, double& low, double& high) {
  struct Piece {
    double begin, end;
  };
  std::vector<Piece> stack = {{begin, end}};
  const double shortest = shortest_part * duration_;
  while (!stack.empty() && input.cells.size() < most_cells) {
    const Piece p = stack.back();
    stack.pop_back();
    const double width = p.end - p.begin, middle = p.begin + width / 2;
    const double v = input.expression.evaluate(&middle, modes);
    low = std::min(low, v);
    high = std::max(high, v);
    const Interval bending = input.expression.evaluate_over({p.begin, p.end}, modes).acceleration;
    const double most = std::max(std::abs(bending.low), std::abs(bending.high));
    const double range = std::max(high - low, 1e-12 * std::max(std::abs(low), std::abs(high)));
    const double limit = most > 0 ? stretch * std::sqrt(8 * bend * range / most) : infinity;
    if (limit >= width) continue;  // the whole cell in one step, and more
    if (width <= 4 * limit || width <= shortest) {
      input.cells.push_back({p.begin, p.end, std::max(limit, shortest)});
      continue;
    }
    stack.push_back({middle, p.end});
    stack.push_back({p.begin, middle});
  }
}

double TimeScan::next_instant(double t) const {
  const auto next = std::ranges::upper_bound(instants_, t);
  return next == instants_.end() ? infinity : *next;
}

double TimeScan::inside_after(double t) const {
  const double next = std::min(next_instant(t), duration_);
  return t + (next - t) / 2;
}

double TimeScan::longest_step(double t) const {
  double longest = has_unread_ ? unread_part * duration_ : infinity;
  for (const Input& input : inputs_) {
    auto cell = std::ranges::upper_bound(input.cells, t, {}, &Cell::end);
    for (; cell != input.cells.end() && cell->begin - t < longest; ++cell)
      longest = std::min(longest, std::max(cell->begin - t, 0.0) + cell->limit);
  }
  return longest;
}

}  // namespace plumb
