#include "plumb/time_stepping/trapezoidal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plumb {
namespace {

constexpr int most_sweeps = 2000;

}  // namespace

Trapezoidal::Trapezoidal(Formulation& formulation, const Model& model)
    : TimeStepping(formulation, model),
      matrix_(formulation.dynamics()),
      a_(system_.nv),
      lambda_(system_.rows),
      scratch_(system_.nv) {
  if (matrix_.largest() > ImplicitMatrix::max_unknowns)
    throw InputError(model.simulation.source, "simulation",
                     fmt::format("trapezoidal solves at most {} coordinates and constraints of one mechanism together, "
                                 "and there are {}; choose moreau, rattle or a Runge-Kutta method",
                                 ImplicitMatrix::max_unknowns, matrix_.largest()));
}

StepReport Trapezoidal::attempt(double h) {
  const int nq = system_.nq, nv = system_.nv;
  free_velocities(h);
  contacts_.detect(h, h / 2, y1_.data() + nq);
  contacts_.to_world(y0_.data() + nq, world_before_);
  const bool touching = !contacts_.active().empty();
  if (touching) solve_contacts();
  contacts_.to_world(y1_.data() + nq, world_);
  // Work and losses at the mean velocity.
  for (int i = 0; i < nv; ++i) middle_[nq + i] = (y0_[nq + i] + y1_[nq + i]) / 2;
  formulation_.derivative(t_ + h / 2, middle_.data(), rate_.data());
  for (int i = nq + nv; i < system_.size(); ++i) y1_[i] += h * rate_[i];
  if (touching) y1_[nq + nv + 1] += contacts_.energy_taken(world_before_, world_);
  return finish(h, h / 2, t_ + h / 2, touching);
}

// y1: the velocities that joints and forces alone lead to, at the positions of the middle, where the system is placed.
void Trapezoidal::free_velocities(double h) {
  Dynamics& d = formulation_.dynamics();
  const int nq = system_.nq, nv = system_.nv;
  const double* const v0 = y0_.data() + nq;
  // Explicit dependence on time is taken from the middle.
  matrix_.accelerations(t_ + h / 2, y0_.data(), a_.data());
  matrix_.differentiate(t_ + h / 2, y0_.data(), a_.data());
  matrix_.multiply_position(v0, scratch_.data());
  for (int i = 0; i < nv; ++i) scratch_[i] = h * a_[i] + h * h / 2 * scratch_[i];

  middle_ = y0_;
  for (int i = 0; i < nv; ++i) move_[i] = h / 2 * v0[i];
  displace(system_, move_.data(), middle_.data());
  d.place(t_ + h / 2, middle_.data());
  if (system_.rows > 0) {
    // G (v0 + v1)/2 + g_t = 0
    d.linearise();
    d.constraints().multiply(v0, lambda_.data());
    d.constraints().drive(drive_.data());
    for (int i = 0; i < system_.rows; ++i) lambda_[i] = -2 * (lambda_[i] + drive_[i]);
  }
  matrix_.factor(h);
  matrix_.solve(scratch_.data(), lambda_.data());
  y1_ = middle_;
  for (int i = 0; i < nv; ++i) y1_[nq + i] = v0[i] + scratch_[i];
  formulation_.count(1 + 2 * nv);
}

void Trapezoidal::make_rows() {
  const Placement& at = formulation_.dynamics().placement();
  const auto& active = contacts_.active();
  rows_.resize(3 * active.size());
  responses_.clear();
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    SteppedContacts::Active& c = contacts_.active()[k / 3];
    const double* const axis = c.axes + 3 * (k % 3);
    Row& row = rows_[k];
    row.first = static_cast<int>(responses_.size());
    row.mechanisms[0] = matrix_.mechanism_of(c.to);
    row.mechanisms[1] = c.from >= 0 ? matrix_.mechanism_of(c.from) : -1;
    if (row.mechanisms[1] == row.mechanisms[0]) row.mechanisms[1] = -1;
    std::ranges::fill(scratch_, 0.0);
    for (int side = 0; side < 2; ++side) {
      const int body = side == 0 ? c.to : c.from;
      row.v[side] = -1;
      if (body < 0) continue;
      const SystemBody& b = system_.bodies[body];
      const double sign = side == 0 ? 1 : -1;
      row.v[side] = b.v;
      row.size[side] = b.kind == BodyKind::rigid ? 6 : 3;
      double turn[3];
      if (c.turns)
        kernel::copy(turn, axis);
      else
        kernel::cross(side == 0 ? c.arm_to : c.arm_from, axis, turn);
      if (b.kind == BodyKind::rigid) kernel::rotate_back(at.frames + 9 * b.frame, turn, turn);
      for (int i = 0; i < 3; ++i) {
        row.part[side][i] = c.turns ? 0 : sign * axis[i];
        scratch_[b.v + i] += row.part[side][i] / b.mass;
        if (b.kind != BodyKind::rigid) continue;
        row.part[side][3 + i] = sign * turn[i];
        scratch_[b.v + 3 + i] += sign * turn[i] / b.moments[i];
      }
    }
    for (int mechanism : row.mechanisms) {
      if (mechanism < 0) continue;
      matrix_.solve_in(mechanism, scratch_.data(), nullptr);
      for (int i : matrix_.velocities(mechanism)) responses_.push_back(scratch_[i]);
    }
    const double give = along(row, scratch_.data());
    c.stiffness[k % 3] = give > 0 ? 1 / give : 0;
  }
}

double Trapezoidal::along(const Row& row, const double* v) const {
  double sum = 0;
  for (int side = 0; side < 2; ++side)
    for (int i = 0; row.v[side] >= 0 && i < row.size[side]; ++i) sum += row.part[side][i] * v[row.v[side] + i];
  return sum;
}

void Trapezoidal::push(const Row& row, double amount, double* v) const {
  const double* w = responses_.data() + row.first;
  for (int mechanism : row.mechanisms) {
    if (mechanism < 0) continue;
    for (int i : matrix_.velocities(mechanism)) v[i] += amount * *w++;
  }
}

void Trapezoidal::solve_contacts() {
  double* const v = y1_.data() + system_.nq;
  make_rows();
  const auto push_on = [&](std::size_t k, const double* change) {
    for (std::size_t i = 0; i < 3; ++i)
      if (change[i] != 0) push(rows_[3 * k + i], change[i], v);
  };
  const auto velocity = [&](std::size_t k, double* u) {
    for (std::size_t i = 0; i < 3; ++i) u[i] = along(rows_[3 * k + i], v);
  };
  const auto& active = contacts_.active();
  for (std::size_t k = 0; k < active.size(); ++k) push_on(k, active[k].p);
  double fastest = 0;
  for (int i = 0; i < system_.nv; ++i) fastest = std::max(fastest, std::abs(v[i]));
  const int rounds = std::clamp(100000 / static_cast<int>(active.size()), 40, most_sweeps);
  for (int round = 0; round < rounds; ++round)
    if (contacts_.sweep(velocity, push_on) <= 1e-10 * fastest + 1e-13) break;
}

}  // namespace plumb
