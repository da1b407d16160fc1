// Which of the places that touch are closed contacts, and how they grip: the law of contact for accelerations.
//
//   0 <= p_n  perpendicular to  gap'' >= 0
//   at rest   |p_t| <= mu p_n; it begins to slip along u' where its cone cannot hold it
//   slipping  p_t = -mu p_n u/|u|
//
// over all places together with all joints. Where corners of a patch share what is asked of them in more ways than one,
// the shares are those of least norm among those that press (contact/held_rows.h).
#pragma once

#include <string>
#include <vector>

#include "plumb/contact/closed_contact.h"
#include "plumb/contact/contact_search.h"
#include "plumb/contact/held_rows.h"

namespace plumb {

class ContactModes {
 public:
  // Motions that take less than a part of `duration` are fast.
  ContactModes(const Scene& scene, Dynamics& dynamics, ContactSearch& search, const Stabilisation& stabilisation,
               double duration);

  enum class Decision {
    found,
    jammed,   // friction presses a contact closed the more the harder it presses: no finite force keeps it open
    blocked,  // nothing gives way: the contacts stand against what drives prescribe
    unsolved
  };
  // For the places that touch at (t, y). More places may be added to `touching`, on rims of discs.
  Decision decide(double t, const double* y, const Facing& facing, std::vector<ContactPlace>& touching,
                  std::vector<ClosedContact>& closed);

  enum class Hold {
    surely,
    shared,  // with other shares than those of least norm: to be decided anew, though nothing moves differently
    no
  };
  // Whether `closed` still is what keeps them as they are.
  Hold holds(double t, const double* y, const Facing& facing, const std::vector<ClosedContact>& closed);

  long evaluations() const { return evaluations_; }
  int worst() const { return worst_; }  // the contact of the model that could not be decided

 private:
  void evaluate(double t, const double* y);
  void accelerations_after();
  bool press_and_stick(const std::vector<ClosedContact>& closed) const;
  Decision solve_cones_for(const std::vector<ClosedContact>& closed);
  void classify(std::vector<ClosedContact>& closed);
  bool add_spots(const Facing& facing, std::vector<ContactPlace>& touching);
  void share_out(std::vector<ClosedContact>& closed);
  void let_creep(std::vector<ClosedContact>& closed);
  bool creeps(int k) const;
  void default_grips(const std::vector<ContactPlace>& touching, std::vector<ClosedContact>& closed);
  void solve_held(const std::vector<ClosedContact>& closed);
  double small() const;

  const Scene& scene_;
  const System& system_;
  Dynamics& dynamics_;
  ContactSearch& search_;
  Stabilisation stabilisation_;
  double soon_;
  HeldRows held_;
  double still_ = 0, close_ = 0;
  std::vector<double> rate_, b_, p_, after_, mu_, pressed_, all_b_, all_D_;
  std::vector<char> moving_;  // of the contacts being decided: slipping already
  std::vector<ClosedContact> trial_;
  std::vector<ContactPlace> places_;
  long evaluations_ = 0;
  int worst_ = -1;
};

}  // namespace plumb
