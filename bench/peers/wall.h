// The double pendulum that strikes a wall (cases/double-pendulum-wall): 2.5 s, five impacts. Every engine at the loosest
// tolerance that gets all five times to 1e-9 s.
#pragma once

#include <cmath>
#include <cstdio>
#include <vector>

#include "peer.h"

namespace plumb::bench {

namespace wall {
constexpr double duration = 2.5, restitution = 0.1, time_error = 1e-9;
constexpr double times[] = {0.545229943827, 0.707571786029, 1.28407167439, 2.09666999804, 2.13055354435};

inline double error(const std::vector<double>& found) {
  if (found.size() != std::size(times)) return 1e99;
  double most = 0;
  for (std::size_t i = 0; i < found.size(); ++i) most = std::max(most, std::abs(found[i] - times[i]));
  return most;
}
}  // namespace wall

// `run(tolerance, times)` simulates from the start and appends the times of the impacts.
template <class Run>
void measure_wall(const char* method, Run&& run) {
  std::vector<double> times;
  double tolerance = 1e-5;
  for (;; tolerance /= std::sqrt(10.0)) {
    if (tolerance < 1e-14) throw std::runtime_error("wall: the times of the impacts are not reached");
    times.clear();
    run(tolerance, times);
    if (wall::error(times) < wall::time_error) break;
  }
  const double error = wall::error(times);
  const double best = best_time(
      [&] {
        times.clear();
        run(tolerance, times);
      },
      50, 1.0);
  std::printf("wall\t%s\t%.3g\t%.6g\t%.3g\n", method, tolerance, best, error);
  std::fflush(stdout);
}

}  // namespace plumb::bench
