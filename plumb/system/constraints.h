// The constraints of a system at work: g, its Jacobian G = dg/dv, and the products everything is built from.
#pragma once

#include <memory>
#include <vector>

#include "plumb/system/inverse_mass.h"
#include "plumb/system/part_group.h"
#include "plumb/system/system.h"

namespace plumb {

class Constraints {
 public:
  Constraints(const System& system, const InverseMass& inverse_mass);

  void residual(const Placement& at, double* g) const;                    // g
  void update(const Placement& at);                                       // G
  void update(const Placement& at, const double* a, double* out);         // G, and out = G a + gamma
  void multiply(const double* v, double* out) const;                      // out = G v
  void push(const double* lambda, double* a) const;                       // a += M⁻¹ Gᵀ lambda
  void drive(const Placement& at, double* g_t) const;                     // g_t
  // Force (world axes) and torque about the mass centre (body axes) that `lambda` exerts on the joint's `to`.
  void reaction(int joint, const double* lambda, double* force, double* torque) const;

  const double* linear() const { return linear_.data(); }
  const double* angular() const { return angular_.data(); }

 private:
  const System& system_;
  const InverseMass& inverse_mass_;
  std::vector<std::unique_ptr<PartGroup>> groups_;
  std::vector<double> linear_;   // 3 per row
  std::vector<double> angular_;  // per joint: A_from (rows x 3), A_to (rows x 3)
  Jacobian blocks_;
};

}  // namespace plumb
