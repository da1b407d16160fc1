// One place where a mechanism is evaluated: dynamics, forces of closed contacts, formulation, with working memory of
// their own. A run has several, so that whoever looks or tries disturbs nobody.
#pragma once

#include <optional>

#include "plumb/contact/contact_forces.h"
#include "plumb/formulation/formulation.h"

namespace plumb {

struct Evaluation {
  // `scene` and `closed` are null without located contacts.
  Evaluation(const System& system, const Scene* scene, const std::vector<ClosedContact>* closed, Formulation::Kind kind,
             const Stabilisation& stabilisation)
      : dynamics(system), formulation(dynamics, make_forces(scene, closed), kind, stabilisation) {}

  Evaluation(const Evaluation&) = delete;

  Dynamics dynamics;
  std::optional<ContactForces> forces;
  Formulation formulation;

  // What the unwound angles of joints and the places on curves are, from the state just accepted.
  void keep_turns(double t, const double* y) {
    dynamics.place(t, y);
    dynamics.keep_turns();
  }

 private:
  ContactForces* make_forces(const Scene* scene, const std::vector<ClosedContact>* closed) {
    return scene ? &forces.emplace(*scene, dynamics, *closed) : nullptr;
  }
};

}  // namespace plumb
