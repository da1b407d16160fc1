// Best-of timing on the monotonic clock, and pinning to one core.
#pragma once

#include <sched.h>

#include <algorithm>
#include <chrono>

namespace plumb::bench {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Smallest time of one call over at least `rounds` calls and `seconds` seconds.
template <class F>
double best_time(F&& f, int rounds = 7, double seconds = 0.2) {
  double best = 1e99, total = 0;
  for (int i = 0; i < rounds || total < seconds; ++i) {
    const double began = now();
    f();
    const double spent = now() - began;
    best = std::min(best, spent);
    total += spent;
  }
  return best;
}

inline void pin_to_one_core() {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(0, &set);
  sched_setaffinity(0, sizeof set, &set);
}

template <class T>
void keep(T& x) {
  asm volatile("" : : "r"(&x) : "memory");
}

}  // namespace plumb::bench
