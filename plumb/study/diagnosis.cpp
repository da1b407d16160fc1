#include "plumb/study/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "plumb/contact/touch.h"
#include "plumb/simulation/simulation.h"
#include "plumb/solver/ldl_kernels.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

// The rows of the joints in the mass metric, M^(-1/2) Gᵀ, scaled to length 1; one block of columns per joint.
struct ScaledRows {
  struct Block {
    int body;
    double rows[max_block][6];
  };
  std::vector<std::vector<Block>> joints;  // per joint, the bodies it holds

  ScaledRows(const System& system, const Constraints& constraints) : joints(system.joints.size()) {
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const SystemJoint& j = system.joints[i];
      add(system, constraints, j, j.from, -1, j.from_block(), joints[i]);
      add(system, constraints, j, j.to, 1, j.to_block(), joints[i]);
      for (int r = 0; r < j.rows; ++r) {
        double square = 0;
        for (const Block& b : joints[i])
          for (double x : b.rows[r]) square += x * x;
        for (Block& b : joints[i])
          for (double& x : b.rows[r]) x /= std::sqrt(square);
      }
    }
  }

  double dot(int i, int row_i, int j, int row_j) const {
    double sum = 0;
    for (const Block& a : joints[i])
      for (const Block& b : joints[j])
        if (a.body == b.body)
          for (int k = 0; k < 6; ++k) sum += a.rows[row_i][k] * b.rows[row_j][k];
    return sum;
  }

 private:
  static void add(const System& system, const Constraints& constraints, const SystemJoint& j, const End& e, double sign,
                  int angular_block, std::vector<Block>& blocks) {
    if (e.kind == BodyKind::ground) return;
    const SystemBody& body = system.bodies[e.body];
    Block b{e.body, {}};
    for (int r = 0; r < j.rows; ++r)
      for (int k = 0; k < 3; ++k) {
        b.rows[r][k] = sign * constraints.linear()[j.linear_block() + 3 * r + k] / std::sqrt(body.mass);
        if (e.kind == BodyKind::rigid)
          b.rows[r][3 + k] = constraints.angular()[angular_block + 3 * r + k] / std::sqrt(body.moments[k]);
      }
    blocks.push_back(b);
  }
};

// The joints whose rows have a share in the one that depends on them.
Redundancy redundant_set(const System& system, int dependent, const std::vector<double>& shares) {
  std::set<std::string> names = {system.joints[system.joint_of_row(dependent)].name};
  for (const SystemJoint& j : system.joints)
    for (int r = 0; r < j.rows; ++r)
      if (std::abs(shares[j.row + r]) > 1e-6) names.insert(j.name);
  return {{names.begin(), names.end()}};
}

// Elimination on the matrix of scalar products of the rows. A row whose pivot vanishes is a combination of those
// before it; the combination follows by solving for its column. Pivots are squares of distances between
// directions, so 1e-11 means that a row lies within 3e-6 of the span of the others.
void find_rank(const System& system, const Constraints& constraints, Diagnosis& d) {
  constexpr double dependence = 1e-11;
  const ScaledRows rows(system, constraints);
  std::vector<int> sizes;
  std::vector<std::vector<int>> at_body(system.bodies.size());
  std::set<std::pair<int, int>> couplings;
  for (std::size_t i = 0; i < system.joints.size(); ++i) {
    sizes.push_back(system.joints[i].rows);
    for (const auto& block : rows.joints[i]) at_body[block.body].push_back(static_cast<int>(i));
  }
  for (const auto& joints : at_body)
    for (int i : joints)
      for (int j : joints)
        if (j < i) couplings.emplace(i, j);
  SymmetricSolver solver(sizes, {couplings.begin(), couplings.end()});
  const auto fill = [&](int i, int j) {
    const SymmetricSolver::Place place = solver.locate(i, j);
    for (int r = 0; r < sizes[i]; ++r)
      for (int c = 0; c < sizes[j]; ++c) solver.values()[place.offset + r * place.stride + c] = rows.dot(i, r, j, c);
  };
  solver.clear();
  for (std::size_t i = 0; i < sizes.size(); ++i) fill(static_cast<int>(i), static_cast<int>(i));
  for (const auto& [i, j] : couplings) solver.eliminated_before(i, j) ? fill(j, i) : fill(i, j);
  solver.factor(dependence);
  const std::vector<int> dependent = solver.dependent_rows();
  d.rank = system.rows - static_cast<int>(dependent.size());
  for (int row : dependent) {
    const int joint = system.joint_of_row(row);
    std::vector<double> shares(system.rows);
    const auto product = [&](int i) {
      for (int r = 0; r < sizes[i]; ++r)
        shares[system.joints[i].row + r] = rows.dot(i, r, joint, row - system.joints[joint].row);
    };
    for (const auto& block : rows.joints[joint])
      for (int i : at_body[block.body]) product(i);
    solver.solve(shares.data());
    d.redundancies.push_back(redundant_set(system, row, shares));
  }
}

std::vector<Overlap> find_overlaps(const Model& model, const System& system, const Placement& at) {
  Candidates candidates(model, system);
  candidates.note_sides(at);
  std::vector<Overlap> overlaps;
  for (const Candidate& c : candidates.list()) {
    const double gap = candidates.gap(at, c);
    if (!(gap < -1e-9)) continue;
    Overlap o{model.contacts[c.contact].name, {}, -gap};
    for (int body : {c.from.body, c.to.body})
      if (body >= 0) o.bodies.push_back(system.bodies[body].name);
    overlaps.push_back(o);
  }
  return overlaps;
}

}  // namespace

Diagnosis diagnose(const Model& model) {
  Model timed = model;
  if (!timed.simulation.duration) timed.simulation.duration = 1;  // nothing will run
  const System system = compile(timed);
  Dynamics dynamics(system);
  Diagnosis d;
  d.bodies = static_cast<int>(system.bodies.size());
  d.point_masses = system.points;
  d.rigid_bodies = system.rigids;
  d.joints = static_cast<int>(system.joints.size());
  d.forces = static_cast<int>(model.forces.size());
  d.events = static_cast<int>(model.events.size());
  for (const SystemBody& b : system.bodies) d.mass += b.mass;
  d.coordinates = system.nv;
  d.constraints = system.rows;
  d.solver = dynamics.is_dense() ? "dense" : "sparse";

  std::vector<double> y = system.start;
  Measurement measure(dynamics, {});
  measure.look_at(0, y.data());
  d.position_violation = measure.violation(0);
  d.velocity_violation = measure.violation(1);

  const Simulation simulation(timed);  // also checks the settings and the events
  d.start_messages = start_messages(system, simulation.start());
  d.consistent = !simulation.outcome();
  if (!d.consistent) d.fault = simulation.outcome()->describe();
  y.assign(simulation.state(), simulation.state() + system.size());
  if (!d.consistent) y = system.start;
  dynamics.place(0, y.data());
  d.energy = dynamics.energy(y.data()).total();
  d.overlaps = find_overlaps(model, system, dynamics.placement());
  const System coupled = couple_all_joints(system);
  Dynamics in_order(coupled);  // rows in the order of the joints
  in_order.place(0, y.data());
  in_order.linearise();
  find_rank(coupled, in_order.constraints(), d);
  d.degrees_of_freedom = d.coordinates - d.rank;
  return d;
}

}  // namespace plumb
