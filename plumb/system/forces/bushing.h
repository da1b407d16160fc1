// An elastic joint: stiffness and damping in all six directions between two bodies.
//
// In axes carried by `from`, world axes at the start, x = (delta, phi): the place of the anchor of `to` seen from that
// of `from` and the rotation vector of `to` against `from`, both from the start. The potential ½ xᵀ K x gives
//   force on `to` at its anchor  f = -(K x)_delta,    torque  -(J⁻ᵀ) (K x)_phi,   phi' = J⁻¹(phi) w_rel
// and the damping -C (delta', w_rel). The same wrench, reversed, acts on `from` at the same point.
#pragma once

#include <Eigen/Core>

#include "plumb/spatial/rotation.h"
#include "plumb/system/end.h"

namespace plumb {

struct Bushing {
  using Matrix6 = Eigen::Matrix<double, 6, 6>;
  End from, to;
  Mat3 axes_from = Mat3::Identity(), axes_to = Mat3::Identity();  // the bushing's axes in those of the bodies
  Vec3 start = Vec3::Zero();                                      // delta at the start
  Matrix6 stiffness = Matrix6::Zero(), damping = Matrix6::Zero();

  struct Deflection {
    Mat3 R;  // bushing axes to world
    Vec3 delta, delta_rate, phi, spin;
    Mat3 inverse_jacobian;  // J⁻¹(phi)
  };
  Deflection look(const Placement& at) const;
  double potential(const Placement& at) const;
};

}  // namespace plumb
