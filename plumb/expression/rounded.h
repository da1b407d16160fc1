// A value with a bound of its rounding error: what is smaller than the bound is zero as far as anybody can tell.
//
// Every operation adds a unit in the last place of its result to what the errors of its arguments become; functions
// pass an error on by their steepest slope near the value.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumb {

struct Rounded {
  double value = 0, error = 0;

  Rounded() = default;
  Rounded(double v) : value(v), error(unit * std::abs(v)) {}
  Rounded(double v, double e) : value(v), error(e) {}

  bool is_zero() const { return std::abs(value) <= error; }

  static constexpr double unit = std::numeric_limits<double>::epsilon();
};

inline Rounded rounded(double value, double error) { return {value, error + Rounded::unit * std::abs(value)}; }

inline Rounded operator+(const Rounded& a, const Rounded& b) { return rounded(a.value + b.value, a.error + b.error); }
inline Rounded operator-(const Rounded& a, const Rounded& b) { return rounded(a.value - b.value, a.error + b.error); }
inline Rounded operator-(const Rounded& a) { return {-a.value, a.error}; }
inline Rounded operator*(const Rounded& a, const Rounded& b) {
  return rounded(a.value * b.value, a.error * (std::abs(b.value) + b.error) + std::abs(a.value) * b.error);
}
inline Rounded operator/(const Rounded& a, const Rounded& b) {
  const double divisor = std::abs(b.value) - b.error, quotient = a.value / b.value;
  const double error = divisor > 0 ? (a.error + std::abs(quotient) * b.error) / divisor : 0;
  return rounded(quotient, error);
}

// f(u), whose error is the change of f over that of u.
template <class F>
Rounded apply(const F& f, const Rounded& u) {
  const double value = f(u.value), low = f(u.value - u.error), high = f(u.value + u.error);
  double error = 0;
  for (double x : {low, high})
    if (std::isfinite(x)) error = std::max(error, std::abs(x - value));
  return rounded(value, error);
}

inline Rounded sin(const Rounded& u) {
  return apply([](double x) { return std::sin(x); }, u);
}
inline Rounded cos(const Rounded& u) {
  return apply([](double x) { return std::cos(x); }, u);
}
inline Rounded tan(const Rounded& u) {
  return apply([](double x) { return std::tan(x); }, u);
}
inline Rounded asin(const Rounded& u) {
  return apply([](double x) { return std::asin(x); }, u);
}
inline Rounded acos(const Rounded& u) {
  return apply([](double x) { return std::acos(x); }, u);
}
inline Rounded atan(const Rounded& u) {
  return apply([](double x) { return std::atan(x); }, u);
}
inline Rounded sinh(const Rounded& u) {
  return apply([](double x) { return std::sinh(x); }, u);
}
inline Rounded cosh(const Rounded& u) {
  return apply([](double x) { return std::cosh(x); }, u);
}
inline Rounded tanh(const Rounded& u) {
  return apply([](double x) { return std::tanh(x); }, u);
}
inline Rounded exp(const Rounded& u) {
  return apply([](double x) { return std::exp(x); }, u);
}
inline Rounded log(const Rounded& u) {
  return apply([](double x) { return std::log(x); }, u);
}
inline Rounded sqrt(const Rounded& u) {
  return apply([](double x) { return std::sqrt(x); }, u);
}
inline Rounded abs(const Rounded& u) { return {std::abs(u.value), u.error}; }
// Whole numbers are exact wherever they do not jump.
inline Rounded floor(const Rounded& u) { return {std::floor(u.value), 0}; }
inline Rounded ceil(const Rounded& u) { return {std::ceil(u.value), 0}; }
inline Rounded pow(const Rounded& u, const Rounded& p) {
  Rounded r = apply([&](double x) { return std::pow(x, p.value); }, u);
  if (p.error > 0) r.error += apply([&](double x) { return std::pow(u.value, x); }, p).error;
  return r;
}
inline Rounded atan2(const Rounded& y, const Rounded& x) {
  Rounded r = apply([&](double v) { return std::atan2(v, x.value); }, y);
  r.error += apply([&](double v) { return std::atan2(y.value, v); }, x).error;
  return r;
}

}  // namespace plumb
