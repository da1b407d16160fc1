// Time stepping for many contacts, after Moreau and Jean: impacts are not located; velocities are found at the end of
// a step such that joints, contacts and friction all hold in the mean over it. With theta between 1/2 and 1
//   q_M = q0 + (1 - theta) h v0,   v1 = v0 + h M⁻¹ f(q_M, v_M) + M⁻¹ (Gᵀ lambda + Cᵀ p),   q1 = q_M + theta h v1
//   G v1 + g_t = 0,   contacts as in stepped_contacts.h
// J. J. Moreau, in Nonsmooth Mechanics and Applications, Springer 1988; M. Jean, Comput. Methods Appl. Mech. Engrg. 177
// (1999) 235-257. Order two between impacts with theta = 1/2; a larger theta damps.
#pragma once

#include <vector>

#include "plumb/time_stepping/time_stepping.h"

namespace plumb {

class Moreau final : public TimeStepping {
 public:
  Moreau(Formulation& formulation, const Model& model);
  StepReport attempt(double h) override;

 private:
  void solve_velocities();

  double theta_;
  std::vector<double> rows_;
};

}  // namespace plumb
