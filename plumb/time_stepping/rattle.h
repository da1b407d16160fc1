// RATTLE: symplectic, time-reversible, order 2, exact on the constraints in positions and velocities.
// H. C. Andersen, J. Comput. Phys. 52 (1983) 24-34; rigid bodies by the splitting of A. Dullweber,
// B. Leimkuhler, R. McLachlan, J. Chem. Phys. 107 (1997) 5840-5851.
//
//   v+ = v0 + h/2 M⁻¹ f(q0) + M⁻¹ G(q0)ᵀ mu   with mu such that g(q1) = 0
//   q1 = drift of q0 by h: straight lines, and rotations about the principal axes in the order x y z y x,
//        each the exact flow of its own kinetic energy, so that R stays in SO(3) and the angular momentum
//        of a free body keeps its length
//   v1 = v+ + h/2 M⁻¹ f(q1) + M⁻¹ G(q1)ᵀ nu   with nu such that G(q1) v1 + g_t = 0
//
// Forces that depend on velocity are taken at v0 in the first half and at v1, by iteration, in the second.
#pragma once

#include <memory>
#include <vector>

#include "plumb/formulation/formulation.h"
#include "plumb/integrator/integrator.h"

namespace plumb {

class Rattle : public Integrator {
 public:
  explicit Rattle(Formulation& formulation);

  void begin(double t, const double* y) override;
  StepReport attempt(double h) override;
  double error(double) override { return 0; }
  double initial_step(double) override { return 0; }
  void complete() override {}
  void interpolate(double theta, double* y) override;
  void advance(double t) override;
  double time() const override { return t_; }
  const double* state() const override { return y0_.data(); }
  const double* result() const override { return y1_.data(); }

  static constexpr int order = 2;

 private:
  void drift(double h);                  // (q0, v+) -> (q1, v-) in y1_
  StepReport close_positions(double h);  // mu
  void close_velocities(double h);       // nu, and the second half of the forces
  void need_rate0();
  void need_rate1();

  Formulation& formulation_;
  const System& system_;
  std::unique_ptr<Dynamics> start_, end_;  // of the step: each keeps its own G and S; exchanged by advance
  bool start_factored_ = false;
  bool velocity_forces_;
  std::vector<double> y0_, y1_, half_, a0_, a1_, g_, previous_, rate0_, rate1_;
  double t_ = 0, h_ = 0;
  bool has_rate0_ = false, has_rate1_ = false;
};

}  // namespace plumb
