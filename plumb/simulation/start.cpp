#include "plumb/simulation/start.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "plumb/solver/largest.h"
#include "plumb/system/projection.h"

namespace plumb {
namespace {

// Angle between two attitudes.
double turned(const double* a, const double* b) {
  const Quaternion d = Quaternion{a[0], a[1], a[2], a[3]}.conjugate() * Quaternion{b[0], b[1], b[2], b[3]};
  return 2 * std::atan2(Vec3(d.x, d.y, d.z).norm(), std::abs(d.w));
}

// Velocities that were not given, from those that were: a projection in which the given ones hardly move. Put back and
// projected again they move by a part in 1e8 each time less, unless they contradict each other: then they have moved as
// little as can be.
void follow_given_velocities(const System& system, std::vector<double>& y) {
  const auto given = [](const SystemBody& b) { return b.velocity_given || b.angular_velocity_given; };
  if (std::ranges::none_of(system.bodies, given)) return;
  const System coupled = couple_all_joints(system);
  Dynamics holding(coupled);
  for (std::size_t i = 0; i < system.bodies.size(); ++i) {
    const SystemBody& b = system.bodies[i];
    if (b.velocity_given) holding.inverse_mass().hold_position(static_cast<int>(i));
    if (b.angular_velocity_given) holding.inverse_mass().hold_attitude(static_cast<int>(i));
  }
  const std::vector<double> start = y;
  Projection projection(holding);
  for (int pass = 0; pass < 3; ++pass) {
    for (const SystemBody& b : system.bodies) {
      const auto put_back = [&](int first) { std::copy_n(start.begin() + first, 3, y.begin() + first); };
      if (b.velocity_given) put_back(system.nq + b.v);
      if (b.angular_velocity_given) put_back(system.nq + b.v + 3);
    }
    holding.place(0, y.data());
    holding.linearise();
    holding.factor();
    projection.project_velocity(y.data());
  }
}

}  // namespace

std::vector<std::string> start_messages(const System& system, const StartReport& start) {
  std::vector<std::string> lines = system.start_notes;
  for (const BodyMove& m : start.moved) {
    if (lines.size() == 5) {
      lines.push_back(fmt::format("start: {} more bodies were moved onto the joints", start.moved.size() - 5));
      break;
    }
    std::string how = fmt::format("by {:.3g} m", m.distance);
    if (m.angle > 0) how += fmt::format(" and {:.3g} rad", m.angle);
    lines.push_back(fmt::format("start: body '{}' was moved {} onto the joints", system.bodies[m.body].name, how));
  }
  if (!start.velocities_changed.empty()) {
    std::vector<std::string> names;
    for (int b : start.velocities_changed) names.push_back(system.bodies[b].name);
    if (names.size() > 5) names.resize(5), names.push_back("…");
    lines.push_back(fmt::format(
        "start: the given velocities of {} contradict the joints and were changed (by up to {:.3g} of their size)",
        fmt::join(names, ", "), start.largest_velocity_change));
  }
  return lines;
}

namespace {

// The joints whose rows are still open when no move closes them further.
std::vector<int> open_joints(const System& system, const std::vector<double>& rows) {
  double worst = 0;
  for (double r : rows) worst = std::max(worst, std::abs(r));
  std::vector<int> joints;
  for (std::size_t j = 0; j < system.joints.size(); ++j)
    for (int r = 0; r < system.joints[j].rows; ++r)
      if (std::abs(rows[system.joints[j].row + r]) > 1e-3 * worst) {
        joints.push_back(static_cast<int>(j));
        break;
      }
  return joints;
}

// Whether the joints ask for velocities that contradict each other; the system is placed and projected.
void find_contradicting_velocities(Dynamics& dynamics, const std::vector<double>& y, StartReport& report) {
  const System& system = dynamics.system();
  std::vector<double> rates(system.rows);
  dynamics.rate_residual(rates.data());
  double worst = 0, size = 1;
  for (int i = 0; i < system.nv; ++i) size = std::max(size, std::abs(y[system.nq + i]));
  for (int r = 0; r < system.rows; ++r)
    if (std::abs(rates[r]) > worst) worst = std::abs(rates[r]), report.worst_joint = system.joint_of_row(r);
  if (!(worst > 1e-7 * size)) return;
  report.consistent = false;
  report.velocities_contradict = true;
  report.worst_residual = worst;
  report.contradicting = open_joints(system, rates);
}

// Where rows depend on each other they must still agree about accelerations. The joint that is left with the largest
// part of what is asked for, if no acceleration gives it; -1: none.
int open_to_acceleration(Dynamics& dynamics, const std::vector<double>& y, double& worst) {
  const System& system = dynamics.system();
  std::vector<double> rate(static_cast<std::size_t>(system.size())), left(system.rows), asked(system.rows);
  std::vector<double> free(static_cast<std::size_t>(system.nv));
  dynamics.derivative(0, y.data(), {}, rate.data());
  dynamics.acceleration_residual(rate.data() + system.nq, left.data());
  dynamics.force_accelerations(free.data());
  dynamics.acceleration_residual(free.data(), asked.data());
  const double size = largest_magnitude(asked.data(), system.rows);
  worst = 0;
  int row = -1;
  for (int r = 0; r < system.rows; ++r)
    if (std::abs(left[r]) > std::max(worst, 1e-6 * size)) {
      worst = std::abs(left[r]);
      row = r;
    }
  return row < 0 ? -1 : system.joint_of_row(row);
}

// At a pose where the rows depend on each other and nowhere around it.
void find_singular_start(Dynamics& dynamics, const std::vector<double>& y, StartReport& report) {
  const System& system = dynamics.system();
  int joint = open_to_acceleration(dynamics, y, report.worst_residual);
  report.consistent = joint < 0;
  if (joint < 0 && largest_magnitude(y.data() + system.nq, system.nv) < 1e-9) {
    // At rest it moves along its acceleration.
    std::vector<double> rate(static_cast<std::size_t>(system.size())), moving = y;
    dynamics.derivative(0, y.data(), {}, rate.data());
    const double fastest = largest_magnitude(rate.data() + system.nq, system.nv);
    if (!(fastest > 1e-9)) return;
    for (int i = 0; i < system.nv; ++i) moving[system.nq + i] = rate[system.nq + i] / fastest;
    joint = open_to_acceleration(dynamics, moving, report.worst_residual);
  }
  report.is_singular = joint >= 0;
  if (report.is_singular) report.worst_joint = joint;
}

}  // namespace

StartReport make_consistent(Dynamics& dynamics, std::vector<double>& y) {
  const System& system = dynamics.system();
  StartReport report;
  const std::vector<double> given = y;
  Projection projection(dynamics);
  const ProjectionReport assembled = projection.assemble(0, y.data());
  if (!assembled.converged) {
    report.consistent = false;
    report.worst_joint = system.joint_of_row(assembled.worst_row);
    report.worst_residual = assembled.residual;
    std::vector<double> rows(system.rows);
    dynamics.place(0, y.data());
    dynamics.residual(rows.data());
    report.contradicting = open_joints(system, rows);
    return report;
  }
  if (system.rows > 0) {
    follow_given_velocities(system, y);
    dynamics.place(0, y.data());
    dynamics.linearise();
    dynamics.factor();
    report.is_redundant = !dynamics.is_regular();
    if (report.is_redundant) dynamics.expect_redundancy();
    projection.project_velocity(y.data());
    if (system.is_driven) find_contradicting_velocities(dynamics, y, report);
    if (report.consistent && report.is_redundant) find_singular_start(dynamics, y, report);
    if (!report.consistent) return report;
  }
  for (std::size_t i = 0; i < system.bodies.size(); ++i) {
    const SystemBody& b = system.bodies[i];
    const int body = static_cast<int>(i);
    const double *q0 = given.data() + b.q, *q1 = y.data() + b.q;
    const double *v0 = given.data() + system.nq + b.v, *v1 = y.data() + system.nq + b.v;
    const bool rigid = b.kind == BodyKind::rigid;
    BodyMove move{body, std::hypot(q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2]), rigid ? turned(q0 + 3, q1 + 3) : 0};
    const double size = 1 + std::hypot(q0[0], q0[1], q0[2]);
    if (move.distance > 1e-12 * size || move.angle > 1e-12) report.moved.push_back(move);
    double change = 0;
    for (int k = 0; k < 3; ++k) {
      if (b.velocity_given) change = std::max(change, std::abs(v1[k] - v0[k]) / (1 + std::abs(v0[k])));
      if (b.angular_velocity_given)
        change = std::max(change, std::abs(v1[3 + k] - v0[3 + k]) / (1 + std::abs(v0[3 + k])));
    }
    if (change > 1e-9) report.velocities_changed.push_back(body);
    report.largest_velocity_change = std::max(report.largest_velocity_change, change);
  }
  return report;
}

}  // namespace plumb
