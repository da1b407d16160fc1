// The linearly implicit trapezoidal method for mechanisms with contacts and stiff forces:
//   M (v1 - v0) = h (f0 + f1)/2 + Gᵀ lambda + Cᵀ p,   q1 = q0 + h (v0 + v1)/2
// with f1 linearised about the start of the step, so that one linear system gives the velocities,
//   (I - h/2 A_v - h²/4 A_q) (v1 - v0) = h a0 + h²/2 A_q v0 + M⁻¹ (Gᵀ lambda + Cᵀ p),
// and joints and contacts in the middle of the step. Order two between impacts; stable for any stiffness and damping.
// F. A. Potra, M. Anitescu, B. Gavrea, J. Trinkle, Int. J. Numer. Meth. Engng 66 (2006) 1079-1124; contacts as in
// stepped_contacts.h.
#pragma once

#include <vector>

#include "plumb/time_stepping/implicit_matrix.h"
#include "plumb/time_stepping/time_stepping.h"

namespace plumb {

class Trapezoidal final : public TimeStepping {
 public:
  Trapezoidal(Formulation& formulation, const Model& model);
  StepReport attempt(double h) override;

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

  ImplicitMatrix matrix_;
  std::vector<double> a_, lambda_, scratch_;
  std::vector<Row> rows_;
  std::vector<double> responses_;
};

}  // namespace plumb
