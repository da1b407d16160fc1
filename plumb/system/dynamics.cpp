#include "plumb/system/dynamics.h"

#include <algorithm>

namespace plumb {

Dynamics::Dynamics(const System& system)
    : system_(system),
      constraints_(system, inverse_mass_),
      normal_(system, inverse_mass_, constraints_),
      frames_(9 * system.rigids),
      anchors_(system.anchors),
      anchor_rates_(3 * system.moving_anchors.size()),
      anchor_accelerations_(3 * system.moving_anchors.size()),
      drivers_(3 * system.drivers.size()),
      lambda_(system.rows),
      g_(system.rows),
      rates_(system.rows),
      work_rows_(system.rows),
      slots_(1 + system.force_channels.size()),
      turns_(system.angles.size()) {
  for (const SystemBody& b : system.bodies) {
    inverse_mass_.add(b.mass, b.moments);
    if (b.kind != BodyKind::rigid) continue;
    const Vec3& J = b.moments;
    gyration_.push_back({(J.y() - J.z()) / J.x(), (J.z() - J.x()) / J.y(), (J.x() - J.y()) / J.z()});
  }
  has_forces_ = !(system.springs.empty() && system.torsions.empty() && system.applied.empty() && system.drags.empty());
  at_.frames = frames_.data();
  at_.anchors = anchors_.data();
  at_.anchor_rates = anchor_rates_.data();
  at_.anchor_accelerations = anchor_accelerations_.data();
  at_.drivers = drivers_.data();
}

void Dynamics::derivative(double t, const double* y, const Stabilisation& stabilisation, double* rate) {
  place(t, y);
  const int points = 3 * system_.points;
  std::copy_n(at_.v, points, rate);  // x' = v
  for (int i = 0; i < system_.rigids; ++i) {
    const double* const q = at_.q + points + 7 * i;
    const double* const v = at_.v + points + 6 * i;
    double* const r = rate + points + 7 * i;
    kernel::copy(r, v);
    kernel::quaternion_rate(q + 3, v + 3, r + 3);
  }

  double* const a = rate + system_.nq;
  free_accelerations(a);
  if (system_.rows > 0) {
    constraints_.update(at_, a, lambda_.data());
    factor();
    if (stabilisation.is_active()) {
      residual(g_.data());
      rate_residual(rates_.data());
      for (int r = 0; r < system_.rows; ++r)
        lambda_[r] += 2 * stabilisation.alpha * rates_[r] + stabilisation.beta * stabilisation.beta * g_[r];
    }
    for (double& l : lambda_) l = -l;
    normal_.solve(lambda_.data());
    constraints_.push(lambda_.data(), a);
  }
  if (system_.nw > 0) account_energy(rate + system_.nq + system_.nv);
}

void Dynamics::place(double t, const double* y) {
  time_ = t;
  at_.q = y;
  at_.v = y + system_.nq;
  if (!system_.drivers.empty()) evaluate_drivers(t);
  const double* q = y + 3 * system_.points + 3;
  for (int i = 0; i < system_.rigids; ++i) kernel::rotation_matrix(q + 7 * i, frames_.data() + 9 * i);
}

void Dynamics::evaluate_drivers(double t) {
  for (std::size_t i = 0; i < system_.drivers.size(); ++i) {
    const Jet j = system_.drivers[i].evaluate_in_time(t);
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

void Dynamics::residual(double* g) const { constraints_.residual(at_, g); }

void Dynamics::linearise() { constraints_.update(at_); }

void Dynamics::factor() { normal_.factor(); }

void Dynamics::rate_residual(double* rates) {
  constraints_.multiply(at_.v, rates);
  if (!system_.is_driven) return;
  constraints_.drive(at_, work_rows_.data());
  for (int r = 0; r < system_.rows; ++r) rates[r] += work_rows_[r];
}

void Dynamics::acceleration_residual(const double* a, double* out) { constraints_.update(at_, a, out); }

void Dynamics::free_accelerations(double* a) {
  force_accelerations(a);
  const int first = 3 * system_.points + 3;
  for (int i = 0; i < system_.rigids; ++i) {
    // J w' = (J w) x w in principal axes
    const double* const w = at_.v + first + 6 * i;
    double* const r = a + first + 6 * i;
    const Gyration& c = gyration_[i];
    r[0] += c.x * w[1] * w[2];
    r[1] += c.y * w[2] * w[0];
    r[2] += c.z * w[0] * w[1];
  }
}

void Dynamics::force_accelerations(double* a) {
  const double g[6] = {system_.gravity.x(), system_.gravity.y(), system_.gravity.z(), 0, 0, 0};
  const int points = 3 * system_.points;
  for (int i = 0; i < system_.points; ++i) kernel::copy(a + 3 * i, g);
  for (int i = 0; i < system_.rigids; ++i) std::copy_n(g, 6, a + points + 6 * i);
  power_in_ = power_lost_ = 0;
  if (!has_forces_) return;
  apply_springs(a);
  apply_torsions(a);
  apply_loads(a);
  apply_drags(a);
}

// Work enters through applied forces and through driven joints, whose power is lambdaᵀ G v = -lambdaᵀ g_t.
void Dynamics::account_energy(double* rate) {
  rate[0] = power_in_;
  rate[1] = power_lost_;
  if (!system_.is_driven) return;
  constraints_.drive(at_, work_rows_.data());
  for (int r = 0; r < system_.rows; ++r) rate[0] -= lambda_[r] * work_rows_[r];
}

void Dynamics::reaction(int joint, double* force, double* moment) const {
  const End& to = system_.joints[joint].to;
  double torque[3];
  constraints_.reaction(joint, lambda_.data(), force, torque);
  for (int i = 0; i < 3; ++i) moment[i] = 0;
  if (to.kind != BodyKind::rigid) return;
  // From the mass centre to the anchor: the force there has no moment about it.
  double arm[3], shift[3];
  kernel::rotate(at_.frame(to), torque, moment);
  kernel::rotate(at_.frame(to), at_.anchor(to), arm);
  kernel::cross(arm, force, shift);
  kernel::subtract(moment, shift);
}

double Dynamics::joint_angle(int measure) const {
  const double last = turns_[measure];
  return last + wrap_angle(system_.angles[measure].angle(at_) - last);
}

void Dynamics::keep_turns() {
  for (std::size_t i = 0; i < turns_.size(); ++i) turns_[i] = joint_angle(static_cast<int>(i));
}

// a.d with d = p_to - p_from, and its rate a.d' + (w x a).d
double DisplacementMeasure::value(const Placement& at) const {
  double a[3], d[3], p[3];
  direction(at, from, axis, a);
  position(at, to, d);
  position(at, from, p);
  kernel::subtract(d, p);
  return kernel::dot(a, d);
}

double DisplacementMeasure::rate(const Placement& at) const {
  double a[3], w[3], d[3], p[3], turn[3];
  direction(at, from, axis, a);
  angular_velocity(at, from, w);
  kernel::cross(w, a, turn);
  position(at, to, d);
  position(at, from, p);
  kernel::subtract(d, p);
  const double swing = kernel::dot(turn, d);
  velocity(at, to, d);
  velocity(at, from, p);
  kernel::subtract(d, p);
  return kernel::dot(a, d) + swing;
}

double Dynamics::channel(const Channel& c) const {
  using Kind = Channel::Kind;
  const auto body = [&]() -> const SystemBody& { return system_.bodies[c.index]; };
  switch (c.kind) {
    case Kind::time: return time_;
    case Kind::position: return at_.q[body().q + c.component];
    case Kind::velocity: return at_.v[body().v + c.component];
    case Kind::attitude: {
      const double* const q = at_.q + body().q + 3;
      const Quaternion q_WB = Quaternion{q[0], q[1], q[2], q[3]} * body().axes.conjugate();
      return (&q_WB.w)[c.component];
    }
    case Kind::angular_velocity: {
      double w[3];
      kernel::rotate(frames_.data() + 9 * body().frame, at_.v + body().v + 3, w);
      return w[c.component];
    }
    case Kind::joint_angle: return joint_angle(system_.joints[c.index].angle);
    case Kind::joint_rate: return system_.angles[system_.joints[c.index].angle].rate(at_);
    case Kind::displacement: return system_.displacements[system_.joints[c.index].displacement].value(at_);
    case Kind::slide_rate: return system_.displacements[system_.joints[c.index].displacement].rate(at_);
    default: return 0;  // not reached: the others are not channels of motion
  }
}

}  // namespace plumb
