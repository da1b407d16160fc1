#include "plumb/time_stepping/moreau.h"

#include <algorithm>
#include <cmath>

namespace plumb {
namespace {

constexpr int most_sweeps = 400;

}  // namespace

Moreau::Moreau(Formulation& formulation, const Model& model)
    : TimeStepping(formulation, model), theta_(model.simulation.theta.value_or(0.5)), rows_(system_.rows) {}

StepReport Moreau::attempt(double h) {
  Dynamics& d = formulation_.dynamics();
  const int nq = system_.nq, nv = system_.nv;
  const double opening = (1 - theta_) * h, closing = theta_ * h;
  middle_ = y0_;
  for (int i = 0; i < nv; ++i) move_[i] = opening * y0_[nq + i];
  displace(system_, move_.data(), middle_.data());
  formulation_.derivative(t_ + opening, middle_.data(), rate_.data());
  // Once more with the velocities of the middle, for forces that depend on them.
  for (int i = 0; i < nv; ++i) middle_[nq + i] = y0_[nq + i] + opening * rate_[nq + i];
  formulation_.derivative(t_ + opening, middle_.data(), rate_.data());
  for (int i = 0; i < nv; ++i) middle_[nq + i] = y0_[nq + i];
  y1_ = middle_;
  for (int i = nq; i < system_.size(); ++i) y1_[i] = y0_[i] + h * rate_[i];

  d.place(t_ + opening, middle_.data());
  if (system_.rows > 0) {
    d.linearise();
    d.factor();
  }
  contacts_.detect(h, closing, y1_.data() + nq);
  const bool touching = !contacts_.active().empty();
  if (touching) solve_velocities();
  return finish(h, closing, t_ + opening, touching);
}

void Moreau::solve_velocities() {
  Dynamics& d = formulation_.dynamics();
  double* const v = y1_.data() + system_.nq;
  const auto& active = contacts_.active();
  std::vector<double>& world = world_;
  contacts_.to_world(y0_.data() + system_.nq, world_before_);
  contacts_.to_world(v, world);
  const auto push = [&](std::size_t k, const double* change) {
    const SteppedContacts::Active& c = active[k];
    double impulse[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i) kernel::add_scaled(impulse, change[i], c.axes + 3 * i);
    contacts_.push(c, impulse, world);
  };
  const auto velocity = [&](std::size_t k, double* u) {
    double relative[3];
    contacts_.relative(active[k], world, relative);
    for (int i = 0; i < 3; ++i) u[i] = kernel::dot(active[k].axes + 3 * i, relative);
  };
  // Joints, at the middle of the step, with the velocities of its end: G v + g_t = 0. Bearing the contacts' impulses
  // driven joints do work, -g_t.lambda.
  double* const account = y1_.data() + system_.nq + system_.nv;
  d.constraints().drive(drive_.data());
  const auto hold_joints = [&] {
    contacts_.from_world(world, v);
    d.constraints().multiply(v, rows_.data());
    for (int i = 0; i < system_.rows; ++i) rows_[i] = -rows_[i] - drive_[i];
    d.solve(rows_.data());
    d.push(rows_.data(), v);
    for (int i = 0; i < system_.rows; ++i) account[0] -= drive_[i] * rows_[i];
    contacts_.to_world(v, world);
  };
  for (std::size_t k = 0; k < active.size(); ++k) push(k, active[k].p);
  double fastest = 0;
  for (double x : world) fastest = std::max(fastest, std::abs(x));
  const double target = 1e-9 * fastest + 1e-12;
  // Many contacts get fewer sweeps a step; what they leave is taken up by the next step, which starts from it.
  const int rounds = std::clamp(20000 / static_cast<int>(active.size()), 16, most_sweeps);
  for (int round = 0; round < rounds; ++round) {
    const double change = contacts_.sweep(velocity, push);
    if (system_.rows > 0) hold_joints();
    if (change <= target) break;
  }
  contacts_.from_world(world, v);
  account[1] += contacts_.energy_taken(world_before_, world);
}

}  // namespace plumb
