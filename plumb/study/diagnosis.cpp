#include "plumb/study/diagnosis.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <Eigen/SparseQR>
#include <algorithm>
#include <cmath>
#include <set>

#include "plumb/simulation/simulation.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

using Sparse = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

// Columns are the constraint rows in the mass metric, M^(-1/2) Gᵀ, scaled to length 1.
Sparse scaled_constraints(const System& system, const Constraints& constraints) {
  std::vector<Eigen::Triplet<double>> entries;
  for (const SystemJoint& j : system.joints)
    for (int r = 0; r < j.rows; ++r) {
      std::vector<Eigen::Triplet<double>> column;
      double square = 0;
      const auto put = [&](int velocity, double value, double inverse_mass) {
        const double x = value * std::sqrt(inverse_mass);
        if (x != 0) column.emplace_back(velocity, j.row + r, x);
        square += x * x;
      };
      const auto side = [&](const End& e, double sign, int block) {
        if (e.kind == BodyKind::ground) return;
        const SystemBody& b = system.bodies[e.body];
        for (int k = 0; k < 3; ++k) put(b.v + k, sign * constraints.linear()[j.linear_block() + 3 * r + k], 1 / b.mass);
        if (e.kind == BodyKind::point) return;
        for (int k = 0; k < 3; ++k) put(b.v + 3 + k, constraints.angular()[block + 3 * r + k], 1 / b.moments[k]);
      };
      side(j.from, -1, j.from_block());
      side(j.to, 1, j.to_block());
      for (const auto& t : column) entries.emplace_back(t.row(), t.col(), t.value() / std::sqrt(square));
    }
  Sparse A(system.nv, system.rows);
  A.setFromTriplets(entries.begin(), entries.end());
  A.makeCompressed();
  return A;
}

void find_rank(const System& system, const Constraints& constraints, Diagnosis& d) {
  if (system.rows == 0) return;
  Eigen::SparseQR<Sparse, Eigen::COLAMDOrdering<int>> qr;
  qr.setPivotThreshold(1e-9);
  qr.compute(scaled_constraints(system, constraints));
  d.rank = static_cast<int>(qr.rank());
  // A dependent column is a combination of the independent ones: R11 x = r12. The joints with a share in it
  // are the redundant set.
  const Sparse R = qr.matrixR();
  const auto& order = qr.colsPermutation().indices();
  const Sparse R11 = R.topLeftCorner(d.rank, d.rank);
  for (int c = d.rank; c < system.rows; ++c) {
    Eigen::VectorXd x = Eigen::VectorXd(R.col(c)).head(d.rank);
    R11.triangularView<Eigen::Upper>().solveInPlace(x);
    std::set<std::string> joints = {system.joints[system.joint_of_row(order[c])].name};
    for (int i = 0; i < d.rank; ++i)
      if (std::abs(x[i]) > 1e-6) joints.insert(system.joints[system.joint_of_row(order[i])].name);
    d.redundancies.push_back({{joints.begin(), joints.end()}});
  }
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
  d.consistent = simulation.start().consistent;
  if (!d.consistent) d.fault = simulation.outcome()->describe();
  y.assign(simulation.state(), simulation.state() + system.size());
  if (!d.consistent) y = system.start;
  dynamics.place(0, y.data());
  dynamics.linearise();
  d.energy = dynamics.energy(y.data()).total();
  find_rank(system, dynamics.constraints(), d);
  d.degrees_of_freedom = d.coordinates - d.rank;
  return d;
}

}  // namespace plumb
