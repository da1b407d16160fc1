// The known name closest to a mistyped one, for "did you mean …?".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumb {

// Empty when nothing is close (more than a third of the letters differ).
std::string nearest_name(std::string_view wrong, const std::vector<std::string>& known);

// "; did you mean 'mass'?" or empty.
std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known);

}  // namespace plumb
