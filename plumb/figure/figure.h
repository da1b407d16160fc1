// A figure as plain values: curves and points over two axes. Whoever has something to show fills one; svg.h draws it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plumb {

struct FigureCurve {
  enum class Style { line, dashed, points, line_and_points };

  std::string name{};
  std::vector<double> x{}, y{};
  Style style = Style::line;
};

struct FigureAxis {
  std::string label{};  // with its unit
  bool log = false;     // values that are not positive are left out
  std::optional<std::pair<double, double>> range{};
};

struct Figure {
  std::string title{}, caption{};
  FigureAxis x{}, y{};
  std::vector<FigureCurve> curves{};
  bool equal_scale = false;  // one metre is as long in x as in y
};

}  // namespace plumb
