// What methods share whose step has contacts inside: impacts are not located, their impulses are part of the step
// (moreau.h, trapezoidal.h). Values inside a step are linear between its ends.
#pragma once

#include <vector>

#include "plumb/formulation/formulation.h"
#include "plumb/integrator/integrator.h"
#include "plumb/model/model.h"
#include "plumb/time_stepping/stepped_contacts.h"

namespace plumb {

class TimeStepping : public Integrator {
 public:
  static constexpr int order = 2;  // between impacts; a step with an impact has order 1

  void begin(double t, const double* y) override;
  double error(double) override { return 0; }
  double initial_step(double) override { return 0; }
  void complete() override {}
  void interpolate(double theta, double* y) override;
  void advance(double t) override;
  double time() const override { return t_; }
  const double* state() const override { return y0_.data(); }
  const double* result() const override { return y1_.data(); }

  const SteppedContacts& contacts() const { return contacts_; }

 protected:
  TimeStepping(Formulation& formulation, const Model& model);

  // Ends a step whose velocities are found and whose positions are in the middle: moves on by `closing`, takes out
  // penetration, goes back onto the joints, writes the ledger. The dynamics was placed at `middle` at `t_middle`.
  StepReport finish(double h, double closing, double t_middle, bool touching);

  Formulation& formulation_;
  const System& system_;
  SteppedContacts contacts_;
  Projection projection_;
  std::vector<double> y0_, y1_, middle_, rate_, move_, drive_;
  std::vector<double> world_, world_before_;
  double t_ = 0;
};

}  // namespace plumb
