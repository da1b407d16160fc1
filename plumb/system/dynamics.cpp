#include "plumb/system/dynamics.h"

#include <algorithm>

namespace plumb {
namespace {

void negate(double* x, int n) {
  for (int i = 0; i < n; ++i) x[i] = -x[i];
}

}  // namespace

Dynamics::Dynamics(const System& system)
    : system_(system),
      frames_(9 * system.rigids),
      constraints_(system, at_, frames_.data(), inverse_mass_),
      normal_(system, inverse_mass_, constraints_),
      anchors_(system.anchors),
      anchor_rates_(3 * system.moving_anchors.size()),
      anchor_accelerations_(3 * system.moving_anchors.size()),
      drivers_(3 * system.drivers.size()),
      lambda_(system.rows),
      g_(system.rows),
      rates_(system.rows),
      work_rows_(system.rows),
      slots_(1 + system.force_channels.size()),
      turns_(system.start_turns.empty() ? std::vector<double>(system.angles.size()) : system.start_turns),
      curve_parameters_(system.curve_parameters),
      rate_slots_(1 + system.rate_channels.size()),
      nq_(system.nq),
      nv_(system.nv),
      points_(system.points) {
  for (int k = 0; k < 3; ++k) gravity_[k] = system.gravity[k];
  for (const SystemBody& b : system.bodies) {
    inverse_mass_.add(b.mass, b.moments);
    if (b.kind != BodyKind::rigid) continue;
    const Vec3& J = b.moments;
    gyration_.push_back({(J.y() - J.z()) / J.x(), (J.z() - J.x()) / J.y(), (J.x() - J.y()) / J.z()});
  }
  has_forces_ = !(system.springs.empty() && system.torsions.empty() && system.applied.empty() && system.drags.empty() &&
                  system.bushings.empty() && system.actuators.empty());
  at_.frames = frames_.data();
  at_.anchors = anchors_.data();
  at_.anchor_rates = anchor_rates_.data();
  at_.anchor_accelerations = anchor_accelerations_.data();
  at_.drivers = drivers_.data();
  at_.turns = turns_.data();
  at_.curve_parameters = curve_parameters_.data();
  for (const SystemJoint& j : system.joints) attachments_.push_back(system.attachments(j));
  // In the order of System::for_each_expression.
  int next = 0;
  const auto number = [&](const Expression& e, std::vector<int>& list) {
    list.push_back(next);
    next += e.switches();
  };
  for (const Applied& a : system.applied)
    for (const Expression& e : a.components) number(e, applied_switch_);
  for (const Actuator& a : system.actuators) number(a.effort, actuator_switch_);
  for (const Expression& e : system.drivers) number(e, driver_switch_);
  for (const RateDriver& d : system.rate_drivers) number(d.expression, rate_switch_);
}

// q' = N(q) v, and the accelerations of bodies under gravity and their own spin alone.
void Dynamics::move_points(double* rate, double* a) const {
  const double gx = gravity_[0], gy = gravity_[1], gz = gravity_[2];
  const double* const v = at_.v;
  for (int i = 0; i < 3 * points_; i += 3) {
    kernel::copy(rate + i, v + i);
    a[i] = gx, a[i + 1] = gy, a[i + 2] = gz;
  }
}

// The same for rigid bodies, and their rotation matrices.
void Dynamics::move_rigid_bodies(double* rate, double* a) {
  const double gx = gravity_[0], gy = gravity_[1], gz = gravity_[2];
  const double *q = at_.q + 3 * points_, *v = at_.v + 3 * points_;
  double* R = frames_.data();
  for (const Gyration& c : gyration_) {
    kernel::rotation_matrix(q + 3, R);
    kernel::copy(rate, v);
    kernel::quaternion_rate(q + 3, v + 3, rate + 3);
    a[0] = gx, a[1] = gy, a[2] = gz;
    // J w' = (J w) x w in principal axes
    a[3] = c.x * v[4] * v[5];
    a[4] = c.y * v[5] * v[3];
    a[5] = c.z * v[3] * v[4];
    q += 7, v += 6, rate += 7, a += 6, R += 9;
  }
}

void Dynamics::constrain(double* a) {
  constraints_.accelerate_alone(lambda_.data(), a);
  if (system_.coupled_rows == 0) return;
  constraints_.update_coupled(a, lambda_.data());
  negate(lambda_.data(), system_.coupled_rows);
  normal_.factor();
  normal_.solve_coupled(lambda_.data());
  constraints_.push_coupled(lambda_.data(), a);
}

void Dynamics::derivative(double t, const double* y, const Stabilisation& stabilisation, double* rate) {
  at_.q = y;
  at_.v = y + nq_;
  double* const a = rate + nq_;
  set_time(t);
  move_points(rate, a);
  if (!gyration_.empty()) move_rigid_bodies(rate + 3 * points_, a + 3 * points_);
  if (!system_.rate_drivers.empty()) evaluate_rate_drivers();
  if (has_forces_) apply_forces(a);
  if (system_.rows > 0) {
    if (stabilisation.is_active())
      constrain_stabilised(stabilisation, a);
    else
      constrain(a);
  }
  if (system_.nw > 0) account_energy(a + nv_);
}

void Dynamics::add_load(const double* acceleration, const double* multipliers, double power_lost, double* rate) {
  double* const a = rate + nq_;
  for (int i = 0; i < nv_; ++i) a[i] += acceleration[i];
  for (int r = 0; r < system_.rows; ++r) lambda_[r] += multipliers[r];
  a[nv_ + 1] += power_lost;
  if (!system_.is_driven) return;
  constraints_.drive(work_rows_.data());
  for (int r = 0; r < system_.rows; ++r) a[nv_] -= multipliers[r] * work_rows_[r];
}

void Dynamics::constrain_stabilised(const Stabilisation& stabilisation, double* a) {
  constraints_.update(a, lambda_.data());
  stabilise(stabilisation);
  negate(lambda_.data(), system_.rows);
  normal_.factor();
  normal_.solve(lambda_.data());
  constraints_.push(lambda_.data(), a);
}

// Adds 2 alpha g' + beta² g to G a + gamma.
void Dynamics::stabilise(const Stabilisation& stabilisation) {
  residual(g_.data());
  rate_residual(rates_.data());
  const double damping = 2 * stabilisation.alpha, stiffness = stabilisation.beta * stabilisation.beta;
  for (int r = 0; r < system_.rows; ++r) lambda_[r] += damping * rates_[r] + stiffness * g_[r];
}

void Dynamics::place(double t, const double* y) {
  at_.q = y;
  at_.v = y + nq_;
  set_time(t);
  const double* q = y + 3 * points_ + 3;
  for (int i = 0; i < system_.rigids; ++i) kernel::rotation_matrix(q + 7 * i, frames_.data() + 9 * i);
  if (!system_.rate_drivers.empty()) evaluate_rate_drivers();
}

// Rates given by expressions of time and positions; the chain rule gives their own rates.
void Dynamics::evaluate_rate_drivers() {
  fill_rate_slots();
  for (std::size_t i = 0; i < system_.rate_drivers.size(); ++i) {
    const RateDriver& d = system_.rate_drivers[i];
    const Jet rate = d.expression.evaluate_jets(rate_slots_.data(), modes_of(rate_switch_[i]));
    drivers_[3 * d.driver] = 0;
    drivers_[3 * d.driver + 1] = rate.value;
    drivers_[3 * d.driver + 2] = rate.rate;
  }
}

void Dynamics::evaluate_drivers(double t) {
  for (std::size_t i = 0; i < system_.drivers.size(); ++i) {
    const Jet j = system_.drivers[i].evaluate_in_time(t, modes_of(driver_switch_[i]));
    drivers_[3 * i] = j.value;
    drivers_[3 * i + 1] = j.rate;
    drivers_[3 * i + 2] = j.acceleration;
  }
  for (std::size_t i = 0; i < system_.moving_anchors.size(); ++i) {
    const MovingAnchor& m = system_.moving_anchors[i];
    const double* const d = drivers_.data() + 3 * m.first_driver;
    const Vec3 s = m.R * (Vec3(d[0], d[3], d[6]) - m.offset);
    const Vec3 sd = m.R * Vec3(d[1], d[4], d[7]);
    const Vec3 sdd = m.R * Vec3(d[2], d[5], d[8]);
    for (int k = 0; k < 3; ++k) {
      anchors_[3 * m.anchor + k] = s[k];
      anchor_rates_[3 * i + k] = sd[k];
      anchor_accelerations_[3 * i + k] = sdd[k];
    }
  }
}

void Dynamics::rate_residual(double* rates) {
  constraints_.multiply(at_.v, rates);
  if (!system_.is_driven) return;
  constraints_.drive(work_rows_.data());
  for (int r = 0; r < system_.rows; ++r) rates[r] += work_rows_[r];
}

void Dynamics::acceleration_residual(const double* a, double* out) { constraints_.update(a, out); }

void Dynamics::force_accelerations(double* a) {
  const int bodies = points_ + system_.rigids;
  for (int i = 0; i < bodies; ++i) {
    for (int k = 0; k < 3; ++k) a[k] = gravity_[k];
    if (i >= points_)
      for (int k = 3; k < 6; ++k) a[k] = 0;
    a += i < points_ ? 3 : 6;
  }
  a -= nv_;
  if (has_forces_) apply_forces(a);
}

void Dynamics::apply_forces(double* a) {
  power_in_ = power_lost_ = 0;
  apply_springs(a);
  apply_torsions(a);
  apply_loads(a);
  apply_drags(a);
  if (!system_.bushings.empty()) apply_bushings(a);
}

// Work enters through applied forces and through driven joints, whose power is lambdaᵀ G v = -lambdaᵀ g_t.
void Dynamics::account_energy(double* rate) {
  rate[0] = power_in_;
  rate[1] = power_lost_;
  if (!system_.is_driven) return;
  constraints_.drive(work_rows_.data());
  for (int r = 0; r < system_.rows; ++r) rate[0] -= lambda_[r] * work_rows_[r];
}

// The wrench on `to` about its anchor. The ground has no torque of its own in the equations: what it bears is
// the reverse of what `from` bears.
void Dynamics::reaction_of(const double* lambda, int joint, double* force, double* moment) const {
  const SystemJoint& j = system_.joints[joint];
  const End &from = j.from, &to = j.to;
  double force_from[3] = {}, torque_from[3] = {}, torque_to[3] = {}, arm[3], shift[3];
  for (int i = 0; i < 3; ++i) force[i] = moment[i] = 0;
  for (const Attachment& a : attachments_[joint])
    if (a.body == to.body)
      constraints_.wrench(j, a, lambda, force, torque_to);
    else if (a.body == from.body)
      constraints_.wrench(j, a, lambda, force_from, torque_from);
  if (to.body < 0)
    for (int i = 0; i < 3; ++i) force[i] = -force_from[i];
  if (to.kind == BodyKind::rigid) {
    // From the mass centre to the anchor: the force there has no moment about it.
    kernel::rotate(at_.frame(to), torque_to, moment);
    kernel::rotate(at_.frame(to), at_.anchor(to), arm);
  } else if (from.kind == BodyKind::rigid) {
    kernel::rotate(at_.frame(from), torque_from, moment);
    for (int i = 0; i < 3; ++i) moment[i] = -moment[i];
    position(at_, to, arm);
    kernel::subtract(arm, at_.q + from.q);
  } else {
    return;
  }
  kernel::cross(arm, force, shift);
  kernel::subtract(moment, shift);
}

void Dynamics::joint_load(int joint, int body, double* force, double* torque) const {
  double f[3], m[3], world[3];
  for (int i = 0; i < 3; ++i) force[i] = torque[i] = 0;
  for (const Attachment& a : attachments_[joint]) {
    if (a.body != body) continue;
    constraints_.wrench(system_.joints[joint], a, lambda_.data(), f, m);
    kernel::add(force, f);
    if (a.kind != BodyKind::rigid) continue;
    kernel::rotate(frames_.data() + 9 * system_.bodies[body].frame, m, world);
    kernel::add(torque, world);
  }
}

double Dynamics::joint_angle(int measure) const {
  const double last = turns_[measure];
  return last + wrap_angle(system_.angles[measure].angle(at_) - last);
}

void Dynamics::keep_turns() {
  for (std::size_t i = 0; i < turns_.size(); ++i) turns_[i] = joint_angle(static_cast<int>(i));
  for (const PointOnCurve& p : system_.parts.points_on_curve)
    curve_parameters_[p.memory] = p.parameter<EndKind::any, EndKind::any>(at_);
}

double Dynamics::channel(const Channel& c) const {
  using Kind = Channel::Kind;
  const auto member = [&]() -> const SystemMember& { return system_.members[c.index]; };
  double x[3];
  switch (c.kind) {
    case Kind::time: return time_;
    case Kind::position: position(at_, member().end, x); return x[c.component];
    case Kind::velocity: velocity(at_, member().end, x); return x[c.component];
    case Kind::attitude: {
      const End& e = member().end;
      const double* const q = at_.q + e.q + 3;
      const Quaternion carrier = e.kind == BodyKind::rigid ? Quaternion{q[0], q[1], q[2], q[3]} : Quaternion{};
      const Quaternion q_WB = carrier * member().axes.conjugate();
      return (&q_WB.w)[c.component];
    }
    case Kind::angular_velocity: angular_velocity(at_, member().end, x); return x[c.component];
    case Kind::joint_angle: return joint_angle(system_.joints[c.index].angle);
    case Kind::joint_rate: return system_.angles[system_.joints[c.index].angle].rate(at_);
    case Kind::displacement: return system_.displacements[system_.joints[c.index].displacement].value(at_);
    case Kind::slide_rate: return system_.displacements[system_.joints[c.index].displacement].rate(at_);
    default: return 0;  // not reached: the others are not channels of motion
  }
}

}  // namespace plumb
