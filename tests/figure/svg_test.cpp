// Figures: round ticks, and curves where they belong.
#include "plumb/figure/svg.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "plumb/figure/ticks.h"

namespace plumb {
namespace {

TEST(Ticks, AreRoundAndWithinTheRange) {
  for (const auto& [low, high] : {std::pair(0.0, 1.0), std::pair(-3.7, 12.2), std::pair(1e-7, 3e-6),
                                  std::pair(-5e8, 2e9), std::pair(0.13, 0.14)}) {
    const Ticks t = linear_ticks(low, high, 6);
    ASSERT_GE(t.at.size(), 3u) << low;
    ASSERT_EQ(t.at.size(), t.labels.size());
    const double step = t.at[1] - t.at[0], mantissa = step / std::pow(10.0, std::floor(std::log10(step * (1 + 1e-9))));
    EXPECT_LT(std::min({std::abs(mantissa - 1), std::abs(mantissa - 2), std::abs(mantissa - 5)}), 1e-6) << step;
    for (std::size_t i = 0; i < t.at.size(); ++i) {
      EXPECT_GE(t.at[i], low - 1e-9 * step);
      EXPECT_LE(t.at[i], high + 1e-9 * step);
      // The label, put back together, is the value.
      std::string label = t.labels[i];
      if (label.starts_with("−")) label.replace(0, std::string("−").size(), "-");
      EXPECT_NEAR(t.base + std::stod(label) * std::pow(10.0, t.exponent), t.at[i], 1e-6 * step);
    }
  }
}

TEST(Ticks, NarrowRangesCountFromTheirMiddle) {
  const Ticks t = linear_ticks(9.869604401089 - 1e-12, 9.869604401089 + 1e-12, 5);
  EXPECT_NEAR(t.base, 9.869604401089, 1e-12);
  ASSERT_GE(t.labels.size(), 3u);
  EXPECT_LE(t.labels[0].size(), 8u);  // not thirteen equal digits
}

TEST(Ticks, LogarithmicOnesAreDecades) {
  const Ticks t = log_ticks(3e-16, 0.2, 6);
  for (const double v : t.at) EXPECT_NEAR(std::log10(v), std::round(std::log10(v)), 1e-9);
  EXPECT_LE(t.at.size(), 8u);
  EXPECT_EQ(power_of_ten(-12), "10⁻¹²");
}

// Points of the path of the first curve.
std::vector<std::pair<double, double>> path_points(const std::string& text) {
  std::vector<std::pair<double, double>> points;
  const std::size_t from = text.find(" d=\"", text.find("stroke-linejoin")) + 4, to = text.find('"', from);
  for (std::size_t at = from; at < to; at = text.find_first_of("ML\"", at + 1)) {
    double x = 0, y = 0;
    if (std::sscanf(text.c_str() + at + 1, "%lf %lf", &x, &y) == 2) points.emplace_back(x, y);
  }
  return points;
}

TEST(Svg, PutsPointsWhereTheAxesSay) {
  Figure f{.x = {.label = "t (s)", .range = std::pair(0.0, 10.0)},
           .y = {.label = "(m)", .range = std::pair(-1.0, 1.0)}};
  f.curves = {{"a", {0, 5, 10}, {-1, 0, 1}}};
  const auto p = path_points(svg(f, {600, 400, true}));
  ASSERT_EQ(p.size(), 3u);
  EXPECT_NEAR(p[1].first, (p[0].first + p[2].first) / 2, 0.02);
  EXPECT_NEAR(p[1].second, (p[0].second + p[2].second) / 2, 0.02);
  EXPECT_GT(p[0].second, p[2].second);  // up is less in SVG
}

TEST(Svg, ALogarithmicAxisMakesPowersStraight) {
  Figure f{.x = {.log = true}, .y = {.log = true}};
  f.curves = {{"order 4", {0.1, 0.01, 0.001}, {1e-4, 1e-8, 1e-12}}};
  const auto p = path_points(svg(f));
  ASSERT_EQ(p.size(), 3u);
  EXPECT_NEAR(p[1].first - p[0].first, p[2].first - p[1].first, 0.03);
  EXPECT_NEAR(p[1].second - p[0].second, p[2].second - p[1].second, 0.03);
}

TEST(Svg, LeavesOutWhatCannotBeShownAndKeepsThePeak) {
  Figure f{.y = {.range = std::pair(0.0, 1.0)}};
  FigureCurve c{"spike", {}, {}};
  for (int i = 0; i < 100000; ++i) c.x.push_back(i), c.y.push_back(i == 54321 ? 1.0 : 0.0);
  c.y[100] = std::nan("");
  f.curves = {c};
  const std::string text = svg(f, {640, 400, true});
  EXPECT_EQ(text.find("nan"), std::string::npos);
  const auto p = path_points(text);
  EXPECT_LT(p.size(), 20000u);
  double highest = 1e9, lowest = -1e9;
  for (const auto& [x, y] : p) highest = std::min(highest, y), lowest = std::max(lowest, y);
  EXPECT_GT(lowest - highest, 250);  // the single row of the spike is there
}

TEST(Svg, TextsCannotBecomeMarkup) {
  Figure f{.title =
               "\x01"
               "a</text><script>alert(1)</script> & \"b\"",
           .curves = {{"<b>", {0, 1}, {0, 1}}, {"c", {0, 1}, {1, 0}}}};
  const std::string text = svg(f);
  EXPECT_EQ(text.find("<script"), std::string::npos);
  EXPECT_EQ(text.find("<b>"), std::string::npos);
  EXPECT_NE(text.find("&lt;script&gt;"), std::string::npos);
}

TEST(Svg, EqualScaleMakesACircleRound) {
  Figure f{.equal_scale = true};
  FigureCurve c{"circle", {}, {}};
  for (int i = 0; i <= 360; ++i) c.x.push_back(2 * std::cos(i * 0.0174533)), c.y.push_back(2 * std::sin(i * 0.0174533));
  f.curves = {c};
  double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
  for (const auto& [x, y] : path_points(svg(f, {900, 400, true}))) {
    left = std::min(left, x), right = std::max(right, x), top = std::min(top, y), bottom = std::max(bottom, y);
  }
  EXPECT_NEAR(right - left, bottom - top, 0.5);
}

}  // namespace
}  // namespace plumb
