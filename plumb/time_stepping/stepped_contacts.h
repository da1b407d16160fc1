// Contacts as time stepping sees them (integrator/moreau.h, integrator/trapezoidal.h): those that touch in the middle
// of a step or may before its end, each with a bound for its normal velocity at the end, and the impulses that keep it.
//   0 <= p_n perpendicular to u_n+ - bound >= 0,   |p_t| <= mu p_n against u_t+
// The bound is -e u_n- for contacts that strike within the step, else such that they close at its end and no further.
// Impulses are found contact by contact, starting from those of the last step.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "plumb/contact/contact_search.h"
#include "plumb/contact/impact.h"
#include "plumb/contact/touch.h"
#include "plumb/system/dynamics.h"
#include "plumb/time_stepping/broad_phase.h"

namespace plumb {

class SteppedContacts {
 public:
  struct Active {
    std::int64_t key;  // which pair or limit, and
    Part parts[2];     // which parts of it: impulses are carried over by them
    int contact;       // in System::contacts
    int from, to;      // bodies, -1: the ground
    int members[2];    // of the model: from, to
    bool is_exchanged;
    double axes[9];  // normal, tangents; world
    double arm_from[3], arm_to[3];
    double stiffness[3];  // 1/(row of the response to its own push): of the normal and of both tangents
    double gap, bound;    // u_n+ >= bound
    double friction;
    double approach;  // u_n-, if it strikes within the step; else 0
    bool turns;       // the limit of an angle: velocities and impulses are angular
    double p[3];
  };

  SteppedContacts(const Model& model, const System& system, Dynamics& dynamics);

  // The sides of rectangles on which mass points are, at the placed state.
  void note();
  // At the placed middle of a step; `closing`: the part of the step that is left from there. `end` are the velocities
  // expected at the end.
  void detect(double h, double closing, const double* end);
  std::vector<Active>& active() { return active_; }

  // Velocities of all bodies, linear and angular, in world axes, six each.
  void to_world(const double* v, std::vector<double>& world) const;
  void from_world(const std::vector<double>& world, double* v) const;
  void relative(const Active& c, const std::vector<double>& world, double* u) const;  // of `to` at the contact
  void push(const Active& c, const double* impulse, std::vector<double>& world) const;

  // One round over all contacts; the largest change of an impulse, as a velocity. `velocity(c, u)` tells the relative
  // velocity at a contact, `push(c, change)` passes on the change of its impulse, along its three axes.
  template <class Velocity, class Push>
  double sweep(Velocity&& velocity, Push&& push_on);

  // -1/2 p.(u- + u+) of all contacts.
  double energy_taken(const std::vector<double>& before, const std::vector<double>& after) const;
  // What is left of penetration is taken out of the positions y, without a change of velocity.
  void take_out_penetration(double closing, const std::vector<double>& after, double* y);
  // Ends the step from t to t + h: the forces, and the entries of what struck.
  void finish(double t, double h, const std::vector<double>& before, const std::vector<double>& after,
              double energy_before, double energy_after);
  const std::vector<Impact>& impacts() const { return impacts_; }
  bool any_strike() const;
  double deepest() const { return deepest_; }  // penetration left at the end of the last step, m

  Vec3 force(int contact) const { return Vec3(forces_.data() + 3 * contact); }
  // The least gap among those that touched or might have in the last step.
  double least_gap(int contact) const;
  const Scene& scene() const { return scene_; }
  const Facing& facing() const { return facing_; }

 private:
  struct Mobility {  // of a body: 1/m and the inverse of the inertia in world axes
    double mass = 0;
    double inertia[9] = {};
  };
  void add(std::int64_t key, const ContactPlace& place, double h, double closing);
  double radius_of_gyration(const End& end) const;
  void carry_over();
  double along(const Active& c, int axis, const std::vector<double>& world) const;

  const Model& model_;
  const System& system_;
  Dynamics& dynamics_;
  Scene scene_;
  ContactSearch search_;
  Facing facing_;
  BroadPhase broad_phase_;
  std::vector<Mobility> mobility_;
  std::vector<Active> active_, before_;
  std::vector<ContactPlace> places_;
  std::vector<std::vector<double>> centres_, reaches_;  // per group
  std::vector<double> shift_, pseudo_, move_, forces_;
  std::vector<Impact> impacts_;
  double deepest_ = 0;
};

inline void SteppedContacts::relative(const Active& c, const std::vector<double>& world, double* u) const {
  const double* to = world.data() + 6 * c.to;
  if (c.turns) {
    kernel::copy(u, to + 3);
    if (c.from >= 0) kernel::subtract(u, world.data() + 6 * c.from + 3);
    return;
  }
  kernel::cross(to + 3, c.arm_to, u);
  kernel::add(u, to);
  if (c.from < 0) return;
  double turn[3];
  const double* from = world.data() + 6 * c.from;
  kernel::cross(from + 3, c.arm_from, turn);
  kernel::subtract(u, turn);
  kernel::subtract(u, from);
}

inline void SteppedContacts::push(const Active& c, const double* impulse, std::vector<double>& world) const {
  double turn[3], w[3];
  double* to = world.data() + 6 * c.to;
  if (c.turns) {
    kernel::rotate(mobility_[c.to].inertia, impulse, w);
    kernel::add(to + 3, w);
    if (c.from < 0) return;
    kernel::rotate(mobility_[c.from].inertia, impulse, w);
    return kernel::subtract(world.data() + 6 * c.from + 3, w);
  }
  kernel::add_scaled(to, mobility_[c.to].mass, impulse);
  kernel::cross(c.arm_to, impulse, turn);
  kernel::rotate(mobility_[c.to].inertia, turn, w);
  kernel::add(to + 3, w);
  if (c.from < 0) return;
  double* from = world.data() + 6 * c.from;
  kernel::add_scaled(from, -mobility_[c.from].mass, impulse);
  kernel::cross(c.arm_from, impulse, turn);
  kernel::rotate(mobility_[c.from].inertia, turn, w);
  kernel::subtract(from + 3, w);
}

template <class Velocity, class Push>
double SteppedContacts::sweep(Velocity&& velocity, Push&& push_on) {
  double most = 0;
  for (std::size_t k = 0; k < active_.size(); ++k) {
    Active& c = active_[k];
    double u[3], change[3] = {0, 0, 0};
    velocity(k, u);
    const double normal = std::max(0.0, c.p[0] - (u[0] - c.bound) * c.stiffness[0]);
    if (normal == 0 && c.p[0] == 0) continue;
    change[0] = normal - c.p[0];
    if (c.friction > 0) {
      double t[2];
      for (int i = 0; i < 2; ++i) t[i] = c.p[1 + i] - u[1 + i] * c.stiffness[1 + i];
      const double square = t[0] * t[0] + t[1] * t[1], cone = c.friction * normal;
      const double scale = square > cone * cone ? cone / std::sqrt(square) : 1;
      for (int i = 0; i < 2; ++i) change[1 + i] = t[i] * scale - c.p[1 + i];
    }
    if (change[0] == 0 && change[1] == 0 && change[2] == 0) continue;
    for (int i = 0; i < 3; ++i) {
      most = std::max(most, std::abs(change[i]) / c.stiffness[i]);
      c.p[i] += change[i];
    }
    push_on(k, change);
  }
  return most;
}

}  // namespace plumb
