#include "plumb/study/equilibrium.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "plumb/simulation/simulation.h"
#include "plumb/study/linearisation.h"
#include "plumb/system/held_drives.h"

namespace plumb {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

class Descent {
 public:
  explicit Descent(const System& system) : system_(system), displacer_(system) {
    holonomic_.assign(system.rows, true);
    for (int row : system.velocity_rows()) holonomic_[row] = false;
  }

  Dynamics& dynamics() { return displacer_.dynamics(); }

  // P, r and K at the pose y (velocities zero).
  void look(const std::vector<double>& y) {
    dynamics().place(0, y.data());
    dynamics().keep_turns();
    dynamics().linearise();
    P = free_directions(system_, dynamics().constraints(), holonomic_);
    M_.assign(system_.nv, 0);
    for (const SystemBody& b : system_.bodies)
      for (int k = 0; k < (b.kind == BodyKind::rigid ? 6 : 3); ++k) M_[b.v + k] = k < 3 ? b.mass : b.moments[k - 3];
    const MatrixXd to_p = P.transpose() * Eigen::Map<const VectorXd>(M_.data(), system_.nv).asDiagonal();
    VectorXd v, a, a2;
    displacer_.rates(y, y, v, acceleration);
    r = to_p * acceleration;
    K.resize(P.cols(), P.cols());
    for (Eigen::Index i = 0; i < P.cols(); ++i) {
      const double h = 1e-4 / P.col(i).cwiseAbs().maxCoeff();
      displacer_.rates(y, displacer_.displaced(y, h * P.col(i), {}), v, a);
      displacer_.rates(y, displacer_.displaced(y, -h * P.col(i), {}), v, a2);
      K.col(i) = -to_p * (a - a2) / (2 * h);
    }
  }

  std::vector<double> moved(const std::vector<double>& y, const VectorXd& p) {
    std::vector<double> z = displacer_.displaced(y, P * p, {});
    std::fill(z.begin() + system_.nq, z.end(), 0.0);
    return z;
  }

  MatrixXd P, K;
  VectorXd r, acceleration;

 private:
  const System& system_;
  Displacer displacer_;
  std::vector<bool> holonomic_;
  std::vector<double> M_;
};

// So many steps along a force that meets no stiffness, each as long as steps may be, and nothing holds the body.
constexpr int longest_fall = 60;

// The step along the eigenvectors of the symmetric part of K. False where a force meets no stiffness: there the step is
// long, along the force.
bool newton_step(const MatrixXd& K, const VectorXd& r, VectorXd& p) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen((K + K.transpose()) / 2);
  const double largest = eigen.eigenvalues().cwiseAbs().maxCoeff(), floor = 1e-9 * largest;
  const VectorXd c = eigen.eigenvectors().transpose() * r;
  p = VectorXd::Zero(r.size());
  bool held = true;
  for (Eigen::Index i = 0; i < c.size(); ++i) {
    const double k = std::abs(eigen.eigenvalues()[i]);
    if (k > floor) {
      p += eigen.eigenvectors().col(i) * (c[i] / k);
    } else if (std::abs(c[i]) > 1e-9 * (1 + r.norm())) {
      p += eigen.eigenvectors().col(i) * (c[i] / std::max(floor, 1e-9 * r.norm()));
      held = false;
    }
  }
  // Near a stable equilibrium forces that have no potential count too.
  if (eigen.eigenvalues()[0] > floor && (K - K.transpose()).norm() > 1e-6 * K.norm()) p = K.partialPivLu().solve(r);
  return held;
}

void describe(const System& system, Dynamics& dynamics, const std::vector<double>& start, Equilibrium& e) {
  std::vector<double> rate(system.size());
  dynamics.derivative(0, e.y.data(), {}, rate.data());
  e.potential = dynamics.energy(e.y.data()).potential;
  dynamics.derivative(0, e.y.data(), {}, rate.data());
  for (const SystemBody& b : system.bodies) {
    const double *q0 = start.data() + b.q, *q = e.y.data() + b.q;
    BodyPose pose{b.name, Vec3(q[0], q[1], q[2]), {}, b.kind == BodyKind::rigid, 0, 0};
    pose.moved = (pose.position - Vec3(q0[0], q0[1], q0[2])).norm();
    if (pose.rigid) {
      const Quaternion now{q[3], q[4], q[5], q[6]}, then{q0[3], q0[4], q0[5], q0[6]};
      pose.rotation = now * b.axes.conjugate();
      const Quaternion d = then.conjugate() * now;
      pose.turned = 2 * std::atan2(Vec3(d.x, d.y, d.z).norm(), std::abs(d.w));
    }
    e.bodies.push_back(pose);
  }
  for (std::size_t j = 0; j < system.joints.size(); ++j) {
    double f[3], m[3];
    dynamics.reaction(static_cast<int>(j), f, m);
    e.reactions.push_back({system.joints[j].name, Vec3(f[0], f[1], f[2]), Vec3(m[0], m[1], m[2])});
  }
}

std::string what_is_left_out(const Model& model, const System& system) {
  std::vector<std::string> kinds;
  if (!model.contacts.empty()) kinds.push_back("contacts");
  if (!system.limits.empty()) kinds.push_back("limits and ropes");
  if (!system.frictions.empty()) kinds.push_back("friction in joints");
  if (kinds.empty()) return {};
  return fmt::format("{} are left out of statics: they count as open", fmt::join(kinds, ", "));
}

}  // namespace

Equilibrium find_equilibrium(const Model& model) {
  Model resting = model;
  if (!resting.simulation.duration) resting.simulation.duration = 1;  // nothing will run
  for (Body& b : resting.bodies) b.velocity.reset(), b.angular_velocity.reset(), b.angular_velocity_body.reset();
  resting.contacts.clear();
  resting.events.clear();
  const Simulation simulation(resting);
  Equilibrium e;
  e.messages = start_messages(simulation.written(), simulation.start());
  if (const std::string left_out = what_is_left_out(model, simulation.written()); !left_out.empty())
    e.messages.push_back(left_out);
  if (simulation.outcome()) {
    e.fault = simulation.outcome()->describe();
    return e;
  }
  e.y = simulation.written_state();
  e.system = hold_drives(simulation.written(), e.y);
  const System& system = e.system;
  std::fill(e.y.begin() + system.nq, e.y.end(), 0.0);
  const std::vector<double> start = e.y;

  Descent descent(system);
  double size = 1e-3;
  for (const SystemBody& b : system.bodies)
    for (int k = 0; k < 3; ++k) size = std::max(size, std::abs(start[b.q + k]));
  double last = 0;
  int fallen = 0;
  VectorXd p;
  for (e.iterations = 0; e.iterations < 200; ++e.iterations) {
    descent.look(e.y);
    e.degrees_of_freedom = static_cast<int>(descent.P.cols());
    if (e.degrees_of_freedom == 0) break;
    const double force = descent.r.norm();
    e.residual = descent.acceleration.cwiseAbs().maxCoeff();
    if (force == 0 || (e.residual < 1e-9 && e.iterations > 0 && force > 0.3 * last)) break;  // at rounding
    last = force;
    fallen = newton_step(descent.K, descent.r, p) ? 0 : fallen + 1;
    if (fallen > longest_fall) {
      e.fault = "there is no equilibrium: a force meets no resistance (a body that nothing holds falls)";
      Eigen::Index worst = 0;
      descent.acceleration.cwiseAbs().maxCoeff(&worst);
      for (const SystemBody& b : system.bodies)
        if (worst >= b.v && worst < b.v + (b.kind == BodyKind::rigid ? 6 : 3)) e.fault += "; body '" + b.name + "'";
      break;
    }
    // Long steps are shortened: rotations to 0.3 rad, displacements to a part of the mechanism's size.
    const VectorXd d = descent.P * p;
    double longest = 0;
    for (const SystemBody& b : system.bodies) {
      longest = std::max(longest, d.segment<3>(b.v).norm() / size);
      if (b.kind == BodyKind::rigid) longest = std::max(longest, d.segment<3>(b.v + 3).norm());
    }
    e.y = descent.moved(e.y, longest > 0.3 ? VectorXd(p * (0.3 / longest)) : p);
  }
  e.found = e.fault.empty() && e.residual < 1e-6;
  if (!e.found && e.fault.empty())
    e.fault = fmt::format("no equilibrium was found in {} iterations; accelerations of {:.2g} are left", e.iterations,
                          e.residual);
  if (e.degrees_of_freedom > 0) {
    const MatrixXd symmetric = (descent.K + descent.K.transpose()) / 2;
    e.least_stiffness = Eigen::SelfAdjointEigenSolver<MatrixXd>(symmetric).eigenvalues()[0];
  }
  describe(system, descent.dynamics(), start, e);
  return e;
}

}  // namespace plumb
