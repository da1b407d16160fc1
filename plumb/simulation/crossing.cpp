#include "plumb/simulation/crossing.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumb {

double least_magnitude(const StepFunction& f, double low, double high) {
  constexpr double golden = 0.6180339887498949;
  const int sign = sign_of(f(low));
  double a = high - golden * (high - low), b = low + golden * (high - low), va = f(a), vb = f(b);
  for (int k = 0; k < 60 && high - low > 1e-12; ++k) {
    if (sign_of(va) != sign) return a;
    if (sign_of(vb) != sign) return b;
    if (std::abs(va) < std::abs(vb)) {
      high = b;
      b = a;
      vb = va;
      a = high - golden * (high - low);
      va = f(a);
    } else {
      low = a;
      a = b;
      va = vb;
      b = low + golden * (high - low);
      vb = f(b);
    }
  }
  return std::abs(va) < std::abs(vb) ? a : b;
}

// T. R. Chandrupatla, Adv. Eng. Softw. 28 (1997) 145-149: inverse quadratic interpolation where the three last points
// say that it is safe, halving where the function has kinks or flat stretches.
double root_between(const StepFunction& f, double low, double high) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  double a = high, b = low, fa = f(a), fb = f(b), c = a, fc = fa;
  if (fb == 0) return b;
  if (fa == 0 || fa * fb > 0) return a;  // the interpolant and the end of the step disagree by rounding
  double part = 0.5;
  for (int i = 0; i < 200; ++i) {
    const double x = a + part * (b - a), fx = f(x);
    if ((fx > 0) == (fa > 0)) {
      c = a;
      fc = fa;
    } else {
      c = b;
      fc = fb;
      b = a;
      fb = fa;
    }
    a = x;
    fa = fx;
    const double best = std::abs(fa) < std::abs(fb) ? a : b;
    const double width = std::abs(b - a), least = 2 * epsilon * std::abs(best) + epsilon;
    if (width <= least || fa == 0) return fa == 0 ? a : best;
    const double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
    const bool is_safe = phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi;
    part = is_safe ? fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb) : 0.5;
    const double edge = least / (2 * width);
    part = std::clamp(part, edge, 1 - edge);
  }
  return a;
}

std::optional<Bracket> first_fall(const StepFunction& f) {
  constexpr double nudge = 1e-4;
  double last = 1, slope_low = -1;  // positive at the start; its slope there need not be known
  for (int i = 1; i <= samples_per_step; ++i) {
    const double low = static_cast<double>(i - 1) / samples_per_step, high = static_cast<double>(i) / samples_per_step;
    const double value = f(high);
    if (value <= 0) return Bracket{low, high};
    const double slope = value - f(high - nudge);
    if (slope_low < 0 && slope > 0 && last > 0)
      if (const double other = least_magnitude(f, low, high); f(other) <= 0) return Bracket{low, other};
    last = value;
    slope_low = slope;
  }
  return std::nullopt;
}

}  // namespace plumb
