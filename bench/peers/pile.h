// Spheres of radius 0.1 m dropped from a lattice into a box without a lid, friction 0.5, no restitution: 500 steps of
// 1 ms. Every engine gets the same places. Penetration is looked at every 10 steps, outside of the time measured.
#pragma once

#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "peer.h"

namespace plumb::bench {

struct Pile {
  static constexpr double radius = 0.1, pitch = 0.22, friction = 0.5, step = 1e-3, density = 1000;
  static constexpr int steps = 500;
  static constexpr double mass = density * 4 / 3 * std::numbers::pi * radius * radius * radius,
                          inertia = 0.4 * mass * radius * radius;
  int side;  // spheres along an edge of a layer
  double width;
  std::vector<double> start;  // x, y, z of each; the box is [0, width]² on z = 0

  explicit Pile(int spheres) : side(spheres <= 1000 ? 10 : 17), width(side * pitch) {
    unsigned seed = 12345;
    const auto jitter = [&] {
      seed = seed * 1664525u + 1013904223u;
      return 0.015 * ((seed >> 8) / 16777216.0 - 0.5);
    };
    for (int i = 0; i < spheres; ++i) {
      start.push_back(pitch / 2 + pitch * (i % side) + jitter());
      start.push_back(pitch / 2 + pitch * (i / side % side) + jitter());
      start.push_back(pitch / 2 + pitch * (i / (side * side)));
    }
  }
  int spheres() const { return static_cast<int>(start.size() / 3); }

  double penetration(const std::vector<double>& x) const {
    double most = 0;
    for (std::size_t i = 0; i < x.size(); i += 3) {
      for (double d : {x[i], width - x[i], x[i + 1], width - x[i + 1], x[i + 2]}) most = std::max(most, radius - d);
      for (std::size_t j = 0; j < i; j += 3) {
        const double dx = x[i] - x[j], dy = x[i + 1] - x[j + 1], dz = x[i + 2] - x[j + 2];
        const double square = dx * dx + dy * dy + dz * dz;
        if (square < 4 * radius * radius) most = std::max(most, 2 * radius - std::sqrt(square));
      }
    }
    return most;
  }
};

// An Engine is made from a Pile; it offers step() and positions(x).
template <class Engine>
void measure_pile(const char* method) {
  for (int spheres : {1000, 5000}) {
    const Pile pile(spheres);
    double best = 1e99, deepest = 0;
    for (int round = 0; round < 2; ++round) {
      Engine engine(pile);
      std::vector<double> x(pile.start.size());
      double spent = 0;
      deepest = 0;
      for (int i = 0; i < Pile::steps; i += 10) {
        const double began = now();
        for (int k = 0; k < 10; ++k) engine.step();
        spent += now() - began;
        engine.positions(x);
        deepest = std::max(deepest, pile.penetration(x));
      }
      best = std::min(best, spent / Pile::steps);
    }
    std::printf("pile\t%s\t%d\t%.6g\t%.6g\n", method, spheres, best, deepest);
    std::fflush(stdout);
  }
}

}  // namespace plumb::bench
