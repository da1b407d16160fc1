#include "plumb/study/cases/pendulum_exact.h"

#include <cmath>

namespace plumb {

JacobiFunctions jacobi(double u, double k) {
  double a[16] = {1}, c[16] = {k};
  double b = std::sqrt((1 - k) * (1 + k));
  int n = 0;
  for (; n < 15 && std::abs(c[n]) > 1e-17 * a[n]; ++n) {
    a[n + 1] = (a[n] + b) / 2;
    c[n + 1] = (a[n] - b) / 2;
    b = std::sqrt(a[n] * b);
  }
  double phi = std::ldexp(a[n] * u, n), last = phi;
  for (; n > 0; --n) {
    last = phi;
    phi = (phi + std::asin(c[n] / a[n] * std::sin(phi))) / 2;
  }
  const double sn = std::sin(phi), cn = std::cos(phi), d = std::cos(last - phi);
  return {sn, cn, std::abs(d) > 1e-8 ? cn / d : std::sqrt(1 - k * k * sn * sn)};
}

double PendulumExact::period() const {
  return 4 * std::comp_ellint_1(std::sin(start_angle / 2)) / std::sqrt(gravity / length);
}

double PendulumExact::angle(double t) const {
  // sn(K - u) = cn u / dn u
  const double k = std::sin(start_angle / 2);
  const JacobiFunctions f = jacobi(std::sqrt(gravity / length) * t, k);
  return 2 * std::asin(k * f.cn / f.dn);
}

}  // namespace plumb
