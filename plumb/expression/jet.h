// A value with its first and second derivative along one variable (time): truncated Taylor arithmetic.
//
// Driven joints need x(t), x'(t) and x''(t) exact to rounding; carrying the three numbers through every
// operation gives them without finite differences. (f∘u)' = f' u', (f∘u)'' = f'' u'² + f' u''.
#pragma once

#include <cmath>

namespace plumb {

template <class S>
struct BasicJet {
  S value{0}, rate{0}, acceleration{0};

  constexpr BasicJet() = default;
  constexpr BasicJet(S v, S d = 0, S dd = 0) : value(v), rate(d), acceleration(dd) {}

  // f(u) from the value and the two derivatives of f at u.
  constexpr BasicJet chain(const S& f, const S& df, const S& ddf) const {
    return {f, df * rate, ddf * rate * rate + df * acceleration};
  }
};

using Jet = BasicJet<double>;

template <class S>
constexpr BasicJet<S> operator+(const BasicJet<S>& a, const BasicJet<S>& b) {
  return {a.value + b.value, a.rate + b.rate, a.acceleration + b.acceleration};
}
template <class S>
constexpr BasicJet<S> operator-(const BasicJet<S>& a, const BasicJet<S>& b) {
  return {a.value - b.value, a.rate - b.rate, a.acceleration - b.acceleration};
}
template <class S>
constexpr BasicJet<S> operator-(const BasicJet<S>& a) {
  return {-a.value, -a.rate, -a.acceleration};
}
template <class S>
constexpr BasicJet<S> operator*(const BasicJet<S>& a, const BasicJet<S>& b) {
  return {a.value * b.value, a.rate * b.value + a.value * b.rate,
          a.acceleration * b.value + S(2) * a.rate * b.rate + a.value * b.acceleration};
}
template <class S>
BasicJet<S> operator/(const BasicJet<S>& a, const BasicJet<S>& b) {
  const S i = S(1) / b.value;
  return a * b.chain(i, -i * i, S(2) * i * i * i);
}

template <class S>
BasicJet<S> sin(const BasicJet<S>& u) {
  using std::cos, std::sin;
  const S s = sin(u.value), c = cos(u.value);
  return u.chain(s, c, -s);
}
template <class S>
BasicJet<S> cos(const BasicJet<S>& u) {
  using std::cos, std::sin;
  const S s = sin(u.value), c = cos(u.value);
  return u.chain(c, -s, -c);
}
template <class S>
BasicJet<S> tan(const BasicJet<S>& u) {
  using std::tan;
  const S t = tan(u.value), s = S(1) + t * t;
  return u.chain(t, s, S(2) * t * s);
}
template <class S>
BasicJet<S> asin(const BasicJet<S>& u) {
  using std::asin, std::sqrt;
  const S c = S(1) / sqrt(S(1) - u.value * u.value);
  return u.chain(asin(u.value), c, u.value * c * c * c);
}
template <class S>
BasicJet<S> acos(const BasicJet<S>& u) {
  using std::acos, std::sqrt;
  const S c = S(1) / sqrt(S(1) - u.value * u.value);
  return u.chain(acos(u.value), -c, -u.value * c * c * c);
}
template <class S>
BasicJet<S> atan(const BasicJet<S>& u) {
  using std::atan;
  const S c = S(1) / (S(1) + u.value * u.value);
  return u.chain(atan(u.value), c, S(-2) * u.value * c * c);
}
template <class S>
BasicJet<S> sinh(const BasicJet<S>& u) {
  using std::cosh, std::sinh;
  const S s = sinh(u.value);
  return u.chain(s, cosh(u.value), s);
}
template <class S>
BasicJet<S> cosh(const BasicJet<S>& u) {
  using std::cosh, std::sinh;
  const S c = cosh(u.value);
  return u.chain(c, sinh(u.value), c);
}
template <class S>
BasicJet<S> tanh(const BasicJet<S>& u) {
  using std::tanh;
  const S t = tanh(u.value), s = S(1) - t * t;
  return u.chain(t, s, S(-2) * t * s);
}
template <class S>
BasicJet<S> exp(const BasicJet<S>& u) {
  using std::exp;
  const S e = exp(u.value);
  return u.chain(e, e, e);
}
template <class S>
BasicJet<S> log(const BasicJet<S>& u) {
  using std::log;
  const S i = S(1) / u.value;
  return u.chain(log(u.value), i, -i * i);
}
template <class S>
BasicJet<S> sqrt(const BasicJet<S>& u) {
  using std::sqrt;
  const S s = sqrt(u.value);
  return u.chain(s, S(0.5) / s, S(-0.25) / (s * u.value));
}

inline Jet abs(const Jet& u) { return u.value < 0 ? -u : u; }
inline Jet floor(const Jet& u) { return {std::floor(u.value)}; }
inline Jet ceil(const Jet& u) { return {std::ceil(u.value)}; }

template <class S>
BasicJet<S> constant_power(const BasicJet<S>& u, double n) {
  using std::pow;
  const S f = pow(u.value, S(n));
  const S df = n == 0 ? S(0) : S(n) * pow(u.value, S(n - 1));
  const S ddf = n == 0 || n == 1 ? S(0) : S(n * (n - 1)) * pow(u.value, S(n - 2));
  return u.chain(f, df, ddf);
}
inline Jet pow(const Jet& u, const Jet& p) {
  // A constant exponent is right for u <= 0 too.
  return p.rate == 0 && p.acceleration == 0 ? constant_power(u, p.value) : exp(p * log(u));
}
inline Jet atan2(const Jet& y, const Jet& x) {
  // The angle's rate is (x y' - y x')/(x² + y²), that of atan(y/x) wherever both are defined.
  const Jet r2 = x * x + y * y;
  const double n = x.value * y.rate - y.value * x.rate;
  const double dn = x.value * y.acceleration - y.value * x.acceleration;
  return {std::atan2(y.value, x.value), n / r2.value, dn / r2.value - n * r2.rate / (r2.value * r2.value)};
}

}  // namespace plumb
