#include "plumb/study/diagnosis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "plumb/contact/contact_search.h"
#include "plumb/simulation/simulation.h"
#include "plumb/system/projection.h"
#include "plumb/system/row_rank.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

// Multipliers that do nothing may be added to any reactions: what they change is not determined.
void find_open_reactions(const System& system, const Dynamics& dynamics, const RowRank& rank, Diagnosis& d) {
  static const char* const names[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
  std::vector<std::array<bool, 6>> open(system.joints.size(), std::array<bool, 6>{});
  for (int row : rank.dependent_rows()) {
    const std::vector<double> lambda = rank.idle_multipliers(row);
    double largest = 0;
    std::vector<std::array<double, 6>> w(system.joints.size());
    for (std::size_t j = 0; j < w.size(); ++j) {
      dynamics.reaction_of(lambda.data(), static_cast<int>(j), w[j].data(), w[j].data() + 3);
      for (double x : w[j]) largest = std::max(largest, std::abs(x));
    }
    for (std::size_t j = 0; j < w.size(); ++j)
      for (std::size_t k = 0; k < 6; ++k) open[j][k] = open[j][k] || std::abs(w[j][k]) > 1e-6 * largest;
  }
  for (std::size_t j = 0; j < open.size(); ++j) {
    OpenReaction r{system.joints[j].name, {}};
    for (std::size_t k = 0; k < 6; ++k)
      if (open[j][k]) r.components.emplace_back(names[k]);
    if (!r.components.empty()) d.open_reactions.push_back(r);
  }
}

// The rank at poses a little away from y, in a few directions the joints leave free.
int rank_nearby(const System& system, const std::vector<double>& y, RowRank& rank, int here) {
  Dynamics dynamics(system);
  Projection projection(dynamics);
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  int best = here;
  for (int attempt = 0; attempt < 6; ++attempt) {
    std::vector<double> z = y, move(system.nv);
    for (double& x : move) x = normal(random);
    dynamics.place(0, z.data());
    dynamics.linearise();
    dynamics.factor();
    std::ranges::copy(move, z.begin() + system.nq);
    projection.project_velocity(z.data());
    double largest = 1e-300;
    for (int i = 0; i < system.nv; ++i) largest = std::max(largest, std::abs(z[system.nq + i]));
    for (int i = 0; i < system.nv; ++i) move[i] = 0.02 * z[system.nq + i] / largest;
    displace(system, move.data(), z.data());
    if (!projection.assemble(0, z.data()).converged) continue;
    dynamics.place(0, z.data());
    dynamics.linearise();
    best = std::max(best, rank.find(dynamics.constraints()));
  }
  return best;
}

// Rows that follow from the others wherever the mechanism goes ask for nothing: lambda.gamma = 0 at every velocity the
// joints allow, lambda their idle multipliers. Rows for which that fails depend on the others at this pose only.
int singular_rows(const System& system, Dynamics& dynamics, const RowRank& rank, const std::vector<double>& y) {
  Projection projection(dynamics);
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> z = y, gamma(system.rows), still(system.nv);
  dynamics.place(0, z.data());
  dynamics.linearise();
  dynamics.factor();
  for (int i = 0; i < system.nv; ++i) z[system.nq + i] = normal(random);
  projection.project_velocity(z.data());
  dynamics.place(0, z.data());
  dynamics.acceleration_residual(still.data(), gamma.data());
  int singular = 0;
  for (int row : rank.dependent_rows()) {
    const std::vector<double> lambda = rank.idle_multipliers(row);
    double sum = 0, size = 0;
    for (int r = 0; r < system.rows; ++r) {
      sum += lambda[r] * gamma[r];
      size += std::abs(lambda[r]) * (1 + std::abs(gamma[r]));
    }
    singular += std::abs(sum) > 1e-6 * size;
  }
  return singular;
}

// Which rows depend on which others.
void find_rank(const System& system, Dynamics& dynamics, const std::vector<double>& y, Diagnosis& d) {
  RowRank rank(system);
  d.rank = rank.find(dynamics.constraints());
  for (int row : rank.dependent_rows()) {
    Redundancy r;
    for (int joint : rank.sharing_joints(row)) r.joints.push_back(system.joints[joint].name);
    std::ranges::sort(r.joints);
    d.redundancies.push_back(r);
  }
  if (d.redundancies.empty()) return;
  find_open_reactions(system, dynamics, rank, d);
  const int singular = singular_rows(system, dynamics, rank, y);
  d.singular_start = singular;
  if (d.consistent) d.singular_start = std::max(singular, rank_nearby(system, y, rank, d.rank) - d.rank);
}

std::vector<Overlap> find_overlaps(const Model& model, const System& system, const double* y) {
  const Scene scene(model, system);
  Dynamics dynamics(system);
  dynamics.place(0, y);
  ContactSearch search(scene);
  search.place(dynamics.placement());
  Facing facing;
  search.note_sides(0, facing);
  std::vector<Overlap> overlaps;
  std::vector<ContactPlace> places;
  for (int i = 0; i < search.candidates(); ++i) {
    const double gap = search.gap(i, facing);
    if (!(gap < -1e-9)) continue;
    places.clear();
    search.find(i, facing, 0, places);
    Overlap o{scene.laws()[places[0].contact].name, {}, -gap};
    for (int body : {scene.from_member(places[0]), scene.to_member(places[0])})
      if (body >= 0) o.bodies.push_back(system.members[body].name);
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
  Formulation formulation(dynamics, nullptr, Formulation::Kind::projected, {});
  Measurement measure(formulation, nullptr);
  measure.look_at(0, y.data());
  d.position_violation = measure.violation(0);
  d.velocity_violation = measure.violation(1);

  const Simulation simulation(timed);  // also checks the settings and the events
  d.start_messages = start_messages(system, simulation.start());
  d.consistent = !simulation.outcome();
  if (!d.consistent) d.fault = simulation.outcome()->describe();
  if (d.consistent) y = simulation.written_state();
  dynamics.place(0, y.data());
  d.energy = dynamics.energy(y.data()).total();
  d.overlaps =
      find_overlaps(model, simulation.system(), d.consistent ? simulation.state() : simulation.system().start.data());
  const System coupled = couple_all_joints(system);
  Dynamics in_order(coupled);  // rows in the order of the joints
  in_order.place(0, y.data());
  in_order.linearise();
  find_rank(coupled, in_order, y, d);
  d.nonholonomic = static_cast<int>(system.velocity_rows().size());
  d.suspicions = mass_suspicions(model, system);
  d.unheld = unheld_bodies(model);
  if (d.consistent && model.simulation.duration)
    d.unreachable = unreachable_drives(system, y, *model.simulation.duration);
  d.degrees_of_freedom = d.coordinates - d.rank;
  return d;
}

}  // namespace plumb
