// Round numbers along an axis.
#pragma once

#include <string>
#include <vector>

namespace plumb {

struct Ticks {
  std::vector<double> at{};       // values that get a line and a label
  std::vector<double> between{};  // short unlabelled ones of a logarithmic axis
  std::vector<std::string> labels{};
  // What the labels leave out: value = base + label * 10^exponent.
  double base = 0;
  int exponent = 0;
};

// About `count` multiples of 1, 2 or 5 times a power of ten within [low, high]. Where the range is far narrower than
// its distance from zero the labels count from `base`; very large or small numbers share a power of ten.
Ticks linear_ticks(double low, double high, int count);
// Decades, thinned to about `count`.
Ticks log_ticks(double low, double high, int count);

// "1.5", "−2", "0.25": as many digits as the spacing of the ticks needs, with a true minus sign.
std::string tick_label(double value, double spacing);
// "10⁻⁵"
std::string power_of_ten(int exponent);

}  // namespace plumb
