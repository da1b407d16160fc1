// The script and the style of the page, built from web/ and carried by the program.
#pragma once

#include <string_view>

namespace plumb {

// The layout of the data a page carries; script and data of one file always belong together.
inline constexpr int results_page_format = 1;

std::string_view page_script();
std::string_view page_style();

}  // namespace plumb
