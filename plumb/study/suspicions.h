// What looks like a mistake though it can be computed: masses and inertias of the wrong unit, bodies nothing holds,
// driven motions the mechanism cannot follow.
#pragma once

#include <string>
#include <vector>

#include "plumb/model/model.h"
#include "plumb/system/system.h"

namespace plumb {

// Units: a radius of gyration far from the body's extent, densities no material has.
std::vector<std::string> mass_suspicions(const Model& model, const System& system);

// Bodies that no chain of joints, springs or contacts connects with the ground, where there is gravity.
std::vector<std::string> unheld_bodies(const Model& model);

// A driven motion that cannot be followed: which joint, when, how far it stays open.
struct UnreachableDrive {
  std::string joint;
  double time = 0, residual = 0;
};
std::vector<UnreachableDrive> unreachable_drives(const System& system, const std::vector<double>& start,
                                                 double duration);

}  // namespace plumb
