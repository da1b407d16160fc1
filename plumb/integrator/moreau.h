// Time stepping for many contacts, after Moreau and Jean: impacts are not located; velocities are found at the end of
// a step such that joints, contacts and friction all hold in the mean over it. With theta between 1/2 and 1
//   q_M = q0 + (1 - theta) h v0,   v1 = v0 + h M⁻¹ f(q_M, v_M) + M⁻¹ (Gᵀ lambda + Cᵀ p),   q1 = q_M + theta h v1
//   G v1 + g_t = 0,   contacts as in contact/stepped_contacts.h
// J. J. Moreau, in Nonsmooth Mechanics and Applications, Springer 1988; M. Jean, Comput. Methods Appl. Mech. Engrg. 177
// (1999) 235-257. Order two between impacts with theta = 1/2; a larger theta damps.
#pragma once

#include <vector>

#include "plumb/contact/stepped_contacts.h"
#include "plumb/formulation/formulation.h"
#include "plumb/integrator/integrator.h"
#include "plumb/model/model.h"

namespace plumb {

class Moreau : public Integrator {
 public:
  Moreau(Formulation& formulation, const Model& model);

  void begin(double t, const double* y) override;
  ProjectionReport attempt(double h) override;
  double error(double) override { return 0; }
  double initial_step(double) override { return 0; }
  void complete() override {}
  void interpolate(double theta, double* y) override;
  void advance(double t) override;
  double time() const override { return t_; }
  const double* state() const override { return y0_.data(); }
  const double* result() const override { return y1_.data(); }
  SteppedContacts* contacts() override { return &contacts_; }

  static constexpr int order = 2;  // between impacts; a step with an impact has order 1

 private:
  void solve_velocities();

  Formulation& formulation_;
  const System& system_;
  double theta_;
  SteppedContacts contacts_;
  Projection projection_;
  std::vector<double> y0_, y1_, middle_, rate_, move_, rows_, drive_;
  std::vector<double> world_, world_before_;
  double t_ = 0;
};

}  // namespace plumb
