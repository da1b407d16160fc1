#include "plumb/system/constraint_jacobian.h"

#include "plumb/solver/ldl_kernels.h"

namespace plumb {

ConstraintJacobian::ConstraintJacobian(const System& system, const InverseMass& inverse_mass)
    : system_(system), inverse_mass_(inverse_mass), linear_(3 * system.rows, 0.0), angular_(6 * system.rows, 0.0) {
  for (const SystemJoint& j : system.joints) {
    const bool coincident = j.linear == SystemJoint::Linear::coincident;
    passes_.push_back(
        {j.row, j.rows, coincident, j.from.kind, j.to.kind, j.from.v, j.to.v, j.from.body, j.to.body});
    if (coincident)
      for (int r = 0; r < 3; ++r) linear_[3 * (j.row + r) + r] = 1;
  }
}

void ConstraintJacobian::update(const Placement& at) {
  const Jacobian J{linear_.data(), angular_.data()};
  system_.parts.for_each_kind([&](const auto& parts) {
    for (const auto& part : parts) part.jacobian(at, J);
  });
}

void ConstraintJacobian::multiply(const double* v, double* out) const {
  for (const Pass& p : passes_)
    with_block_size(p.rows, [&](auto m) {
      constexpr int M = m();
      double d[3] = {0, 0, 0}, y[M];
      if (p.to != BodyKind::ground) kernel::copy(d, v + p.to_v);
      if (p.from != BodyKind::ground) kernel::subtract(d, v + p.from_v);
      if (p.coincident)
        for (int r = 0; r < M; ++r) y[r] = r < 3 ? d[r] : 0;
      else
        for (int r = 0; r < M; ++r) y[r] = kernel::dot(linear_.data() + 3 * (p.row + r), d);
      const double* const A = angular_.data() + 6 * p.row;
      if (p.from == BodyKind::rigid)
        for (int r = 0; r < M; ++r) y[r] += kernel::dot(A + 3 * r, v + p.from_v + 3);
      if (p.to == BodyKind::rigid)
        for (int r = 0; r < M; ++r) y[r] += kernel::dot(A + 3 * (M + r), v + p.to_v + 3);
      for (int r = 0; r < M; ++r) out[p.row + r] = y[r];
    });
}

void ConstraintJacobian::accelerate(const double* lambda, double* a) const {
  for (const Pass& p : passes_)
    with_block_size(p.rows, [&](auto m) {
      constexpr int M = m();
      const double* const l = lambda + p.row;
      double force[3] = {0, 0, 0};
      if (p.coincident) kernel::copy(force, l);
      else
        for (int r = 0; r < M; ++r) kernel::add_scaled(force, l[r], linear_.data() + 3 * (p.row + r));
      const double* const A = angular_.data() + 6 * p.row;
      const auto push = [&](BodyKind kind, int body, double* at, double sign, const double* B) {
        if (kind == BodyKind::ground) return;
        kernel::add_scaled(at, sign * inverse_mass_.mass(body), force);
        if (kind == BodyKind::point) return;
        double torque[3] = {0, 0, 0};
        for (int r = 0; r < M; ++r) kernel::add_scaled(torque, l[r], B + 3 * r);
        for (int i = 0; i < 3; ++i) at[3 + i] += inverse_mass_.moments(body)[i] * torque[i];
      };
      push(p.from, p.from_body, a + p.from_v, -1, A);
      push(p.to, p.to_body, a + p.to_v, 1, A + 3 * M);
    });
}

void ConstraintJacobian::reaction(int joint, const double* lambda, double* force, double* torque) const {
  const SystemJoint& j = system_.joints[joint];
  for (int i = 0; i < 3; ++i) force[i] = torque[i] = 0;
  for (int r = 0; r < j.rows; ++r) {
    kernel::add_scaled(force, lambda[j.row + r], linear_.data() + j.linear_block() + 3 * r);
    kernel::add_scaled(torque, lambda[j.row + r], angular_.data() + j.to_block() + 3 * r);
  }
}

}  // namespace plumb
