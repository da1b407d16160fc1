// A value with its first and second derivative along one variable (time): truncated Taylor arithmetic.
//
// Driven joints need x(t), x'(t) and x''(t) exact to rounding; carrying the three numbers through every
// operation gives them without finite differences. (f∘u)' = f' u', (f∘u)'' = f'' u'² + f' u''.
#pragma once

#include <cmath>

namespace plumb {

struct Jet {
  double value = 0, rate = 0, acceleration = 0;

  constexpr Jet() = default;
  constexpr Jet(double v, double d = 0, double dd = 0) : value(v), rate(d), acceleration(dd) {}

  // f(u) from the value and the two derivatives of f at u.
  constexpr Jet chain(double f, double df, double ddf) const {
    return {f, df * rate, ddf * rate * rate + df * acceleration};
  }
};

constexpr Jet operator+(const Jet& a, const Jet& b) {
  return {a.value + b.value, a.rate + b.rate, a.acceleration + b.acceleration};
}
constexpr Jet operator-(const Jet& a, const Jet& b) {
  return {a.value - b.value, a.rate - b.rate, a.acceleration - b.acceleration};
}
constexpr Jet operator-(const Jet& a) { return {-a.value, -a.rate, -a.acceleration}; }
constexpr Jet operator*(const Jet& a, const Jet& b) {
  return {a.value * b.value, a.rate * b.value + a.value * b.rate,
          a.acceleration * b.value + 2 * a.rate * b.rate + a.value * b.acceleration};
}
inline Jet operator/(const Jet& a, const Jet& b) {
  const double i = 1 / b.value;
  return a * b.chain(i, -i * i, 2 * i * i * i);
}

inline Jet sin(const Jet& u) { return u.chain(std::sin(u.value), std::cos(u.value), -std::sin(u.value)); }
inline Jet cos(const Jet& u) { return u.chain(std::cos(u.value), -std::sin(u.value), -std::cos(u.value)); }
inline Jet tan(const Jet& u) {
  const double t = std::tan(u.value), s = 1 + t * t;
  return u.chain(t, s, 2 * t * s);
}
inline Jet asin(const Jet& u) {
  const double c = 1 / std::sqrt(1 - u.value * u.value);
  return u.chain(std::asin(u.value), c, u.value * c * c * c);
}
inline Jet acos(const Jet& u) {
  const double c = 1 / std::sqrt(1 - u.value * u.value);
  return u.chain(std::acos(u.value), -c, -u.value * c * c * c);
}
inline Jet atan(const Jet& u) {
  const double c = 1 / (1 + u.value * u.value);
  return u.chain(std::atan(u.value), c, -2 * u.value * c * c);
}
inline Jet sinh(const Jet& u) { return u.chain(std::sinh(u.value), std::cosh(u.value), std::sinh(u.value)); }
inline Jet cosh(const Jet& u) { return u.chain(std::cosh(u.value), std::sinh(u.value), std::cosh(u.value)); }
inline Jet tanh(const Jet& u) {
  const double t = std::tanh(u.value), s = 1 - t * t;
  return u.chain(t, s, -2 * t * s);
}
inline Jet exp(const Jet& u) {
  const double e = std::exp(u.value);
  return u.chain(e, e, e);
}
inline Jet log(const Jet& u) {
  const double i = 1 / u.value;
  return u.chain(std::log(u.value), i, -i * i);
}
inline Jet sqrt(const Jet& u) {
  const double s = std::sqrt(u.value);
  return u.chain(s, 0.5 / s, -0.25 / (s * u.value));
}
inline Jet abs(const Jet& u) { return u.value < 0 ? -u : u; }
inline Jet floor(const Jet& u) { return {std::floor(u.value)}; }
inline Jet ceil(const Jet& u) { return {std::ceil(u.value)}; }

inline Jet pow(const Jet& u, const Jet& p) {
  if (p.rate == 0 && p.acceleration == 0) {  // constant exponent: also right for u <= 0
    const double n = p.value;
    const double f = std::pow(u.value, n);
    const double df = n == 0 ? 0 : n * std::pow(u.value, n - 1);
    const double ddf = n == 0 || n == 1 ? 0 : n * (n - 1) * std::pow(u.value, n - 2);
    return u.chain(f, df, ddf);
  }
  return exp(p * log(u));
}
inline Jet atan2(const Jet& y, const Jet& x) {
  // The angle's rate is (x y' - y x')/(x² + y²), that of atan(y/x) wherever both are defined.
  const Jet r2 = x * x + y * y;
  const double n = x.value * y.rate - y.value * x.rate;
  const double dn = x.value * y.acceleration - y.value * x.acceleration;
  return {std::atan2(y.value, x.value), n / r2.value, dn / r2.value - n * r2.rate / (r2.value * r2.value)};
}

}  // namespace plumb
