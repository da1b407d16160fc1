#include "plumb/contact/impact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plumb/contact/contact_forces.h"
#include "plumb/contact/tolerances.h"

namespace plumb {
namespace {

double largest(const std::vector<double>& x) {
  double m = 0;
  for (double v : x) m = std::max(m, std::abs(v));
  return m;
}

Vec3 vec(const double* x) { return {x[0], x[1], x[2]}; }

// -½ p.(u- + u+): what the impulses take out.
double energy_taken(const ContactRows& rows, const std::vector<double>& u, const std::vector<double>& p) {
  const int n = static_cast<int>(u.size());
  double taken = 0;
  for (int i = 0; i < n; ++i) {
    double after = u[i];
    for (int j = 0; j < n; ++j) after += rows.entry(i, j) * p[j];
    taken -= 0.5 * p[i] * (u[i] + after);
  }
  return taken;
}

}  // namespace

ConeSolution solve_impact(const ContactRows& rows, const std::vector<ImpactLaw>& laws, const std::vector<double>& u,
                          std::vector<double>& p, const ConeEffort& effort) {
  const std::size_t n = u.size(), contacts = laws.size();
  std::vector<double> b = u, mu(contacts);
  for (std::size_t k = 0; k < contacts; ++k) mu[k] = laws[k].friction;
  const ConeProblem problem{static_cast<int>(contacts), rows.matrix(), b.data(), mu.data()};
  if (!effort.goes_on || p.size() != n) p.assign(n, 0.0);
  const bool newton = std::ranges::all_of(laws, [](const ImpactLaw& l) { return l.law == Contact::Law::newton; });
  if (newton) {
    for (std::size_t k = 0; k < contacts; ++k) b[3 * k] += laws[k].restitution * std::min(u[3 * k], 0.0);
    const ConeSolution s = solve_cones(problem, p.data(), effort.tolerance, effort.sweeps);
    // With friction Newton's law may give energy; then Poisson's, which does not, is taken.
    if (!s.is_usable() || energy_taken(rows, u, p) >= 0) return s;
    p.assign(n, 0.0);
    b = u;
  }
  // Compression: restitution zero.
  const ConeSolution compression = solve_cones(problem, p.data(), effort.tolerance, effort.sweeps);
  if (!compression.is_usable()) return compression;
  // Expansion: a normal impulse of e p_c and, where contacts would close again, more; with its own friction.
  std::vector<double> least(contacts), q(n);
  for (std::size_t k = 0; k < contacts; ++k) least[k] = laws[k].restitution * p[3 * k];
  if (std::ranges::all_of(least, [](double x) { return x == 0; })) return compression;
  for (std::size_t k = 0; k < contacts; ++k) p[3 * k] += least[k];
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) b[i] += rows.entry(static_cast<int>(i), static_cast<int>(j)) * p[j];
  ConeProblem expanding = problem;
  expanding.offset = least.data();
  const ConeSolution expansion = solve_cones(expanding, q.data(), effort.tolerance, effort.sweeps);
  for (std::size_t i = 0; i < n; ++i) p[i] += q[i];
  return expansion;
}

ImpactSolver::ImpactSolver(const Scene& scene, Dynamics& dynamics, ContactSearch& search)
    : scene_(scene),
      system_(dynamics.system()),
      dynamics_(dynamics),
      search_(search),
      held_(scene, dynamics),
      lambda_(system_.rows),
      g_t_(system_.rows) {}

// Rows of everything that touches, patches with common tangents.
void ImpactSolver::build(double t, const double* y, const std::vector<ContactPlace>& touching) {
  dynamics_.place(t, y);
  if (system_.rows > 0) {
    dynamics_.linearise();
    dynamics_.factor();
  }
  search_.place(dynamics_.placement());
  contacts_.clear();
  laws_.clear();
  for (const ContactPlace& place : touching) {
    const Contact& law = scene_.laws()[place.contact];
    contacts_.push_back({place, Grip::stick, Vec3::Zero()});
    laws_.push_back({law.restitution, law.friction, law.law});
  }
  held_.build(contacts_, 0);
  before_.resize(3 * touching.size());
  for (int i = 0; i < held_.size(); ++i) before_[i] = held_.rows().speed(i);
}

// As for accelerations (contact/contact_modes.cpp): where a disc that lies flat would go on to close.
bool ImpactSolver::add_spots(const Facing& facing, std::vector<ContactPlace>& touching) {
  bool added = false;
  const int n = held_.rows().contacts();
  const double slow = tolerance::rest * (1 + largest(before_));
  for (int i = 0; i < n;) {
    int j = i + 1;
    const ContactPlace first = contacts_[i].place;
    while (j < n && first.pair >= 0 && contacts_[j].place.pair == first.pair) ++j;
    const auto is_spot = [](const ClosedContact& c) {
      return c.place.touching.from.kind == Part::Kind::spot || c.place.touching.to.kind == Part::Kind::spot;
    };
    if (j - i >= 3 && std::any_of(contacts_.begin() + i, contacts_.begin() + j, is_spot)) {
      const Vec3 slope = held_.slope(i, j, after_);
      spots_.clear();
      if (slope.norm() * scene_.size() > slow && search_.find_spot(first.pair, facing, -slope, spots_)) {
        const ContactPlace& place = spots_[0];
        const Touch t = touch(scene_, dynamics_.placement(), place);
        const double there = after_[3 * i] + slope.dot(vec(t.point) - vec(held_.rows().touch(i).point));
        const bool is_new = std::ranges::none_of(touching, [&](const ContactPlace& p) { return p.is_same(place); });
        if (there < -slow && is_new) {
          touching.push_back(place);
          added = true;
        }
      }
    }
    i = j;
  }
  if (added)
    std::ranges::stable_sort(touching, {}, [](const ContactPlace& p) { return std::pair(p.pair < 0, p.pair); });
  return added;
}

// Whether pushing cannot stop what approaches: p >= 0 with the least approach left, contact by contact. Only what
// drives prescribe does not give way.
bool ImpactSolver::is_blocked(double still, int& worst) const {
  worst = -1;
  if (!system_.is_driven) return false;
  const int n = held_.rows().contacts();
  std::vector<double> p(static_cast<std::size_t>(n), 0.0);
  const auto approach = [&](int k) {
    double u = before_[3 * k];
    for (int j = 0; j < n; ++j) u += held_.rows().entry(3 * k, 3 * j) * p[j];
    return u;
  };
  for (int sweep = 0; sweep < 1000; ++sweep)
    for (int k = 0; k < n; ++k) {
      const double give = held_.rows().entry(3 * k, 3 * k);
      if (give > tolerance::immovable * held_.rows().free_entry(3 * k)) p[k] = std::max(0.0, p[k] - approach(k) / give);
    }
  double least = -still;
  worst = -1;
  for (int k = 0; k < n; ++k)
    if (const double u = approach(k); u < least) {
      least = u;
      worst = k;
    }
  return worst >= 0;
}

void ImpactSolver::fail(const ConeSolution& solution, double lost, const std::vector<ContactPlace>& touching,
                        ImpactReport& report) {
  int worst = -1;
  const bool blocked = is_blocked(1e-6 * (1 + largest(before_)), worst);
  report.result = blocked ? ImpactReport::Result::blocked : ImpactReport::Result::unsolved;
  report.worst = touching[std::max(worst, 0)];
  report.fault = blocked ? "nothing gives way"
                 : lost < 0
                     ? fmt::format("the impact would add {:.3g} J", -lost)
                     : fmt::format("no impulses were found in {} sweeps; they still change by {:.1g} of their size",
                                   solution.sweeps, solution.change);
}

Impact ImpactSolver::entry(int k, const ContactPlace& place, double t) const {
  const Touch& touch = held_.rows().touch(k);
  Impact e;
  e.contact = place.contact;
  e.from = scene_.from_member(place);
  e.to = scene_.to_member(place);
  e.time = t;
  e.is_angular = touch.turns;
  e.point = vec(touch.point);
  e.normal = vec(touch.normal);
  e.normal_before = before_[3 * k];
  e.normal_after = after_[3 * k];
  e.tangential_before = held_.rows().across(k, before_.data() + 3 * k);
  e.tangential_after = held_.rows().across(k, after_.data() + 3 * k);
  e.normal_impulse = p_[3 * k];
  e.tangential_impulse = held_.rows().across(k, p_.data() + 3 * k);
  for (int i = 0; i < 3; ++i) e.energy_lost -= 0.5 * p_[3 * k + i] * (before_[3 * k + i] + after_[3 * k + i]);
  if (scene_.is_exchanged(place)) e.exchange();
  return e;
}

// v += P Cᵀ p, and the loss into the account; as work what driven joints do by bearing the blow: -g_t.lambda.
void ImpactSolver::apply(double lost, double* y) {
  std::ranges::fill(lambda_, 0.0);
  for (int row = 0; row < held_.size(); ++row) {
    if (p_[row] == 0) continue;
    held_.rows().push(row, p_[row], y + system_.nq);
    held_.rows().push_joints(row, p_[row], lambda_.data());
  }
  double* const account = y + system_.nq + system_.nv;
  account[1] += lost;
  if (!system_.is_driven) return;
  dynamics_.constraints().drive(g_t_.data());
  for (int r = 0; r < system_.rows; ++r) account[0] -= g_t_[r] * lambda_[r];
}

// Corners of a patch share an impulse in more ways than one. Where nothing slips the shares of least norm are taken, if
// they are impulses too: they do not depend on the order in which corners are listed.
void ImpactSolver::spread() {
  even_ = p_;
  held_.spread(even_.data());
  const double slow = tolerance::rest * (1 + largest(before_)), small = tolerance::force * largest(p_);
  for (int k = 0; k < held_.rows().contacts(); ++k) {
    double u[3];
    for (int i = 0; i < 3; ++i) {
      u[i] = before_[3 * k + i];
      for (int j = 0; j < held_.size(); ++j) u[i] += held_.rows().entry(3 * k + i, j) * p_[j];
    }
    const bool slips = laws_[k].friction > 0 && std::hypot(u[1], u[2]) > slow;
    const double across = std::hypot(even_[3 * k + 1], even_[3 * k + 2]);
    if (slips || even_[3 * k] < 0 || across > laws_[k].friction * even_[3 * k] + small) return;
    // Newton's law asks something of contacts that press only.
    if (even_[3 * k] > small && p_[3 * k] <= small) {
      const double wanted = -laws_[k].restitution * std::min(before_[3 * k], 0.0);
      if (std::abs(u[0] - wanted) > slow) return;
    }
  }
  p_ = even_;
}

// A contact that parts with u and is pulled back by a rises by u²/2a. Where that is below what the gap can resolve, the
// bounces still to come (they last 2u/a, e 2u/a, e² 2u/a, …) are summed up: it does not rebound at all.
void ImpactSolver::end_bounces(double t, double close, const double* a) {
  rest_from_.assign(contacts_.size(), -1.0);
  pull_.assign(contacts_.size(), 0.0);
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    double& e = laws_[k].restitution;
    const double u = -e * before_[3 * k], pull = -held_.rows().acceleration(3 * static_cast<int>(k), a);
    pull_[k] = pull;
    if (!(u > 0 && e < 1 && pull > 0 && u * u / (2 * pull) < close)) continue;
    rest_from_[k] = t + 2 * u / (pull * (1 - e));
    e = 0;
  }
}

ImpactReport ImpactSolver::strike(double t, double* y, const double* a, const Facing& facing,
                                  std::vector<ContactPlace>& touching, int jammed, double pressing) {
  ImpactReport report;
  if (touching.empty()) return report;
  double lost = 0, energy_before = 0;
  for (int round = 0; round < 40; ++round) {
    build(t, y, touching);
    // A disc may approach between the points looked at.
    after_ = before_;
    if (add_spots(facing, touching)) continue;
    const double still = rest_speed(system_, y);
    bool approaching = jammed >= 0;
    for (std::size_t k = 0; k < touching.size(); ++k) approaching = approaching || before_[3 * k] < -still;
    if (!approaching) return report;
    end_bounces(t, touch_distance(scene_, y), a);
    // What jams is pressed closed a little, and stopped without rebound.
    std::vector<double> u = before_;
    const double slow = 4 * pressing * system_.gravity.norm();
    for (std::size_t k = 0; pressing > 0 && k < touching.size(); ++k)
      if (before_[3 * k] > -slow - still) laws_[k].restitution = 0;
    for (std::size_t k = 0; jammed >= 0 && k < touching.size(); ++k) {
      laws_[k].restitution = 0;
      if (touching[k].contact == jammed) u[3 * k] -= still;
    }
    // Of many small steps each goes on where the last one left off.
    const ConeSolution solution =
        solve_impact(held_.rows(), laws_, u, p_, pressing > 0 ? small_step_effort : ConeEffort());
    if (solution.is_usable()) spread();
    energy_before = dynamics_.energy(y).total();
    after_.resize(before_.size());
    lost = 0;
    const int n = held_.size();
    for (int i = 0; i < n; ++i) {
      after_[i] = before_[i];
      for (int j = 0; j < n; ++j) after_[i] += held_.rows().entry(i, j) * p_[j];
      lost -= 0.5 * p_[i] * (before_[i] + after_[i]);
    }
    double inward = 0;
    for (std::size_t k = 0; k < touching.size(); ++k) inward = std::max(inward, -after_[3 * k]);
    const bool stopped = inward <= 10 * still + 1e-7 * largest(before_);
    if (((!solution.is_usable() || !stopped) && pressing == 0) || lost < -1e-12 * (1 + std::abs(energy_before))) {
      fail(solution, lost, touching, report);
      return report;
    }
    if (!add_spots(facing, touching)) break;
  }
  // Impulses that do not do what was found of them are none.
  const std::vector<double> from(y + system_.nq, y + system_.nq + system_.nv + system_.nw);
  apply(lost, y);
  dynamics_.place(t, y);
  const double energy_after = dynamics_.energy(y).total();
  const double work = y[system_.nq + system_.nv] - from[static_cast<std::size_t>(system_.nv)];
  const double missing = std::abs(energy_before + work - energy_after - lost);
  if (!(missing <= 1e-9 * (1 + std::abs(lost) + std::abs(energy_before)))) {
    std::ranges::copy(from, y + system_.nq);
    fail({}, lost, touching, report);
    report.impacts.clear();
    return report;
  }
  for (std::size_t k = 0; k < touching.size(); ++k)
    if (p_[3 * k] > 0) {
      report.impacts.push_back(entry(static_cast<int>(k), touching[k], t));
      report.impacts.back().at_rest_from = rest_from_[k];
      report.pulls.push_back(pull_[k]);
      if (jammed >= 0) report.impacts.back().kind = Impact::Kind::jam;
    }
  for (Impact& i : report.impacts) {
    i.energy_before = energy_before;
    i.energy_after = energy_after;
  }
  return report;
}

}  // namespace plumb
