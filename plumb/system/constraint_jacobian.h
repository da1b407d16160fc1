// G = dg/dv of all joints, and the two products everything is built from: G v and M⁻¹ Gᵀ lambda.
#pragma once

#include <vector>

#include "plumb/system/inverse_mass.h"
#include "plumb/system/system.h"

namespace plumb {

class ConstraintJacobian {
 public:
  ConstraintJacobian(const System& system, const InverseMass& inverse_mass);

  void update(const Placement& at);
  void multiply(const double* v, double* out) const;              // out = G v
  void accelerate(const double* lambda, double* a) const;         // a += M⁻¹ Gᵀ lambda
  // Force (world axes) and torque about the mass centre (body axes) that `lambda` exerts on the joint's `to`.
  void reaction(int joint, const double* lambda, double* force, double* torque) const;

  const double* linear() const { return linear_.data(); }
  const double* angular() const { return angular_.data(); }

 private:
  struct Pass {  // what the products need of a joint, close together
    int row, rows;
    bool coincident;
    BodyKind from, to;
    int from_v, to_v, from_body, to_body;
  };

  const System& system_;
  const InverseMass& inverse_mass_;
  std::vector<Pass> passes_;
  std::vector<double> linear_;   // 3 per row
  std::vector<double> angular_;  // per joint: A_from (rows x 3), A_to (rows x 3)
};

}  // namespace plumb
