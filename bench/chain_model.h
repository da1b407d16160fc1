// A chain of N slender links (1 m, 1 kg, radius 0.05 m) released along x, gravity along -z.
#pragma once

#include <string>

#include "plumb/model/model.h"

namespace plumb::bench {

inline Model chain_model(int links, const std::string& joint) {
  Model m;
  for (int i = 0; i < links; ++i) {
    m.add(Body{.name = "link" + std::to_string(i),
               .mass = 1.0,
               .inertia = Inertia{{0.00125, 1.0 / 12, 1.0 / 12}, {0, 0, 0}},
               .position = {i + 0.5, 0, 0}});
    Joint j{.name = "joint" + std::to_string(i),
            .type = joint,
            .from = i > 0 ? "link" + std::to_string(i - 1) : "ground",
            .to = "link" + std::to_string(i),
            .point = Point{static_cast<double>(i), 0.0, 0.0}};
    if (joint == "revolute") j.axis = Vec3(0, 1, 0);
    m.add(j);
  }
  m.simulation.method = "projected/rk4";
  m.simulation.step = 1e-3;
  m.simulation.duration = 1e3;
  return m;
}

}  // namespace plumb::bench
