// Makes a start consistent: positions onto g = 0, velocities onto g' = 0.
//
// Positions move as little as possible in the metric of the mass matrix. Velocities that were given are kept
// and those that were not follow from the joints; only where the given ones contradict each other are all of
// them moved, again as little as possible.
#pragma once

#include <string>
#include <vector>

#include "plumb/system/dynamics.h"

namespace plumb {

struct BodyMove {
  int body = 0;
  double distance = 0;  // of the mass centre, m
  double angle = 0;     // rad
};

struct StartReport {
  bool consistent = true;
  std::vector<BodyMove> moved;          // bodies displaced beyond rounding
  std::vector<int> velocities_changed;  // bodies whose given velocity had to change
  double largest_velocity_change = 0;   // of those, m/s or rad/s
  int worst_joint = -1;                 // if not consistent
  double worst_residual = 0;
  bool velocities_contradict = false;  // it is the velocities the joints ask for that cannot all be had
  std::vector<int> contradicting;      // the joints left open
  bool is_redundant = false;           // rows of the joints depend on each other
  // They do so at this pose only, and no acceleration satisfies them: at the velocities of the start (then it is not
  // consistent), or as soon as it moves from rest.
  bool is_singular = false;
};

// What was moved and how far, one line each (many bodies are summed up).
std::vector<std::string> start_messages(const System& system, const StartReport& report);

// Changes y (at t = 0) in place.
StartReport make_consistent(Dynamics& dynamics, std::vector<double>& y);

}  // namespace plumb
