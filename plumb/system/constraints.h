// The constraints of a system at work: g, its Jacobian G = dg/dv, and the products everything is built from.
//
// Joints that stand alone (sharing no body with another) solve for their own multipliers; the others are
// coupled and need the matrix S (normal_matrix.h).
#pragma once

#include <memory>
#include <vector>

#include "plumb/system/inverse_mass.h"
#include "plumb/system/part_group.h"
#include "plumb/system/system.h"

namespace plumb {

class Constraints {
 public:
  // Reads `at` and `inverse_mass` whenever it is asked: both must stay where they are. `frames` are the rotation
  // matrices of `at`.
  Constraints(const System& system, const Placement& at, double* frames, const InverseMass& inverse_mass);
  Constraints(const Constraints&) = delete;

  void residual(double* g) const {
    for_each([&](const PartGroup& group) { group.residual(g); });
  }
  void linearise(double* g) {  // G and g
    for_each([&](const PartGroup& group) { group.linearise(g); });
  }
  void update(const double* a, double* out) {  // also out = G a + gamma
    for_each([&](const PartGroup& group) { group.update(a, out); });
  }
  void multiply(const double* v, double* out) const {
    for_each([&](const PartGroup& group) { group.multiply(v, out); });
  }
  void push(const double* lambda, double* a) const {  // a += M⁻¹ Gᵀ lambda
    for_each([&](const PartGroup& group) { group.push(lambda, a); });
  }
  void drive(double* g_t) const {
    for_each([&](const PartGroup& group) { group.drive(g_t); });
  }

  bool all_alone() const { return coupled_.empty(); }
  // Joints that stand alone: x <- S⁻¹ x; and G, lambda and the accelerations it causes, all at once.
  void solve_alone(double* x) const {
    for (const auto& group : alone_) group->solve_alone(x);
  }
  void accelerate_alone(double* lambda, double* a) {
    for (const auto& group : alone_) group->accelerate_alone(lambda, a);
  }
  double project_alone(double* y, double target) {
    double worst = 0;
    for (const auto& group : alone_) worst = std::max(worst, group->project_alone(y, target));
    return worst;
  }
  // The others.
  void update_coupled(const double* a, double* out) {
    for (const auto& group : coupled_) group->update(a, out);
  }
  void push_coupled(const double* lambda, double* a) const {
    for (const auto& group : coupled_) group->push(lambda, a);
  }

  // What `lambda` does to one of the bodies the joint holds: force (world axes) and torque about its mass centre
  // (principal axes).
  void wrench(const SystemJoint& joint, const Attachment& body, const double* lambda, double* force,
              double* torque) const;

  const double* linear() const { return linear_.data(); }
  const double* angular() const { return angular_.data(); }

 private:
  template <class F>
  void for_each(F&& f) const {
    for (const auto& group : alone_) f(*group);
    for (const auto& group : coupled_) f(*group);
  }

  const System& system_;
  std::vector<double> linear_;   // 3 per row
  std::vector<double> angular_;  // per joint: A_from (rows x 3), A_to (rows x 3)
  Workplace work_;
  std::vector<std::unique_ptr<PartGroup>> alone_, coupled_;
};

}  // namespace plumb
