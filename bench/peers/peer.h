// What the drivers share: the two problems, how they are timed, and the lines that `compare` reads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include "timing.h"

namespace plumb::bench {

constexpr double gravity = 9.81;

// IFToMM A01: a point mass of 1 kg on a massless rod of 1 m, released at rest from (-1, 0).
namespace a01 {
constexpr double duration = 10, start_angle = 1.5707963267948966;  // x = -sin, y = -cos of the angle
constexpr double drift_limit = 5e-5;                               // J, set by the benchmark
constexpr double x_end = -0.275087462576117, y_end = -0.961419205099125;
constexpr int max_steps = 4096;
}  // namespace a01

struct PendulumState {
  double x, y, vx, vy;
  double spin_energy = 0;  // of an engine that knows no point masses

  static PendulumState at_angle(double angle, double rate, double inertia) {
    const double s = std::sin(angle), c = std::cos(angle);
    return {-s, -c, -c * rate, s * rate, inertia * rate * rate / 2};
  }
  double energy() const { return (vx * vx + vy * vy) / 2 + spin_energy + gravity * y; }  // exact: 0
};

// A Pendulum offers start(steps), the state at rest and a step size; step(); run(), all steps; state().
struct PendulumRun {
  double drift = 0;           // largest |E - E(0)| over all steps
  double position_error = 0;  // at 10 s
};

template <class Pendulum>
PendulumRun watch_a01(Pendulum& p, int steps, double give_up_above) {
  PendulumRun r;
  p.start(steps);
  for (int i = 0; i < steps && r.drift < give_up_above; ++i) {
    p.step();
    r.drift = std::max(r.drift, std::abs(p.state().energy()));
  }
  r.position_error = std::hypot(p.state().x - a01::x_end, p.state().y - a01::y_end);
  return r;
}

template <class Pendulum>
void measure_a01(const char* method, Pendulum p) {
  // The fewest steps that keep the drift below the limit: every engine at its cheapest.
  int steps = 16;
  while (!(watch_a01(p, steps, a01::drift_limit).drift < a01::drift_limit))
    if (++steps > a01::max_steps) throw std::runtime_error(std::string("A01, ") + method + ": drift limit not reached");
  const PendulumRun r = watch_a01(p, steps, 1e99);
  double best = 1e99, total = 0;
  for (int round = 0; round < 50 || total < 1; ++round) {
    p.start(steps);
    const double began = now();
    p.run();
    const double spent = now() - began;
    best = std::min(best, spent);
    total += spent;
  }
  std::printf("a01\t%s\t%d\t%.6g\t%.6g\t%.6g\n", method, steps, best, r.drift, r.position_error);
  std::fflush(stdout);
}

// A chain of slender links along x, the first one jointed to the ground at the origin; gravity along -z.
namespace chain {
constexpr double length = 1, mass = 1, across = 1.0 / 12, along = 0.00125, step = 1e-3;
constexpr int steps = 1000;
// Mass centre of the last of 10 links after 1 s; here all engines agree to all digits given.
constexpr int checked_links = 10;
constexpr double x_checked = 7.027229, z_checked = -4.905622;
}  // namespace chain

struct Tip {
  double x, z;
};

// A Chain is made for a number of links and a joint; it offers start(), the state at rest; run(steps); tip().
template <class Chain>
void check_chain(const char* joint) {
  Chain c(chain::checked_links, joint);
  c.start();
  c.run(chain::steps);
  const Tip tip = c.tip();
  if (!(std::hypot(tip.x - chain::x_checked, tip.z - chain::z_checked) < 2e-6))
    throw std::runtime_error(std::string("chain, ") + joint + ": the last link ends at (" + std::to_string(tip.x) +
                             ", " + std::to_string(tip.z) + "), not where it should");
}

template <class Chain>
void measure_chain(const char* method, const char* joint) {
  // Short rounds: the best of them is more likely to be an undisturbed one.
  constexpr double seconds_per_round = 0.1, seconds = 5;
  check_chain<Chain>(joint);
  for (int links : {10, 100, 1000}) {
    Chain c(links, joint);
    c.start();
    double began = now();
    c.run(1);
    // Up to 1 s of motion from the start.
    const int steps = std::clamp(static_cast<int>(seconds_per_round / (now() - began)), 1, chain::steps);
    double best = 1e99, total = 0;
    for (int round = 0; round < 3 || (round < 30 && total < seconds); ++round) {
      c.start();
      began = now();
      c.run(steps);
      const double spent = now() - began;
      best = std::min(best, spent / steps / links);
      total += spent;
    }
    std::printf("chain\t%s\t%s\t%d\t%.6g\n", method, joint, links, best);
    std::fflush(stdout);
  }
}

// Runs a driver; a failure becomes the last line on standard error and the exit code.
template <class Measurements>
int drive(const std::string& engine, Measurements&& all) {
  pin_to_one_core();
  std::printf("engine\t%s\n", engine.c_str());
  std::fflush(stdout);
  try {
    all();
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}

}  // namespace plumb::bench
