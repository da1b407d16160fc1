// The mechanisms with loops of the IFToMM library, each engine at its cheapest setting with an energy drift below 1e-6 J.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>

#include "peer.h"

namespace plumb::bench {

namespace library {
constexpr double drift_limit = 1e-6;

// A02: bars of 1 m and 1 kg, pins at (i, 0), uprights to B_i = (i, 1), couplers from B_i-1 to B_i; every upright
// turns with -1 rad/s about z.
constexpr int loops = 2;
constexpr double bar_inertia = 1.0 / 12, thin = 1e-3;
// A04: bars of 1 m, 1 kg and square section 0.1 m.
constexpr double along = 1.0 / 600, across = 1.01 / 12;
constexpr double duration = 10, slider_crank_duration = 5;
}  // namespace library

inline void print_mechanism(const std::string& name, const char* method, const std::string& setting, double seconds,
                            double drift) {
  std::printf("library\t%s\t%s\t%s\t%.6g\t%.6g\n", name.c_str(), method, setting.c_str(), seconds, drift);
  std::fflush(stdout);
}

// A Mechanism offers settings, loosest first: watch(k), which runs with setting k and returns the largest drift, 1e99 if
// it does not reach the end; run(k), without looking; describe(k).
template <class Mechanism>
void measure_mechanism(const std::string& name, const char* method, Mechanism&& m) {
  int best = 0;
  double least = 1e99;
  for (int k = 0; k < m.settings() && least > library::drift_limit; ++k)
    if (const double drift = m.watch(k); drift < least) least = drift, best = k;
  if (least > 1e98) return print_mechanism(name, method, "none", 0, least);  // it stops before the end at every setting
  double seconds = 1e99;
  for (int round = 0; round < 5; ++round) {
    const double began = now();
    m.run(best);
    seconds = std::min(seconds, now() - began);
  }
  print_mechanism(name, method, m.describe(best), seconds, least);
}

}  // namespace plumb::bench
