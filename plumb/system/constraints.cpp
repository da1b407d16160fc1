#include "plumb/system/constraints.h"

#include "plumb/system/coupler_group.h"

namespace plumb {

Constraints::Constraints(const System& system, const Placement& at, double* frames, const InverseMass& inverse_mass)
    : system_(system),
      linear_(3 * (system.rows + system.coupler_blocks), 0.0),
      angular_(6 * system.rows + 3 * system.coupler_blocks, 0.0),
      work_{at, inverse_mass, {linear_.data(), angular_.data()}, frames} {
  const auto sort = [&](const auto& parts) {
    auto alone = parts, coupled = parts;
    std::erase_if(alone, [&](const auto& p) { return !system.joints[p.place.joint].alone; });
    std::erase_if(coupled, [&](const auto& p) { return system.joints[p.place.joint].alone; });
    make_groups(work_, alone, alone_);
    make_groups(work_, coupled, coupled_);
  };
  system.parts.for_each_kind(sort);
  if (!system.parts.couplers.empty()) coupled_.push_back(std::make_unique<CouplerGroup>(work_, system.parts.couplers));
  for (const CoincidentPoints& p : system.parts.coincident_points)
    for (int r = 0; r < 3; ++r) linear_[p.place.linear + 4 * r] = 1;
}

void Constraints::wrench(const SystemJoint& j, const Attachment& a, const double* lambda, double* force,
                         double* torque) const {
  for (int i = 0; i < 3; ++i) force[i] = torque[i] = 0;
  for (int r = 0; r < j.rows; ++r) {
    kernel::add_scaled(force, a.sign * lambda[j.row + r], linear_.data() + a.linear + 3 * r);
    kernel::add_scaled(torque, lambda[j.row + r], angular_.data() + a.angular + 3 * r);
  }
}

}  // namespace plumb
