// Figures as SVG.
#pragma once

#include <string>

#include "plumb/figure/figure.h"

namespace plumb {

struct SvgOptions {
  double width = 640, height = 400;
  // A file of its own has a white ground and dark ink. A part of a page has neither: lines and text take the colour of
  // the text around them (currentColor), light or dark.
  bool standalone = true;
};

std::string svg(const Figure& figure, const SvgOptions& options = {});

// Text with & < > " ' written as entities, for HTML and SVG alike.
std::string escape_markup(const std::string& text);

// The colours of the curves, in order: distinguishable with common forms of colour blindness, on white and on black.
const std::string& curve_colour(std::size_t i);

}  // namespace plumb
