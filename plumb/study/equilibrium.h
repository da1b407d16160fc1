// Static equilibrium: the pose nearest the start, downhill, at which nothing accelerates.
//
// In the directions P the joints leave free (linearisation.h) the forces are r = Pᵀ M a and the stiffness
// K = -dr/dp. Newton's method on r = 0 with |K| (eigenvalues by their size) moves downhill also where K is not
// positive, so that it ends in a stable equilibrium where there is one; near the end K is used as it is. Drives hold
// what they prescribe at t = 0; contacts, limits and friction in joints are left out, and that is said.
#pragma once

#include <string>
#include <vector>

#include "plumb/model/model.h"
#include "plumb/simulation/start.h"
#include "plumb/system/dynamics.h"

namespace plumb {

struct BodyPose {
  std::string name;
  Vec3 position;
  Quaternion rotation{};
  bool rigid = false;
  double moved = 0, turned = 0;  // from the start, m and rad
};

struct JointReaction {
  std::string name;
  Vec3 force, moment;  // on `to`, world axes
};

struct Equilibrium {
  bool found = false;
  std::string fault;  // if not
  int iterations = 0;
  double residual = 0;   // largest acceleration left, m/s² or rad/s²
  double potential = 0;  // J
  int degrees_of_freedom = 0;
  double least_stiffness = 0;         // eigenvalue of K, 1/s²: positive where stable
  std::vector<std::string> messages;  // about the start, and what is left out
  std::vector<BodyPose> bodies;
  std::vector<JointReaction> reactions;
  System system;          // with its drives held
  std::vector<double> y;  // at rest there
};

Equilibrium find_equilibrium(const Model& model);

}  // namespace plumb
