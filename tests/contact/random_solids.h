// Bodies of every shape that can touch, of random size and attitude.
#pragma once

#include <random>
#include <string>

#include "plumb/model/model.h"

namespace plumb {

inline constexpr std::size_t kinds_of_solid = 6;  // mass point, sphere, capsule, box, hull, cylinder

inline Body random_body(const std::string& name, std::size_t kind, const Vec3& position, std::mt19937& random) {
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  Body b{.name = name, .mass = between(0.5, 3), .position = position};
  if (kind == 0) return b;
  if (kind == 1) b.shape = Sphere{between(0.1, 0.4)};
  if (kind == 2) b.shape = Capsule{between(0.05, 0.2), between(0.2, 0.8)};
  if (kind == 3) b.shape = Box{{between(0.2, 0.7), between(0.2, 0.7), between(0.2, 0.7)}};
  if (kind == 5) b.shape = Cylinder{between(0.1, 0.4), between(0.2, 0.8)};
  if (kind == 4) {
    Hull hull;
    for (int i = 0; i < 12; ++i) hull.points.emplace_back(between(-0.4, 0.4), between(-0.4, 0.4), between(-0.4, 0.4));
    b.shape = hull;
  }
  std::normal_distribution<double> normal;
  b.rotation = Quaternion{normal(random), normal(random), normal(random), normal(random)}.normalized();
  return b;
}

}  // namespace plumb
