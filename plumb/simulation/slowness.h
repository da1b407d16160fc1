// What is said of a run whose steps are short.
#pragma once

#include <string>

#include "plumb/simulation/loop.h"

namespace plumb {

// "stiff: steps of 1e-05 s are as long as projected/dop853 is stable, …"
std::string slowness_notice(const Subject::Slowness& slow, const std::string& method);

}  // namespace plumb
