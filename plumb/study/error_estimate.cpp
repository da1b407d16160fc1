#include "plumb/study/error_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plumb {

ErrorEstimate estimate_error(const Model& model, const Result& result) {
  Model finer = model;
  ErrorEstimate estimate;
  double share = 1;  // error of the first run / difference of the two
  finer.simulation.duration = result.outcome.time;
  if (!finer.simulation.output_every) finer.simulation.output_every = result.duration / 1000;
  for (Event& e : finer.events) e.action = Event::Action::record;
  if (result.step) {
    finer.simulation.step = *result.step / 2;
    const double gain = std::pow(2.0, result.order);
    share = gain / (gain - 1);
    estimate.against = fmt::format("half the step, {:g} s, and order {}", *result.step / 2, result.order);
  } else {
    const double tolerance = std::max(1e-15, *result.tolerance / 100);
    finer.simulation.tolerance = tolerance;
    estimate.against = fmt::format("tolerance {:g}", tolerance);
  }
  const Result reference = simulate(finer);
  if (!reference.outcome.is_success())
    estimate.against += fmt::format(", up to t = {:g} s where that run ended: {}", reference.outcome.time,
                                    reference.outcome.describe());
  const std::size_t rows = std::min(result.trajectory.rows(), reference.trajectory.rows());
  for (const auto& [name, value] : result.final_values) {
    const std::size_t at = result.trajectory.column(name);
    double last = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      last = share * std::abs(result.trajectory.row(r)[at] - reference.trajectory.row(r)[at]);
      estimate.max = std::max(estimate.max, last);
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
      estimate.max = std::max(estimate.max, last);
    }
    estimate.final.emplace_back(body.name, last);
  }
  return estimate;
}

}  // namespace plumb
