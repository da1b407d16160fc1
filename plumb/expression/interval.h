// All values an expression can take while its argument runs through an interval: an enclosure, never too small. Narrow
// features that samples miss cannot hide in it.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace plumb {

struct Interval {
  double low = 0, high = 0;

  Interval() = default;
  Interval(double x) : low(x), high(x) {}
  Interval(double a, double b) : low(a), high(b) {}

  static Interval everything() {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  double width() const { return high - low; }
  bool contains(double x) const { return low <= x && x <= high; }
  bool is_finite() const { return std::isfinite(low) && std::isfinite(high); }
};

// Wider by what rounding may have cost; anything that is not a number becomes everything.
inline Interval enclosure(double low, double high) {
  if (!(low <= high)) return Interval::everything();
  constexpr double unit = 4 * std::numeric_limits<double>::epsilon();
  return {low - unit * std::abs(low), high + unit * std::abs(high)};
}

inline Interval operator+(const Interval& a, const Interval& b) { return enclosure(a.low + b.low, a.high + b.high); }
inline Interval operator-(const Interval& a, const Interval& b) { return enclosure(a.low - b.high, a.high - b.low); }
inline Interval operator-(const Interval& a) { return {-a.high, -a.low}; }
inline Interval operator*(const Interval& a, const Interval& b) {
  const double p[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  for (double x : p)
    if (std::isnan(x)) return Interval::everything();
  return enclosure(*std::min_element(p, p + 4), *std::max_element(p, p + 4));
}
inline Interval operator/(const Interval& a, const Interval& b) {
  if (b.contains(0)) return Interval::everything();
  return a * enclosure(1 / b.high, 1 / b.low);
}
inline Interval& operator+=(Interval& a, const Interval& b) { return a = a + b; }

template <class F>
Interval rising(const F& f, const Interval& u) {
  return enclosure(f(u.low), f(u.high));
}

inline Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

// cos takes its extremes at whole multiples of pi.
inline Interval cos(const Interval& u) {
  constexpr double pi = std::numbers::pi;
  if (!u.is_finite() || u.width() >= 2 * pi) return {-1, 1};
  const double first = std::ceil(u.low / pi), last = std::floor(u.high / pi);
  Interval r = hull(std::cos(u.low), std::cos(u.high));
  for (double k = first; k <= last; ++k) r = hull(r, std::fmod(k, 2) == 0 ? 1.0 : -1.0);
  r = enclosure(r.low, r.high);
  return {std::max(r.low, -1.0), std::min(r.high, 1.0)};
}
inline Interval sin(const Interval& u) { return cos(u - Interval(std::numbers::pi / 2)); }
inline Interval tan(const Interval& u) {
  const Interval c = cos(u);
  if (c.contains(0)) return Interval::everything();
  return enclosure(std::tan(u.low), std::tan(u.high));
}
inline Interval asin(const Interval& u) {
  return rising([](double x) { return std::asin(std::clamp(x, -1.0, 1.0)); }, u);
}
inline Interval acos(const Interval& u) { return Interval(std::numbers::pi / 2) - asin(u); }
inline Interval atan(const Interval& u) {
  return rising([](double x) { return std::atan(x); }, u);
}
inline Interval sinh(const Interval& u) {
  return rising([](double x) { return std::sinh(x); }, u);
}
inline Interval abs(const Interval& u) {
  if (u.contains(0)) return {0, std::max(-u.low, u.high)};
  return u.high < 0 ? -u : u;
}
inline Interval cosh(const Interval& u) {
  return rising([](double x) { return std::cosh(x); }, abs(u));
}
inline Interval tanh(const Interval& u) {
  return rising([](double x) { return std::tanh(x); }, u);
}
inline Interval exp(const Interval& u) {
  return rising([](double x) { return std::exp(x); }, u);
}
inline Interval log(const Interval& u) {
  if (u.low <= 0)
    return u.high > 0 ? Interval(-std::numeric_limits<double>::infinity(), std::log(u.high)) : Interval::everything();
  return rising([](double x) { return std::log(x); }, u);
}
inline Interval sqrt(const Interval& u) {
  return rising([](double x) { return std::sqrt(std::max(x, 0.0)); }, u);
}
inline Interval floor(const Interval& u) { return {std::floor(u.low), std::floor(u.high)}; }
inline Interval ceil(const Interval& u) { return {std::ceil(u.low), std::ceil(u.high)}; }
inline Interval pow(const Interval& u, const Interval& p) {
  if (p.width() == 0 && p.low == std::round(p.low) && std::abs(p.low) < 1e6) {
    const double n = p.low;
    const auto power = [n](double x) { return std::pow(x, n); };
    if (n < 0 && u.contains(0)) return Interval::everything();
    const bool even = std::fmod(n, 2) == 0;
    if (even) {
      const Interval m = abs(u);
      return n >= 0 ? rising(power, m) : enclosure(power(m.high), power(m.low));
    }
    return n >= 0 ? rising(power, u) : enclosure(power(u.high), power(u.low));
  }
  if (u.low < 0) return Interval::everything();
  return exp(p * log(u));
}
inline Interval atan2(const Interval& y, const Interval& x) {
  if (x.low > 0) return atan(y / x);
  return {-std::numbers::pi, std::numbers::pi};
}

// Comparisons and choices that an interval leaves open give both answers.
inline Interval select(const Interval& condition, const Interval& yes, const Interval& no) {
  if (!condition.contains(0)) return yes;
  return condition.width() == 0 ? no : hull(yes, no);
}

}  // namespace plumb
