#include "plumb/simulation/crossing.h"

#include <cmath>
#include <limits>

namespace plumb {

double find_other_side(const StepFunction& f, double low, double high, int sign) {
  constexpr double golden = 0.6180339887498949;
  for (int k = 0; k < 60 && high - low > 1e-12; ++k) {
    const double a = high - golden * (high - low), b = low + golden * (high - low);
    const double va = f(a), vb = f(b);
    if (sign_of(va) != sign) return a;
    if (sign_of(vb) != sign) return b;
    if (std::abs(va) < std::abs(vb))
      high = b;
    else
      low = a;
  }
  return -1;
}

double lowest_point(const StepFunction& f, double low, double high) {
  constexpr double golden = 0.6180339887498949;
  for (int k = 0; k < 25; ++k) {
    const double a = high - golden * (high - low), b = low + golden * (high - low);
    if (f(a) < f(b))
      high = b;
    else
      low = a;
  }
  return (low + high) / 2;
}

// False position that halves the weight of an end that stays.
double root_between(const StepFunction& f, double low, double high) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  double a = low, b = high, fa = f(a), fb = f(b);
  if (fa == 0) return a;
  if (fb == 0 || fa * fb > 0) return b;  // the interpolant and the end of the step disagree by rounding
  for (int i = 0; i < 100 && std::abs(b - a) > 4 * epsilon; ++i) {
    const double c = b - fb * (b - a) / (fb - fa), fc = f(c);
    if (fc == 0) return c;
    if (fc * fb < 0)
      a = b, fa = fb;
    else
      fa /= 2;
    b = c, fb = fc;
  }
  return b;
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
      if (const double other = find_other_side(f, low, high, 1); other > 0) return Bracket{low, other};
    last = value;
    slope_low = slope;
  }
  return std::nullopt;
}

}  // namespace plumb
