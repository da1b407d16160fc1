// Where in a step a gap closes first.
//
// Between solids nothing is missed for being short: a stretch of the step counts as free only if the heights at its
// ends and the accelerations in between leave no room for a contact (contact/clearance.h); otherwise it is halved. Of
// solids that touch already, on something flat, the heights of all other points over it are watched instead. Where
// neither is at hand, and for limits of joints, which are smooth functions, samples have to do.
#pragma once

#include <optional>
#include <vector>

#include "plumb/contact/clearance.h"
#include "plumb/contact/closed_contact.h"
#include "plumb/contact/contact_search.h"
#include "plumb/simulation/step.h"
#include "plumb/system/dynamics.h"

namespace plumb {

// What contacts remember from one step to the next: part of the state of a run.
struct ContactState {
  std::vector<ClosedContact> closed;
  Facing facing;
};

class ClosingFinder {
 public:
  ClosingFinder(const Scene& scene, Dynamics& dynamics, ContactSearch& search, const ContactState& state);

  // The first instant at which a gap closes, falling below zero by more than `depth`; infinite: none does. With a depth
  // the step is taken to be so short that what happens inside it shows at its end.
  double first(Step& step, double depth = 0);

  // Gap of a pair or limit at a state.
  double gap(int candidate, double t, const double* y);

 private:
  // A pair at one place of the step.
  struct Look {
    double theta = 0;
    PlacedSolid a, b;
    Separation separation{};
    double value = 0;  // gap, or height of what does not touch yet
  };
  // Something flat that a pair touches on, carried by one of its solids; what lies on it already is left out.
  struct Support {
    bool is_on_a = true;
    Part part;
    Vec3 place, normal;         // in the axes of the solid that carries it
    std::vector<char> lies_on;  // corners of the other one
  };

  struct Level;

  void look_at_ends(Step& step);
  bool is_far(int pair, double length) const;
  void look(int pair, Step& step, double theta, Look& look);
  bool find_support(int pair);
  void leave_out_what_lies_on_it(int pair, const Look& begin);
  double height(const PlacedSolid& carrier, const PlacedSolid& other, int* lowest = nullptr) const;
  double closing_of_pair(int pair, Step& step);
  double first_below(int pair, Step& step, double floor, double acceleration);
  bool keeps_clear(double floor, double sag) const;
  double root(int pair, Step& step, double above, double below);
  bool lies_beside(const Look& at) const;

  double closing_by_samples(int candidate, Step& step, double from);
  double closing_of_another(int candidate, Step& step, const Bracket& fall, double slack);
  double held_gap(int candidate);
  double gap_beside(int candidate, double t, const double* y);

  const Scene& scene_;
  Dynamics& dynamics_;
  ContactSearch& search_;
  const ContactState& state_;
  StepMotion motion_;
  std::vector<Vec3> middles_[2];  // of all solids, at both ends of the step
  std::vector<Look> looks_;       // left and right
  std::vector<Vec3> held_;        // where a pair touches
  Support support_;
  bool is_supported_ = false;
  std::vector<ContactPlace> places_;
  double slack_ = 0, earliest_ = 0;
  bool proves_ = true;
};

}  // namespace plumb
