// Evaluates a System: positions, constraints, accelerations, multipliers, energies. Owns all the working
// memory, so that nothing is allocated after construction; one Dynamics per thread.
//
//   S lambda = -(gamma + G M⁻¹ f),   v' = M⁻¹ (f + Gᵀ lambda),   S = G M⁻¹ Gᵀ
#pragma once

#include <vector>

#include "plumb/system/constraints.h"
#include "plumb/system/energy.h"
#include "plumb/system/inverse_mass.h"
#include "plumb/system/normal_matrix.h"
#include "plumb/system/system.h"

namespace plumb {

// Adds 2 alpha g' + beta² g to the acceleration constraint (Baumgarte); zeros leave it bare.
struct Stabilisation {
  double alpha = 0, beta = 0;
  bool is_active() const { return alpha != 0 || beta != 0; }
};

class Dynamics {
 public:
  explicit Dynamics(const System& system);
  Dynamics(const Dynamics&) = delete;

  const System& system() const { return system_; }

  // y' at (t, y) without contacts; the multipliers are kept.
  void derivative(double t, const double* y, const Stabilisation& stabilisation, double* rate);
  // What else acts at the state just evaluated (contacts): accelerations, the multipliers of joints that hold against
  // it, the power it takes out. With the joints' work for it all is entered into y'.
  void add_load(const double* acceleration, const double* multipliers, double power_lost, double* rate);

  // Step by step: place the system at (t, y), then ask. `y` must stay where it is meanwhile.
  void place(double t, const double* y);
  const Placement& placement() const { return at_; }
  void residual(double* g) const { constraints_.residual(g); }  // g(t, q)
  void linearise(double* g) { constraints_.linearise(g); }      // G at this place, and g
  void linearise() { constraints_.linearise(g_.data()); }       // G
  void rate_residual(double* rates);                            // G v + g_t
  void factor() { normal_.factor(); }                           // S at this place
  void solve(double* x) { normal_.solve(x); }
  void push(const double* lambda, double* v) const { constraints_.push(lambda, v); }  // v += M⁻¹ Gᵀ lambda
  // Moves the placed state y onto the constraints of joints that stand alone; see PartGroup.
  double project_alone(double* y, double target) { return constraints_.project_alone(y, target); }
  void force_accelerations(double* a);                       // M⁻¹ f without constraint forces and gyroscopic terms
  void acceleration_residual(const double* a, double* out);  // G a + gamma

  // Inputs that switch (expression/switching.h): with modes given they are held, without they are as they are. The
  // memory must stay where it is.
  void hold_switches(const double* modes) { modes_ = modes; }
  void live_modes(double t, const double* y, double* modes);
  void indicators(double t, const double* y, const double* modes, double* z);
  void change_mode(double t, const double* y, int passed, double* modes);

  void expect_redundancy() { normal_.expect_redundancy(); }
  bool is_regular() const { return normal_.is_regular(); }
  bool is_dense() const { return normal_.is_dense(); }
  bool all_alone() const { return constraints_.all_alone(); }  // S needs no factorisation
  const Constraints& constraints() const { return constraints_; }
  const double* multipliers() const { return lambda_.data(); }
  InverseMass& inverse_mass() { return inverse_mass_; }

  // After `derivative` at this state. The reaction is on `to`, in world axes, its moment about the anchor of `to`.
  void reaction(int joint, double* force, double* moment) const { reaction_of(lambda_.data(), joint, force, moment); }
  void reaction_of(const double* lambda, int joint, double* force, double* moment) const;  // of any multipliers

  // Force and torque about its mass centre, world axes, that the joint exerts on any body it holds.
  void joint_load(int joint, int body, double* force, double* torque) const;
  Energy energy(const double* y);
  Vec3 momentum(const double* y) const;
  Vec3 angular_momentum(const double* y);  // about the origin
  double channel(const Channel& c) const;  // channels of motion at the placed state

  // Unwound angle of angle measure i: counted on from the last state given to `keep_turns`.
  double joint_angle(int measure) const;
  void keep_turns();  // at the placed state
  const std::vector<double>& turns() const { return turns_; }
  const std::vector<double>& curve_parameters() const { return curve_parameters_; }
  // Takes over what another evaluation of the same run remembers: unwound angles, places on curves, modes of inputs.
  void remember_as(const Dynamics& other) {
    modes_ = other.modes_;
    turns_ = other.turns_;
    curve_parameters_ = other.curve_parameters_;
    at_.turns = turns_.data();
    at_.curve_parameters = curve_parameters_.data();
  }

 private:
  void set_time(double t) {
    time_ = t;
    if (!system_.drivers.empty()) evaluate_drivers(t);
  }
  void evaluate_drivers(double t);
  void evaluate_rate_drivers();
  void fill_motion_slots();
  void fill_rate_slots();
  const double* modes_of(int first) const { return modes_ ? modes_ + first : nullptr; }
  // Calls f(expression, its slots, number of its first switch) with every expression that has one.
  template <class F>
  void for_each_switching(double t, const double* y, F&& f);
  PLUMB_INLINE void move_points(double* rate, double* a) const;
  void move_rigid_bodies(double* rate, double* a);
  void apply_forces(double* a);
  PLUMB_INLINE void constrain(double* a);
  void constrain_stabilised(const Stabilisation& stabilisation, double* a);
  void stabilise(const Stabilisation& stabilisation);
  void apply_springs(double* a);
  void apply_torsions(double* a);
  void apply_loads(double* a);
  void apply_drags(double* a);
  void apply_bushings(double* a);
  void actuate(const Actuator& actuator, const double* modes, double* a);
  void push_at(const End& on, const End& where, const double* force, double* a) const;
  void add_force(const End& e, const double* force, double* a) const;    // world axes
  void add_torque(const End& e, const double* torque, double* a) const;  // world axes
  void account_energy(double* rate);

  const System& system_;
  Placement at_;
  InverseMass inverse_mass_;
  std::vector<double> frames_;
  Constraints constraints_;
  NormalMatrix normal_;

  struct Gyration {
    double x, y, z;  // (Jy - Jz)/Jx and so on
  };
  std::vector<Gyration> gyration_;
  std::vector<double> anchors_, anchor_rates_, anchor_accelerations_, drivers_;
  std::vector<double> lambda_, g_, rates_, work_rows_;
  std::vector<double> slots_, rate_values_;  // of force expressions: t, then the channels they use; of driven rates
  std::vector<double> turns_;                // last known unwound angles
  std::vector<double> curve_parameters_;
  std::vector<Jet> rate_slots_;
  const double* modes_ = nullptr;
  std::vector<int> applied_switch_, actuator_switch_, driver_switch_, rate_switch_;  // first of each
  std::vector<std::vector<Attachment>> attachments_;                                 // of every joint
  bool has_forces_ = false;
  double time_ = 0;
  double power_in_ = 0, power_lost_ = 0;
  int nq_, nv_, points_;
  double gravity_[3];
};

}  // namespace plumb
