#include "plumb/figure/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plumb {
namespace {

// The step 1, 2 or 5 times 10^k nearest above range / count.
double round_step(double range, int count) {
  const double raw = range / std::max(count, 1);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double m : {1.0, 2.0, 5.0})
    if (m * power >= raw * (1 - 1e-9)) return m * power;
  return 10 * power;
}

std::string with_minus(std::string text) {
  if (!text.empty() && text[0] == '-') text.replace(0, 1, "−");
  return text;
}

}  // namespace

std::string tick_label(double value, double spacing) {
  if (std::abs(value) < 1e-9 * spacing) return "0";
  const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(spacing) - 1e-9)), 0, 12);
  return with_minus(fmt::format("{:.{}f}", value, digits));
}

std::string power_of_ten(int exponent) {
  static const char* const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = "10";
  for (const char c : fmt::format("{}", exponent)) text += c == '-' ? "⁻" : digits[c - '0'];
  return text;
}

Ticks linear_ticks(double low, double high, int count) {
  Ticks t;
  const double range = high - low, far = std::max(std::abs(low), std::abs(high));
  if (!(range > 0) || !std::isfinite(range)) return t;
  // Labels with more than six equal leading digits say nothing; count from the middle instead.
  if (range < 1e-6 * far) t.base = (low + high) / 2;
  const double step = round_step(range, count);
  const double reach = std::max(std::abs(low - t.base), std::abs(high - t.base));
  const int magnitude = static_cast<int>(std::floor(std::log10(reach)));
  if (magnitude >= 5 || magnitude <= -4) t.exponent = magnitude;
  const double scale = std::pow(10.0, t.exponent);
  const double first = std::ceil((low - t.base) / step - 1e-9);
  for (double k = first; k * step <= high - t.base + 1e-9 * step; ++k) {
    t.at.push_back(t.base + k * step);
    t.labels.push_back(tick_label(k * step / scale, step / scale));
  }
  return t;
}

Ticks log_ticks(double low, double high, int count) {
  Ticks t;
  if (!(low > 0) || !(high > low)) return t;
  const int first = static_cast<int>(std::ceil(std::log10(low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
  const int every = std::max(1, static_cast<int>(std::ceil((last - first + 1.0) / std::max(count, 1))));
  for (int e = first; e <= last; ++e) {
    // Labels at multiples of `every`, so that decades keep their places when the range grows.
    if (((e % every) + every) % every == 0) {
      t.at.push_back(std::pow(10.0, e));
      t.labels.push_back(power_of_ten(e));
    } else {
      t.between.push_back(std::pow(10.0, e));
    }
  }
  if (every == 1)
    for (int e = first - 1; e <= last; ++e)
      for (int m = 2; m < 10; ++m)
        if (const double v = m * std::pow(10.0, e); v >= low && v <= high) t.between.push_back(v);
  // Less than a decade: ordinary round numbers say more.
  if (t.at.size() < 2) {
    Ticks plain = linear_ticks(low, high, count);
    std::erase_if(plain.at, [](double v) { return v <= 0; });
    if (plain.at.size() == plain.labels.size()) return plain;
  }
  return t;
}

}  // namespace plumb
