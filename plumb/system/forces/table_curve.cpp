#include "plumb/system/forces/table_curve.h"

#include <algorithm>
#include <cmath>

namespace plumb {

TableCurve::TableCurve(const std::vector<std::array<double, 2>>& points) {
  for (const auto& p : points) x_.push_back(p[0]), y_.push_back(p[1]);
  const std::size_t n = x_.size();
  std::vector<double> chord(n - 1);
  for (std::size_t i = 0; i + 1 < n; ++i) chord[i] = (y_[i + 1] - y_[i]) / (x_[i + 1] - x_[i]);
  slope_.resize(n);
  slope_[0] = chord[0];
  slope_[n - 1] = chord[n - 2];
  // The weighted harmonic mean of the neighbouring chords; zero where the curve turns.
  for (std::size_t i = 1; i + 1 < n; ++i) {
    if (chord[i - 1] * chord[i] <= 0) continue;
    const double a = x_[i] - x_[i - 1], b = x_[i + 1] - x_[i];
    slope_[i] = 3 * (a + b) / ((2 * b + a) / chord[i - 1] + (b + 2 * a) / chord[i]);
  }
  area_.assign(n, 0.0);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double h = x_[i + 1] - x_[i];
    area_[i + 1] = area_[i] + h * (y_[i] + y_[i + 1]) / 2 + h * h * (slope_[i] - slope_[i + 1]) / 12;
  }
}

double TableCurve::value(double x) const {
  if (x <= x_.front()) return y_.front() + slope_.front() * (x - x_.front());
  if (x >= x_.back()) return y_.back() + slope_.back() * (x - x_.back());
  const std::size_t i = static_cast<std::size_t>(std::upper_bound(x_.begin(), x_.end(), x) - x_.begin()) - 1;
  const double h = x_[i + 1] - x_[i], s = (x - x_[i]) / h, r = 1 - s;
  return (1 + 2 * s) * r * r * y_[i] + s * r * r * h * slope_[i] + s * s * (3 - 2 * s) * y_[i + 1] -
         s * s * r * h * slope_[i + 1];
}

double TableCurve::integral(double x) const {
  const auto line = [&](std::size_t i) { return (x - x_[i]) * (y_[i] + slope_[i] * (x - x_[i]) / 2); };
  if (x <= x_.front()) return line(0);
  if (x >= x_.back()) return area_.back() + line(x_.size() - 1);
  const std::size_t i = static_cast<std::size_t>(std::upper_bound(x_.begin(), x_.end(), x) - x_.begin()) - 1;
  const double h = x_[i + 1] - x_[i], s = (x - x_[i]) / h, s2 = s * s, s3 = s2 * s, s4 = s3 * s;
  // The four Hermite polynomials, integrated.
  return area_[i] + h * (y_[i] * (s - s3 + s4 / 2) + h * slope_[i] * (s2 / 2 - 2 * s3 / 3 + s4 / 4) +
                         y_[i + 1] * (s3 - s4 / 2) + h * slope_[i + 1] * (s4 / 4 - s3 / 3));
}

}  // namespace plumb
