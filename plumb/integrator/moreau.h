// Time stepping for many contacts, after Moreau and Jean: impacts are not located; velocities are found at the end of
// a step such that joints, contacts and friction all hold in the mean over it.
//   q_M = q0 + h/2 v0,   v1 = v0 + h M⁻¹ f(q_M, v_M) + M⁻¹ (Gᵀ lambda + Cᵀ p),   q1 = q_M + h/2 v1
//   0 <= p_n perpendicular to u_n+ - bound >= 0,   |p_t| <= mu p_n against u_t+
//   G v1 + g_t = 0
// J. J. Moreau, in Nonsmooth Mechanics and Applications, Springer 1988; M. Jean, Comput. Methods Appl. Mech. Engrg. 177
// (1999) 235-257. The bound is -e u_n- for contacts that strike within the step, else such that they close at its end
// and no further: contacts do not wait until they have been passed. Impulses are found contact by contact, starting
// from those of the last step, in turn with the joints; what is left of penetration is taken out of the positions,
// without a change of velocity.
#pragma once

#include <vector>

#include "plumb/contact/broad_phase.h"
#include "plumb/contact/touch.h"
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

  static constexpr int order = 2;  // between impacts; a step with an impact has order 1
  static constexpr int max_sweeps = 400;
  double deepest() const { return deepest_; }  // penetration left at the end of the last step, m
  int contacts() const { return static_cast<int>(active_.size()); }

 private:
  struct Active {
    std::int64_t key;  // which candidate or pair: impulses are carried over by it
    int from, to;      // bodies, -1: a surface
    double axes[9];    // normal, tangents; world
    double arm_from[3], arm_to[3];
    double stiffness[3];  // 1/(row P row): of the normal and of both tangents
    double gap, bound;    // u_n+ >= bound
    double friction;
    double p[3];
  };
  struct Mobility {  // of a body: 1/m and the inverse of the inertia in world axes
    double mass = 0;
    double inertia[9] = {};
  };

  void detect(double h);
  void add(std::int64_t key, const Candidate& c, double h);
  void carry_over();
  void solve_velocities();
  double sweep();
  double energy_taken();
  void push(const Active& c, const double* impulse, std::vector<double>& v) const;
  void relative(const Active& c, const std::vector<double>& v, double* u) const;
  double along(const Active& c, int axis, const std::vector<double>& v) const;
  void to_world();
  void from_world();
  void take_out_penetration(double h);

  Formulation& formulation_;
  const Model& model_;
  const System& system_;
  Candidates candidates_;
  BroadPhase broad_phase_;
  Projection projection_;
  std::vector<double> y0_, y1_, middle_, rate_, move_, world_, rows_, shift_, pseudo_;
  std::vector<Mobility> mobility_;
  std::vector<Active> active_, before_;
  std::vector<Candidate> features_;
  std::vector<std::vector<double>> centres_, radii_;  // per group
  double t_ = 0, h_ = 0, deepest_ = 0;
};

}  // namespace plumb
