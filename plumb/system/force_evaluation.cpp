// The force elements: what each adds to the accelerations, and the power it feeds in or takes away.
#include <cmath>

#include "plumb/system/dynamics.h"

namespace plumb {

void Dynamics::add_force(const End& e, const double* force, double* a) const {
  if (e.kind == BodyKind::ground) return;
  kernel::add_scaled(a + e.v, inverse_mass_.mass(e.body), force);
  if (e.kind == BodyKind::point) return;
  double local[3], torque[3];
  kernel::rotate_back(at_.frame(e), force, local);
  kernel::cross(at_.anchor(e), local, torque);
  for (int i = 0; i < 3; ++i) a[e.v + 3 + i] += inverse_mass_.moments(e.body)[i] * torque[i];
}

void Dynamics::add_torque(const End& e, const double* torque, double* a) const {
  if (e.kind != BodyKind::rigid) return;
  double local[3];
  kernel::rotate_back(at_.frame(e), torque, local);
  for (int i = 0; i < 3; ++i) a[e.v + 3 + i] += inverse_mass_.moments(e.body)[i] * local[i];
}

void Dynamics::apply_springs(double* a) {
  for (const Spring& s : system_.springs) {
    double d[3], p[3], rate[3];
    position(at_, s.to, d);
    position(at_, s.from, p);
    kernel::subtract(d, p);
    velocity(at_, s.to, rate);
    velocity(at_, s.from, p);
    kernel::subtract(rate, p);
    const double length = std::sqrt(kernel::dot(d, d));
    // At length zero the pull has no direction; its mean over directions is zero.
    if (length == 0) continue;
    for (double& x : d) x /= length;
    const double speed = kernel::dot(d, rate);
    const double tension = s.tension(length - s.length) + s.damping * speed;
    double force[3] = {-tension * d[0], -tension * d[1], -tension * d[2]};
    add_force(s.to, force, a);
    for (double& x : force) x = -x;
    add_force(s.from, force, a);
    power_lost_ += s.damping * speed * speed;
  }
}

void Dynamics::apply_torsions(double* a) {
  for (const Torsion& s : system_.torsions) {
    const AngleMeasure& m = system_.angles[s.angle];
    const double rate = m.rate(at_);
    const double torque = -s.stiffness * (joint_angle(s.angle) - s.rest) - s.damping * rate;
    double axis[3];
    direction(at_, m.from, m.axis, axis);
    for (double& x : axis) x *= torque;
    add_torque(m.to, axis, a);
    for (double& x : axis) x = -x;
    add_torque(m.from, axis, a);
    power_lost_ += s.damping * rate * rate;
  }
}

void Dynamics::apply_loads(double* a) {
  if (system_.applied.empty() && system_.actuators.empty()) return;
  fill_motion_slots();
  for (std::size_t i = 0; i < system_.actuators.size(); ++i)
    actuate(system_.actuators[i], modes_of(actuator_switch_[i]), a);
  for (std::size_t i = 0; i < system_.applied.size(); ++i) {
    const Applied& load = system_.applied[i];
    double f[3], rate[3];
    for (std::size_t k = 0; k < 3; ++k)
      f[k] = load.components[k].evaluate(slots_.data(), modes_of(applied_switch_[3 * i + k]));
    if (load.body_axes) {
      // Components along body axes, which may differ from the principal axes of the coordinates.
      const Vec3 on_carrier = load.axes * Vec3(f[0], f[1], f[2]);
      direction(at_, load.at, on_carrier.data(), f);
    }
    if (load.kind == Applied::Kind::force) {
      add_force(load.at, f, a);
      velocity(at_, load.at, rate);
    } else {
      add_torque(load.at, f, a);
      angular_velocity(at_, load.at, rate);
    }
    power_in_ += kernel::dot(f, rate);
  }
}

void Dynamics::actuate(const Actuator& actuator, const double* modes, double* a) {
  const End& from = actuator.turns ? actuator.angle.from : actuator.slide.from;
  const End& to = actuator.turns ? actuator.angle.to : actuator.slide.to;
  const double rate = actuator.turns ? actuator.angle.rate(at_) : actuator.slide.rate(at_);
  double effort;
  if (actuator.friction) {
    effort = -actuator.coulomb * std::tanh(rate / actuator.smooth) - actuator.damping * rate;
    power_lost_ -= effort * rate;
  } else {
    effort = actuator.effort.evaluate(slots_.data(), modes);
    if (!actuator.curve.empty()) effort *= actuator.curve.value(rate);
    power_in_ += effort * rate;
  }
  double axis[3];
  direction(at_, from, actuator.turns ? actuator.angle.axis : actuator.slide.axis, axis);
  for (double& x : axis) x *= effort;
  if (actuator.turns) {
    add_torque(to, axis, a);
    for (double& x : axis) x = -x;
    add_torque(from, axis, a);
    return;
  }
  add_force(to, axis, a);
  for (double& x : axis) x = -x;
  push_at(from, to, axis, a);
}

// A force on the body of `on` at the place of `where`.
void Dynamics::push_at(const End& on, const End& where, const double* force, double* a) const {
  if (on.kind == BodyKind::ground) return;
  kernel::add_scaled(a + on.v, inverse_mass_.mass(on.body), force);
  if (on.kind != BodyKind::rigid) return;
  double arm[3], torque[3];
  position(at_, where, arm);
  kernel::subtract(arm, at_.q + on.q);
  kernel::cross(arm, force, torque);
  add_torque(on, torque, a);
}

void Dynamics::apply_bushings(double* a) {
  for (const Bushing& b : system_.bushings) {
    const Bushing::Deflection d = b.look(at_);
    Eigen::Matrix<double, 6, 1> x, rate;
    x << d.delta, d.phi;
    rate << d.delta_rate, d.spin;
    const Eigen::Matrix<double, 6, 1> elastic = b.stiffness * x, viscous = b.damping * rate;
    Vec3 force = d.R * -(elastic.head<3>() + viscous.head<3>());
    Vec3 torque = d.R * -(d.inverse_jacobian.transpose() * elastic.tail<3>() + viscous.tail<3>());
    add_force(b.to, force.data(), a);
    add_torque(b.to, torque.data(), a);
    force = -force;
    torque = -torque;
    push_at(b.from, b.to, force.data(), a);
    add_torque(b.from, torque.data(), a);
    power_lost_ += rate.dot(viscous);
  }
}

void Dynamics::apply_drags(double* a) {
  for (const Drag& d : system_.drags) {
    double v[3];
    velocity(at_, d.at, v);
    const double square = kernel::dot(v, v);
    const double c = d.linear + d.quadratic * std::sqrt(square);
    for (double& x : v) x *= -c;
    add_force(d.at, v, a);
    power_lost_ += c * square;
  }
}

Energy Dynamics::energy(const double* y) {
  Energy e;
  e.potential = system_.potential_on_ground;
  for (const SystemBody& b : system_.bodies) {
    const double* const x = y + b.q;
    const double* const v = y + system_.nq + b.v;
    double twice = b.mass * kernel::dot(v, v);
    if (b.kind == BodyKind::rigid)
      for (int k = 0; k < 3; ++k) twice += b.moments[k] * v[3 + k] * v[3 + k];
    e.kinetic += twice / 2;
    e.potential -= b.mass * kernel::dot(system_.gravity.data(), x);
  }
  if (!system_.springs.empty() || !system_.torsions.empty() || !system_.bushings.empty()) {
    place(time_, y);
    for (const Spring& s : system_.springs) {
      double d[3], p[3];
      position(at_, s.to, d);
      position(at_, s.from, p);
      kernel::subtract(d, p);
      e.potential += s.potential(std::sqrt(kernel::dot(d, d)) - s.length);
    }
    for (const Bushing& b : system_.bushings) e.potential += b.potential(at_);
    for (const Torsion& s : system_.torsions) {
      const double twist = joint_angle(s.angle) - s.rest;
      e.potential += s.stiffness * twist * twist / 2;
    }
  }
  if (system_.nw > 0) {
    e.work = y[system_.nq + system_.nv];
    e.dissipated = y[system_.nq + system_.nv + 1];
  }
  return e;
}

Vec3 Dynamics::momentum(const double* y) const {
  Vec3 p = Vec3::Zero();
  for (const SystemBody& b : system_.bodies) {
    const double* const v = y + system_.nq + b.v;
    p += b.mass * Vec3(v[0], v[1], v[2]);
  }
  return p;
}

Vec3 Dynamics::angular_momentum(const double* y) {
  place(time_, y);
  Vec3 L = Vec3::Zero();
  for (const SystemBody& b : system_.bodies) {
    const double* const x = y + b.q;
    const double* const v = y + system_.nq + b.v;
    L += b.mass * Vec3(x[0], x[1], x[2]).cross(Vec3(v[0], v[1], v[2]));
    if (b.kind != BodyKind::rigid) continue;
    const double spin[3] = {b.moments[0] * v[3], b.moments[1] * v[4], b.moments[2] * v[5]};
    double world[3];
    kernel::rotate(frames_.data() + 9 * b.frame, spin, world);
    L += Vec3(world[0], world[1], world[2]);
  }
  return L;
}

}  // namespace plumb
