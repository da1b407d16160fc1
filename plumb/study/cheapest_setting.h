// The cheapest setting of a method that keeps the energy drift below a limit: how the IFToMM benchmarks are
// won, and how methods are compared fairly.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "plumb/model/model.h"

namespace plumb {

struct Trial {
  std::string method;
  std::optional<double> step, tolerance;  // one of them
  bool reached = false;                   // drift below the limit
  long steps = 0, evaluations = 0;
  double seconds = 0;    // of the step loop alone, best of several
  double drift = 0;      // largest |E - E(0) - work + losses| over all steps
  double violation = 0;  // largest |g| over all steps
  double error = 0;      // largest error of position(t, y) over all steps, if one was given
};

// Error of a state against a known solution.
using KnownSolution = std::function<double(double t, const double* y)>;

// Fixed step: the fewest steps, by doubling and bisection (to 0.5 %), at most `max_steps`.
Trial cheapest_step(Model model, const std::string& method, double drift_limit, const KnownSolution& error,
                    long max_steps);
// Adaptive: the fastest of the tolerances 10^(-k/8) that stay below the limit.
Trial cheapest_tolerance(Model model, const std::string& method, double drift_limit, const KnownSolution& error);

}  // namespace plumb
