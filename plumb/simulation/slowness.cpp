#include "plumb/simulation/slowness.h"

#include <fmt/format.h>

namespace plumb {

std::string slowness_notice(const Subject::Slowness& slow, const std::string& method) {
  if (!slow.is_stiff)
    return fmt::format("slow: steps are {:.2g} s long, and about {:.1g} are left", slow.step, slow.steps_left);
  return fmt::format(
      "stiff: steps of {:.2g} s are as long as {} is stable, though accuracy would let them be longer; about {:.1g} "
      "are "
      "left",
      slow.step, method, slow.steps_left);
}

}  // namespace plumb
