// What can be said of a model before it runs: freedom, mass, rank of the constraints, redundancy, start.
#pragma once

#include <string>
#include <vector>

#include "plumb/model/model.h"
#include "plumb/simulation/start.h"
#include "plumb/study/suspicions.h"

namespace plumb {

// One dependence among the constraint rows: every one of these joints takes part in it.
struct Redundancy {
  std::vector<std::string> joints;
};

// Bodies that lie in each other, or in a surface, at the start.
struct Overlap {
  std::string contact;
  std::vector<std::string> bodies;
  double depth;  // m
};

// The reaction of a joint that rigid-body mechanics leaves open.
struct OpenReaction {
  std::string joint;
  std::vector<std::string> components;  // of fx fy fz tx ty tz, world axes at the start
};

struct Diagnosis {
  int bodies = 0, point_masses = 0, rigid_bodies = 0, joints = 0, forces = 0, events = 0;
  double mass = 0;
  int coordinates = 0;  // of velocity: 3 per point mass, 6 per rigid body
  int constraints = 0;  // rows
  int rank = 0;
  int degrees_of_freedom = 0;
  int nonholonomic = 0;  // rows at velocity level only: freedom of motion that is none of place
  int freedom_by_count() const { return coordinates - constraints; }
  std::vector<Redundancy> redundancies;
  std::vector<OpenReaction> open_reactions;  // not unique because of them
  int singular_start = 0;                    // rank the start lacks against poses close to it
  std::vector<std::string> suspicions;       // of wrong units
  std::vector<std::string> unheld;           // bodies that fall freely
  std::vector<UnreachableDrive> unreachable;
  std::vector<Overlap> overlaps;
  bool consistent = true;
  std::vector<std::string> start_messages;                // how far bodies were moved
  std::string fault;                                      // if not consistent
  double position_violation = 0, velocity_violation = 0;  // of the start as given
  double energy = 0;
  std::string solver;  // dense or sparse
};

Diagnosis diagnose(const Model& model);

}  // namespace plumb
