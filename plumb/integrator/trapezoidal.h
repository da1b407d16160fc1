// The linearly implicit trapezoidal method for mechanisms with contacts and stiff forces:
//   M (v1 - v0) = h (f0 + f1)/2 + Gᵀ lambda + Cᵀ p,   q1 = q0 + h (v0 + v1)/2
// with f1 linearised about the start of the step, so that one linear system gives the velocities,
//   (I - h/2 A_v - h²/4 A_q) (v1 - v0) = h a0 + h²/2 A_q v0 + M⁻¹ (Gᵀ lambda + Cᵀ p),
// and joints and contacts in the middle of the step. Order two between impacts; stable for any stiffness and damping.
// F. A. Potra, M. Anitescu, B. Gavrea, J. Trinkle, Int. J. Numer. Meth. Engng 66 (2006) 1079-1124; contacts as in
// contact/stepped_contacts.h.
#pragma once

#include <vector>

#include "plumb/contact/stepped_contacts.h"
#include "plumb/formulation/formulation.h"
#include "plumb/integrator/implicit_matrix.h"
#include "plumb/integrator/integrator.h"

namespace plumb {

class Trapezoidal : public Integrator {
 public:
  Trapezoidal(Formulation& formulation, const Model& model);

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

  static constexpr int order = 2;

 private:
  struct Row {    // a contact's axis: what its velocity is made of, and what a push along it does
    int v[2];     // first velocity of `to` and `from`; -1: none
    int size[2];  // 3 or 6 components
    double part[2][6];
    int first, mechanisms[2];  // responses: place in responses_, mechanisms moved
  };
  void free_velocities(double h);
  void make_rows();
  double along(const Row& row, const double* v) const;
  void push(const Row& row, double amount, double* v) const;
  void solve_contacts();

  Formulation& formulation_;
  const System& system_;
  SteppedContacts contacts_;
  ImplicitMatrix matrix_;
  Projection projection_;
  std::vector<double> y0_, y1_, middle_, rate_, move_, a_, lambda_, drive_, scratch_;
  std::vector<Row> rows_;
  std::vector<double> responses_;
  std::vector<double> world_, world_before_;
  double t_ = 0;
};

}  // namespace plumb
