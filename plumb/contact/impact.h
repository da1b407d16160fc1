// The law of impact, and the entry it leaves in the ledger.
//
// At an impact velocities jump: v+ = v- + P Cᵀ p. With u the relative velocities at the contacts
//   Newton    0 <= p_n  perpendicular to  u_n+ + e u_n- >= 0
//   Poisson   compression until u_n >= 0 gives p_c; expansion gives at least e p_c more
// and Coulomb's cone |p_t| <= mu p_n in both. Over all contacts that touch, together with all joints.
#pragma once

#include <string>
#include <vector>

#include "plumb/contact/closed_contact.h"
#include "plumb/contact/contact_search.h"
#include "plumb/contact/held_rows.h"
#include "plumb/contact/ledger.h"
#include "plumb/solver/cone_complementarity.h"

namespace plumb {

struct ImpactReport {
  enum class Result { solved, blocked, unsolved };
  Result result = Result::solved;
  std::string fault;
  ContactPlace worst;  // where it failed
  std::vector<Impact> impacts;
  std::vector<double> pulls;  // of each: the acceleration, without contacts, that pulls it back
};

struct ImpactLaw {
  double restitution = 0, friction = 0;
  Contact::Law law = Contact::Law::newton;
};

// How exactly impulses are found: an impact to rounding; of many small steps each goes on from the impulses of the last,
// and needs no more than its length is worth.
struct ConeEffort {
  int sweeps = 20000;
  double tolerance = 1e-15;
  bool goes_on = false;
};
inline constexpr ConeEffort small_step_effort{300, 1e-11, true};

// Impulses (normal, two tangents for each contact) for velocities `u` before the impact.
ConeSolution solve_impact(const ContactRows& rows, const std::vector<ImpactLaw>& laws, const std::vector<double>& u,
                          std::vector<double>& p, const ConeEffort& effort = {});

class ImpactSolver {
 public:
  ImpactSolver(const Scene& scene, Dynamics& dynamics, ContactSearch& search);

  // The impact of the places that touch at (t, y), if any approaches: changes the velocities and accounts for the
  // energy lost. `a`: accelerations without contacts; what they would pull back before its rebound can be seen comes to
  // rest. `jammed`: the contact of the model that jams, and is stopped as if it approached; -1: none. Places on rims of
  // discs may be added to `touching`. `pressing`: contacts that approach no faster than free fall for this time makes
  // them do not rebound.
  ImpactReport strike(double t, double* y, const double* a, const Facing& facing, std::vector<ContactPlace>& touching,
                      int jammed = -1, double pressing = 0);

 private:
  void build(double t, const double* y, const std::vector<ContactPlace>& touching);
  void end_bounces(double t, double close, const double* a);
  bool add_spots(const Facing& facing, std::vector<ContactPlace>& touching);
  void fail(const ConeSolution& solution, double lost, const std::vector<ContactPlace>& touching, ImpactReport& report);
  bool is_blocked(double still, int& worst) const;
  Impact entry(int k, const ContactPlace& place, double t) const;
  void spread();
  void apply(double lost, double* y);

  const Scene& scene_;
  const System& system_;
  Dynamics& dynamics_;
  ContactSearch& search_;
  HeldRows held_;
  std::vector<ClosedContact> contacts_;
  std::vector<ImpactLaw> laws_;
  std::vector<double> before_, after_, p_, even_, lambda_, g_t_, rest_from_, pull_;
  std::vector<ContactPlace> spots_;
};

}  // namespace plumb
