#include "plumb/system/constraints.h"

namespace plumb {

Constraints::Constraints(const System& system, const InverseMass& inverse_mass)
    : system_(system), inverse_mass_(inverse_mass), linear_(3 * system.rows, 0.0), angular_(6 * system.rows, 0.0) {
  blocks_ = {linear_.data(), angular_.data()};
  make_groups(system.parts.coincident_points, groups_);
  make_groups(system.parts.distances, groups_);
  make_groups(system.parts.perpendicular_axes, groups_);
  make_groups(system.parts.points_in_plane, groups_);
  make_groups(system.parts.driven_angles, groups_);
  for (const CoincidentPoints& p : system.parts.coincident_points)
    for (int r = 0; r < 3; ++r) linear_[p.place.linear + 4 * r] = 1;
}

void Constraints::residual(const Placement& at, double* g) const {
  for (const auto& group : groups_) group->residual(at, g);
}

void Constraints::update(const Placement& at) {
  for (const auto& group : groups_) group->update(at, blocks_);
}

void Constraints::update(const Placement& at, const double* a, double* out) {
  for (const auto& group : groups_) group->update(at, blocks_, a, out);
}

void Constraints::multiply(const double* v, double* out) const {
  for (const auto& group : groups_) group->multiply(blocks_, v, out);
}

void Constraints::push(const double* lambda, double* a) const {
  for (const auto& group : groups_) group->push(blocks_, inverse_mass_, lambda, a);
}

void Constraints::drive(const Placement& at, double* g_t) const {
  for (const auto& group : groups_) group->drive(at, blocks_, g_t);
}

void Constraints::reaction(int joint, const double* lambda, double* force, double* torque) const {
  const SystemJoint& j = system_.joints[joint];
  for (int i = 0; i < 3; ++i) force[i] = torque[i] = 0;
  for (int r = 0; r < j.rows; ++r) {
    kernel::add_scaled(force, lambda[j.row + r], linear_.data() + j.linear_block() + 3 * r);
    kernel::add_scaled(torque, lambda[j.row + r], angular_.data() + j.to_block() + 3 * r);
  }
}

}  // namespace plumb
