#include "plumb/simulation/run.h"

#include <fmt/format.h>

namespace plumb {

// Baumgarte's damping is itself an equation to be integrated, with eigenvalue -omega.
std::string stability_note(const Tableau* tableau, std::optional<double> step, double omega) {
  if (!step || !tableau) return {};
  const double limit = real_stability_limit(*tableau);
  if (omega * *step <= limit) return {};
  return fmt::format(
      "omega*step = {:.3g} lies beyond the stability limit {:.3g} of {}: the run will blow up; use omega <= {:.3g} or "
      "step <= {:.3g}",
      omega * *step, limit, tableau->name, limit / *step, limit / omega);
}

}  // namespace plumb
