#include "plumb/system/constraints.h"

namespace plumb {

Constraints::Constraints(const System& system, const Placement& at, double* frames, const InverseMass& inverse_mass)
    : system_(system),
      linear_(3 * system.rows, 0.0),
      angular_(6 * system.rows, 0.0),
      work_{at, inverse_mass, {linear_.data(), angular_.data()}, frames} {
  const auto sort = [&](const auto& parts) {
    auto alone = parts, coupled = parts;
    std::erase_if(alone, [&](const auto& p) { return !system.joints[p.place.joint].alone; });
    std::erase_if(coupled, [&](const auto& p) { return system.joints[p.place.joint].alone; });
    make_groups(work_, alone, alone_);
    make_groups(work_, coupled, coupled_);
  };
  sort(system.parts.coincident_points);
  sort(system.parts.distances);
  sort(system.parts.perpendicular_axes);
  sort(system.parts.parallel_axes);
  sort(system.parts.points_in_plane);
  sort(system.parts.driven_angles);
  for (const CoincidentPoints& p : system.parts.coincident_points)
    for (int r = 0; r < 3; ++r) linear_[p.place.linear + 4 * r] = 1;
}

void Constraints::reaction(int joint, const double* lambda, double* force, double* torque_from,
                           double* torque_to) const {
  const SystemJoint& j = system_.joints[joint];
  for (int i = 0; i < 3; ++i) force[i] = torque_from[i] = torque_to[i] = 0;
  for (int r = 0; r < j.rows; ++r) {
    kernel::add_scaled(force, lambda[j.row + r], linear_.data() + j.linear_block() + 3 * r);
    kernel::add_scaled(torque_from, lambda[j.row + r], angular_.data() + j.from_block() + 3 * r);
    kernel::add_scaled(torque_to, lambda[j.row + r], angular_.data() + j.to_block() + 3 * r);
  }
}

}  // namespace plumb
