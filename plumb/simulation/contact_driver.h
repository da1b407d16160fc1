// Contacts of a run whose impacts are located: ends steps where a gap closes or the modes of closed contacts cease to
// hold, and at those instants lets the laws of impact and of contact decide what follows.
#pragma once

#include <memory>
#include <vector>

#include "plumb/contact/contact_forces.h"
#include "plumb/contact/contact_modes.h"
#include "plumb/contact/contact_search.h"
#include "plumb/contact/impact.h"
#include "plumb/contact/islands.h"
#include "plumb/simulation/closing_finder.h"
#include "plumb/simulation/contact_window.h"
#include "plumb/simulation/interruption.h"
#include "plumb/simulation/observer.h"
#include "plumb/simulation/patience.h"

namespace plumb {

class ContactDriver final : public Interruption {
 public:
  // `dynamics` belongs to the driver alone.
  ContactDriver(const Scene& scene, Dynamics& dynamics, const Stabilisation& stabilisation, ContactState& state,
                double duration, bool limits_steps, const Observers& observers);

  double longest_step(double t) const override;
  double first(Step& step) override;
  bool rescue(double t, double* y) override;
  void accepted(double t, const double* y) override;
  Change act(double t, double* y) override;
  void show_start(const Observers& observers) override;

  long evaluations() const { return evaluations_ + modes_.evaluations(); }
  // How often contacts changed faster than they can be followed.
  int windows() const { return window_.count() + patience_.count(); }

 private:
  double first_closing(Step& step);
  double first_change(Step& step);
  void note_rims();
  void find_touching(double t, const double* y);
  std::optional<Outcome> overlap_at_start(const double* y);
  Change begin(double* y);
  // What the laws make of the places that touch: true if they have an answer.
  bool follow_laws(double t, double* y, Change& change);
  bool strike(double t, double* y, int jammed, Change& change);
  bool decide(double t, double* y, Change& change);
  void note_rest(double t);
  void bring_to_rest(double t, double* y);
  Outcome blocked(double t, const ContactPlace& place) const;
  double window_step(double fastest) const;
  void open_window(double t, double* y);
  void stay_in_window(double t, double* y, Change& change);
  void tell(const std::vector<Impact>& impacts);

  const Scene& scene_;
  const System& system_;
  Dynamics& dynamics_;
  Stabilisation stabilisation_;
  ContactState& state_;
  double duration_;
  bool limits_steps_;
  const Observers& observers_;
  ContactSearch search_;
  ClosingFinder closings_;
  Islands islands_;
  ContactModes modes_;
  ImpactSolver impacts_;
  ContactForces forces_;
  ContactWindow window_;
  double window_step_;    // of a usual one
  bool hurries_ = false;  // steps have become too short
  Patience patience_;
  bool begun_ = false;
  double highest_whirl_ = 0;  // of the discs to be laid down now
  double flat_in_ = never;    // how long the rim nearest to it takes to lie flat
  std::vector<ContactPlace> touching_, places_, rubbing_;
  std::vector<ClosedContact> decided_;
  ImpactReport struck_;  // of the island being decided
  std::vector<Impact> at_start_;
  std::vector<double> rate_;
  long evaluations_ = 0;
};

}  // namespace plumb
