#include "plumb/time_stepping/time_stepping.h"

#include <algorithm>

namespace plumb {

TimeStepping::TimeStepping(Formulation& formulation, const Model& model)
    : formulation_(formulation),
      system_(formulation.dynamics().system()),
      contacts_(model, system_, formulation.dynamics()),
      projection_(formulation.dynamics()),
      y0_(system_.size()),
      y1_(system_.size()),
      middle_(system_.size()),
      rate_(system_.size()),
      move_(system_.nv),
      drive_(system_.rows) {}

void TimeStepping::begin(double t, const double* y) {
  t_ = t;
  std::copy_n(y, system_.size(), y0_.begin());
  formulation_.dynamics().place(t, y0_.data());
  contacts_.note();
}

void TimeStepping::interpolate(double theta, double* y) {
  for (int i = 0; i < system_.size(); ++i) y[i] = y0_[i] + theta * (y1_[i] - y0_[i]);
  normalise_quaternions(system_, y);
}

void TimeStepping::advance(double t) {
  t_ = t;
  y0_.swap(y1_);
  formulation_.dynamics().place(t, y0_.data());
  contacts_.note();
}

StepReport TimeStepping::finish(double h, double closing, double t_middle, bool touching) {
  Dynamics& d = formulation_.dynamics();
  for (int i = 0; i < system_.nv; ++i) move_[i] = closing * y1_[system_.nq + i];
  displace(system_, move_.data(), y1_.data());
  if (touching) contacts_.take_out_penetration(closing, world_, y1_.data());
  normalise_quaternions(system_, y1_.data());
  StepReport report;
  if (system_.rows > 0) {
    const ProjectionReport p = projection_.apply(t_ + h, y1_.data());
    report = {p.converged ? StepReport::Kind::ok : StepReport::Kind::off_constraints, p.residual, p.worst_row};
  }
  const bool strikes = contacts_.any_strike();
  const double before = strikes ? d.energy(y0_.data()).total() : 0, after = strikes ? d.energy(y1_.data()).total() : 0;
  d.place(t_middle, middle_.data());
  contacts_.finish(t_, h, world_before_, world_, before, after);
  return report;
}

}  // namespace plumb
