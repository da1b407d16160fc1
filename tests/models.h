// Models the tests build in C++, with numbers that no example uses.
#pragma once

#include <cmath>
#include <string>

#include "plumb/model/model.h"

namespace plumb::testing {

// Point mass on a rod, released at `angle` from the downward vertical in the x-z plane.
inline Model pendulum(double angle, double length = 1.0, double mass = 1.0, double g = 9.81) {
  Model m;
  m.gravity = {0, 0, -g};
  m.add(Body{.name = "bob", .mass = mass, .position = {length * std::sin(angle), 0, -length * std::cos(angle)}});
  m.add(Joint{.name = "rod", .type = "rod", .from = "ground", .to = "bob", .from_point = Point{0.0, 0.0, 0.0}});
  m.simulation.duration = 1;
  return m;
}

// Rigid links on spherical or revolute (y) joints along x, hanging from the origin.
inline Model chain(int links, const std::string& joint) {
  Model m;
  for (int i = 0; i < links; ++i) {
    m.add(Body{.name = "link" + std::to_string(i),
               .mass = 0.7,
               .inertia = Inertia{{0.02, 0.06, 0.05}, {0, 0, 0}},
               .position = {i + 0.5, 0, 0}});
    Joint j{.name = "joint" + std::to_string(i),
            .type = joint,
            .from = i > 0 ? "link" + std::to_string(i - 1) : "ground",
            .to = "link" + std::to_string(i),
            .point = Point{static_cast<double>(i), 0.0, 0.0}};
    if (joint == "revolute") j.axis = Vec3(0, 1, 0);
    m.add(j);
  }
  m.simulation.duration = 1;
  return m;
}

}  // namespace plumb::testing
