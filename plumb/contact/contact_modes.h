// Which of the places that touch are closed contacts, and how they grip: the law of contact for accelerations.
//
//   0 <= p_n  perpendicular to  gap'' >= 0
//   at rest   |p_t| <= mu p_n; it begins to slip along u' where its cone cannot hold it
//   slipping  p_t = -mu p_n u/|u|
//
// and of joints that rub with at most f: at rest |p| <= f, moving p = -f sign(rate). Over all places together with all
// joints. Where corners of a patch share what is asked of them in more ways than one, the shares are those of least
// norm among those that press (contact/held_rows.h).
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
    shared,  // with other shares than those of least norm, or a direction of slip a little off: to be decided anew soon
    no
  };
  // Whether `closed` still is what keeps them as they are.
  Hold holds(double t, const double* y, std::span<const ClosedContact> closed);

  long evaluations() const { return evaluations_; }
  int worst() const { return worst_; }  // the contact of the model that could not be decided

 private:
  void evaluate(double t, const double* y);
  double acceleration_after(int row) const;
  void accelerations_after();
  bool press_and_stick(std::span<const ClosedContact> closed) const;
  bool can_be_shared(std::span<const ClosedContact> closed) const;
  Hold holds_now(std::span<const ClosedContact> island);
  Decision solve_cones_for(const std::vector<ClosedContact>& closed);
  void classify();
  bool add_spots(const Facing& facing, std::vector<ContactPlace>& touching);

  // A contact whose force or acceleration is not that of what it is assumed to be, and what it has to become.
  struct Disagreement {
    int contact = -1;
    bool open = false;
    Grip grip = Grip::slip;
    Vec3 direction = Vec3::Zero();
    double sense = 0;  // of a joint that rubs
    double by = 0;
  };
  void assume(std::vector<ClosedContact>& closed);
  enum class Among { all, but_sticking };
  Disagreement find_disagreement(const std::vector<ClosedContact>& closed, bool first, Among among) const;
  double turn(std::vector<ClosedContact>& closed) const;
  double turn_beginning(std::vector<ClosedContact>& closed);
  bool is_jamming(std::span<const ClosedContact> closed);
  enum class Agreement {
    stable,
    turned,  // friction has turned a contact around
    jammed,
    none
  };
  Agreement agree(std::vector<ClosedContact>& closed);
  void change(const Disagreement& disagreement, const std::vector<ClosedContact>& closed);
  bool part(std::vector<ClosedContact>& closed);
  void consider(const std::vector<ContactPlace>& touching);
  bool thin_out(const std::vector<ContactPlace>& touching, std::vector<ClosedContact>& closed);
  Decision find_agreement(const std::vector<ContactPlace>& touching, std::vector<ClosedContact>& closed);

  void let_creep(std::vector<ClosedContact>& closed);
  bool turn_creeping(std::vector<ClosedContact>& closed);
  bool creeps(int k) const;
  bool has_stopped(const ClosedContact& closed, int k) const;
  void default_grips(const std::vector<ContactPlace>& touching, std::vector<ClosedContact>& closed);
  void solve_held(std::span<const ClosedContact> closed);
  double small() const;

  const Scene& scene_;
  const System& system_;
  Dynamics& dynamics_;
  ContactSearch& search_;
  Stabilisation stabilisation_;
  double soon_;
  HeldRows held_, all_;  // of what is closed; of all candidates
  double still_ = 0, slow_ = 0, close_ = 0;
  std::vector<double> rate_, b_, p_, after_, mu_, all_b_, acceleration_;
  std::vector<char> moving_, open_;  // of the contacts being decided: slipping already; assumed to be open
  std::vector<ClosedContact> trial_, slipping_;
  std::vector<ContactPlace> places_;
  bool takes_slow_as_resting_ = false;
  long evaluations_ = 0;
  int worst_ = -1;
};

}  // namespace plumb
