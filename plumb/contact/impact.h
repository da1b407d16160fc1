// The law of impact, and the entry it leaves in the ledger.
//
// At an impact velocities jump: v+ = v- + P Cᵀ p. With u the relative velocities at the contacts
//   Newton    0 <= p_n  perpendicular to  u_n+ + e u_n- >= 0
//   Poisson   compression until u_n >= 0 gives p_c; expansion gives at least e p_c more
// and Coulomb's cone |p_t| <= mu p_n in both. Over all contacts that touch, together with all joints.
#pragma once

#include <string>
#include <vector>

#include "plumb/contact/contact_rows.h"
#include "plumb/solver/cone_complementarity.h"

namespace plumb {

struct Impact {
  int contact = 0;         // in System::contacts
  int from = -1, to = -1;  // bodies, -1: a surface
  double time = 0;
  bool is_angular = false;  // the limit of an angle: velocities in rad/s, the impulse in N m s
  Vec3 point, normal;
  double normal_before = 0, normal_after = 0;
  Vec3 tangential_before, tangential_after;
  double normal_impulse = 0;
  Vec3 tangential_impulse;
  double energy_before = 0, energy_after = 0, energy_lost = 0;  // of the whole system; lost at this contact
  double at_rest_from = -1;  // where an endless series of bounces ends, if this impact stands for it
};

struct ImpactReport {
  bool solved = true;
  std::string fault;
  int worst_contact = -1;
  std::vector<Impact> impacts;
};

struct ImpactLaw {
  double restitution = 0, friction = 0;
  Contact::Law law = Contact::Law::newton;
};

// Impulses (normal, two tangents for each contact) for velocities `u` before the impact.
ConeSolution solve_impact(const ContactRows& rows, const std::vector<ImpactLaw>& laws, const std::vector<double>& u,
                          std::vector<double>& p);

}  // namespace plumb
