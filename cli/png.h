// SVG to PNG.
#pragma once

#include <string>

namespace plumb::cli {

// The bytes of a PNG file; `scale` pixels for each unit of the drawing.
std::string png(const std::string& svg, double scale);

}  // namespace plumb::cli
