// The forces of closed contacts: such that what is closed stays closed, what sticks stays, and what slips is rubbed.
#pragma once

#include <vector>

#include "plumb/contact/held_rows.h"
#include "plumb/system/projection.h"

namespace plumb {

// What closed contacts add to a motion.
struct ContactLoad {
  std::vector<double> p;             // of every closed contact: along its normal and its two tangents
  std::vector<double> acceleration;  // of all bodies
  std::vector<double> multipliers;   // of the joints that hold against it
  double rubbed = 0;                 // power that friction takes out, W
};

// At rest are speeds below this.
double rest_speed(const System& system, const double* y);

class ContactForces {
 public:
  // `closed` is the state of the run, kept by whoever decides about it.
  ContactForces(const Scene& scene, Dynamics& dynamics, const std::vector<ClosedContact>& closed);

  bool any() const { return !closed_.empty(); }
  // For the accelerations `a` without contacts, where the dynamics has just evaluated the state y.
  const ContactLoad& find(const double* y, const double* a);
  // Force on the bodies of one contact of the model, world axes, as last found.
  Vec3 force(int contact) const;

  // Moves y onto gap = 0 and gap' = 0 of the closed contacts, and u = 0 of those that stick; joints stay satisfied.
  void settle(double t, double* y);
  // Takes out what these places overlap, without a change of velocity; the energy this takes is entered as lost.
  void push_apart(double t, double* y, const std::vector<ContactPlace>& places);

 private:
  void place_with_joints(double t, const double* y);

  const Scene& scene_;
  const System& system_;
  Dynamics& dynamics_;
  const std::vector<ClosedContact>& closed_;
  Projection projection_;
  HeldRows held_;
  ContactLoad load_;
  std::vector<double> b_, p_, move_;
  std::vector<Vec3> forces_;  // of every closed contact, as last found
  std::vector<ClosedContact> overlapping_;
};

}  // namespace plumb
