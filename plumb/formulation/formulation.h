// How constraints are kept. All three solve the index-1 equations
//   v' = M⁻¹ (f + Gᵀ lambda),   G v' + gamma = 0
// and differ in what they do about g and g', which these equations leave to themselves:
//   index1     nothing: the constraints drift (shown, not recommended)
//   baumgarte  g'' + 2 alpha g' + beta² g = 0 instead; alpha = beta = omega is (d/dt + omega)² g = 0
//   projected  after every step the state is moved back onto g = 0 and g' = 0
// To what the joints make of the forces the forces of closed contacts are added, which answer all the rest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plumb/integrator/problem.h"
#include "plumb/system/dynamics.h"
#include "plumb/system/projection.h"

namespace plumb {

class ContactForces;

struct FormulationInfo {
  std::string_view name;
  std::string_view description;
};
const std::vector<FormulationInfo>& formulations();

class Formulation final : public Problem {
 public:
  enum class Kind { index1, baumgarte, projected };

  // `contacts`, of the same dynamics, may be null.
  Formulation(Dynamics& dynamics, ContactForces* contacts, Kind kind, Stabilisation stabilisation)
      : dynamics_(dynamics),
        contacts_(contacts),
        kind_(kind),
        stabilisation_(kind == Kind::baumgarte ? stabilisation : Stabilisation{}),
        projection_(dynamics) {}

  Dynamics& dynamics() { return dynamics_; }
  Kind kind() const { return kind_; }
  const Stabilisation& stabilisation() const { return stabilisation_; }

  int size() const override { return dynamics_.system().size(); }
  int controlled() const override { return dynamics_.system().nq + dynamics_.system().nv; }
  void derivative(double t, const double* y, double* rate) override {
    ++evaluations_;
    dynamics_.derivative(t, y, stabilisation_, rate);
    if (contacts_) add_contacts(y, rate);
  }

  // Ends a step: quaternions to unit length and, if projected, back onto the constraints.
  StepReport settle(double t, double* y) override;

  long evaluations() const { return evaluations_; }
  void count(long more) { evaluations_ += more; }

 private:
  void add_contacts(const double* y, double* rate);

  Dynamics& dynamics_;
  ContactForces* contacts_;
  Kind kind_;
  Stabilisation stabilisation_;
  Projection projection_;
  long evaluations_ = 0;
};

}  // namespace plumb
