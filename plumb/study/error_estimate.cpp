#include "plumb/study/error_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plumb/solver/largest.h"

namespace plumb {

namespace {

// The square of the golden ratio: of all ratios, multiples of steps in this one coincide least.
constexpr double finer_by = 2.618033988749895;
constexpr double fewest_steps = 50 * finer_by;

}  // namespace

ErrorEstimate estimate_error(const Model& model, const Result& result, const RunOptions& options) {
  Model finer = model;
  ErrorEstimate estimate;
  double share = 1;  // error of the first run / difference of the two
  finer.simulation.duration = result.outcome.time;
  if (!finer.simulation.output_every) finer.simulation.output_every = result.duration / 1000;
  for (Event& e : finer.events) e.action = Event::Action::record;
  if (result.step) {
    finer.simulation.step = *result.step / finer_by;
    const double gain = std::pow(finer_by, result.order);
    share = gain / (gain - 1);
    estimate.against = fmt::format("steps of {:.4g} s and order {}", *result.step / finer_by, result.order);
  } else {
    const double tolerance = std::max(1e-15, *result.tolerance / 100);
    finer.simulation.tolerance = tolerance;
    finer.simulation.max_step =
        std::min(finer.simulation.max_step.value_or(result.duration), result.duration / fewest_steps);
    estimate.against = fmt::format("tolerance {:g}", tolerance);
  }
  const Result reference = simulate(finer, options);
  if (!reference.outcome.is_success())
    estimate.against += fmt::format(", up to t = {:g} s where that run ended: {}", reference.outcome.time,
                                    reference.outcome.describe());
  const std::size_t rows = std::min(result.trajectory.rows(), reference.trajectory.rows());
  for (const auto& [name, value] : result.final_values) {
    const std::size_t at = result.trajectory.column(name);
    double last = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      last = share * std::abs(result.trajectory.row(r)[at] - reference.trajectory.row(r)[at]);
      keep_largest(estimate.max, last);
    }
    estimate.final.emplace_back(name, last);
  }
  for (const FinalBody& body : result.final) {
    std::size_t at[3];
    for (int k = 0; k < 3; ++k) at[k] = result.trajectory.column(body.name + "." + "xyz"[k]);
    double last = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      const auto a = result.trajectory.row(r), b = reference.trajectory.row(r);
      last = share * std::hypot(a[at[0]] - b[at[0]], a[at[1]] - b[at[1]], a[at[2]] - b[at[2]]);
      keep_largest(estimate.max, last);
    }
    estimate.final.emplace_back(body.name, last);
  }
  return estimate;
}

}  // namespace plumb
