// Operations that switch: comparisons, sign, abs, min, max, floor, ceil, mod. Each has a mode that is constant between
// switches (which side, which argument, which whole number). With the mode held an expression is smooth, also a little
// beyond the switch; an indicator, positive inside the mode, tells when it has to change.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace plumb {

enum class Switch : std::uint8_t { less, less_equal, sign, abs, floor, ceil, min, max, mod };

// Of the arguments a and b (or a alone), as they are.
inline double live_mode(Switch s, double a, double b) {
  switch (s) {
    case Switch::less: return a < b;
    case Switch::less_equal: return a <= b;
    case Switch::sign: return double(a > 0) - double(a < 0);
    case Switch::abs: return a < 0 ? -1 : 1;
    case Switch::floor: return std::floor(a);
    case Switch::ceil: return std::ceil(a);
    case Switch::min: return a < b ? 0 : 1;  // number of the argument taken
    case Switch::max: return a > b ? 0 : 1;
    case Switch::mod: return std::floor(a / b);
  }
  return 0;
}

// The value with the mode held.
template <class T>
T held(Switch s, double mode, const T& a, const T& b) {
  switch (s) {
    case Switch::less:
    case Switch::less_equal:
    case Switch::sign:
    case Switch::floor:
    case Switch::ceil: return T(mode);
    case Switch::abs: return mode < 0 ? T(-a) : a;
    case Switch::min:
    case Switch::max: return mode == 0 ? a : b;
    case Switch::mod: return a - b * T(mode);
  }
  return a;
}

// Positive inside the mode, negative beyond it.
inline double indicator(Switch s, double mode, double a, double b) {
  const auto between = [](double x, double low, double high) { return std::min(x - low, high - x); };
  switch (s) {
    case Switch::less:
    case Switch::less_equal: return mode != 0 ? b - a : a - b;
    case Switch::sign: return mode == 0 ? -std::abs(a) : mode * a;
    case Switch::abs: return mode * a;
    case Switch::floor: return between(a, mode, mode + 1);
    case Switch::ceil: return between(a, mode - 1, mode);
    case Switch::min: return mode == 0 ? b - a : a - b;
    case Switch::max: return mode == 0 ? a - b : b - a;
    case Switch::mod: return between(a / b, mode, mode + 1);
  }
  return 1;
}

// The mode beyond the switch just passed.
inline double next_mode(Switch s, double mode, double a, double b) {
  switch (s) {
    case Switch::less:
    case Switch::less_equal:
    case Switch::min:
    case Switch::max: return 1 - mode;
    case Switch::sign: return mode == 0 ? live_mode(s, a, b) : -mode;
    case Switch::abs: return -mode;
    case Switch::floor: return a > mode + 0.5 ? mode + 1 : mode - 1;
    case Switch::ceil: return a > mode - 0.5 ? mode + 1 : mode - 1;
    case Switch::mod: return a / b > mode + 0.5 ? mode + 1 : mode - 1;
  }
  return mode;
}

}  // namespace plumb
