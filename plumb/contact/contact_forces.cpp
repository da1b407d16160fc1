#include "plumb/contact/contact_forces.h"

#include <algorithm>
#include <cmath>

#include "plumb/contact/tolerances.h"

namespace plumb {
namespace {

double largest(const double* x, int n) {
  double m = 0;
  for (int i = 0; i < n; ++i) m = std::max(m, std::abs(x[i]));
  return m;
}

}  // namespace

double rest_speed(const System& system, const double* y) {
  return tolerance::rest * (1 + largest(y + system.nq, system.nv));
}

ContactForces::ContactForces(const Scene& scene, Dynamics& dynamics, const std::vector<ClosedContact>& closed)
    : scene_(scene),
      system_(dynamics.system()),
      dynamics_(dynamics),
      closed_(closed),
      projection_(dynamics),
      held_(scene, dynamics),
      move_(system_.nv) {
  load_.acceleration.resize(system_.nv);
  load_.multipliers.resize(system_.rows);
}

const ContactLoad& ContactForces::find(const double* y, const double* a) {
  load_.p.assign(3 * closed_.size(), 0.0);
  forces_.assign(closed_.size(), Vec3::Zero());
  std::ranges::fill(load_.acceleration, 0.0);
  std::ranges::fill(load_.multipliers, 0.0);
  load_.rubbed = 0;
  if (closed_.empty()) return load_;
  const double still = rest_speed(system_, y);
  for_each_island(closed_, [&](std::size_t first, std::span<const ClosedContact> island) {
    held_.build(island, still);
    const ContactRows& rows = held_.rows();
    double* const forces = load_.p.data() + 3 * first;
    b_.resize(3 * island.size());
    for (int i = 0; i < rows.size(); ++i) b_[i] = rows.acceleration(i, a);
    held_.solve(HeldRows::Level::forces, b_.data(), forces);
    for (int i = 0; i < rows.size(); ++i) {
      const double p = forces[i];
      if (p == 0) continue;
      rows.push(i, p, load_.acceleration.data());
      rows.push_joints(i, p, load_.multipliers.data());
      forces_[first + i / 3] += p * Eigen::Map<const Vec3>(rows.axis(i / 3, i % 3));
      const bool rubs = i % 3 > 0 || island[i / 3].place.is_rubbing_joint();
      if (rubs && island[i / 3].grip != Grip::stick) load_.rubbed -= p * rows.speed(i);
    }
  });
  return load_;
}

Vec3 ContactForces::force(int contact) const {
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 0; k < closed_.size() && k < forces_.size(); ++k)
    if (closed_[k].place.contact == contact)
      sum += scene_.is_exchanged(closed_[k].place) ? Vec3(-forces_[k]) : forces_[k];
  return sum;
}

void ContactForces::place_with_joints(double t, const double* y) {
  dynamics_.place(t, y);
  if (system_.rows == 0) return;
  dynamics_.linearise();
  dynamics_.factor();
}

void ContactForces::settle(double t, double* y) {
  if (closed_.empty()) return;
  const double target = tolerance::unit * 4 * (scene_.size() + largest(y, system_.nq)), still = rest_speed(system_, y);
  p_.resize(3 * closed_.size());
  for (int pass = 0; pass < 4; ++pass) {
    place_with_joints(t, y);
    std::ranges::fill(move_, 0.0);
    double worst = 0;
    for_each_island(closed_, [&](std::size_t, std::span<const ClosedContact> island) {
      held_.build(island, still);
      b_.assign(3 * island.size(), 0.0);
      double open = 0;
      for (std::size_t k = 0; k < island.size(); ++k) {
        b_[3 * k] = held_.rows().touch(static_cast<int>(k)).gap;
        open = std::max(open, std::abs(b_[3 * k]));
      }
      worst = std::max(worst, open);
      if (!(open > target)) return;
      held_.solve(HeldRows::Level::positions, b_.data(), p_.data());
      for (int i = 0; i < held_.size(); i += 3) held_.rows().push(i, p_[i], move_.data());
    });
    if (!(worst > target)) break;
    displace(system_, move_.data(), y);
    if (system_.rows > 0) projection_.apply(t, y);
    if (pass == 3) place_with_joints(t, y);
  }
  for_each_island(closed_, [&](std::size_t, std::span<const ClosedContact> island) {
    held_.build(island, still);
    b_.resize(3 * island.size());
    for (int i = 0; i < held_.size(); ++i) b_[i] = held_.rows().speed(i);
    held_.solve(HeldRows::Level::velocities, b_.data(), p_.data());
    for (int i = 0; i < held_.size(); ++i) held_.rows().push(i, p_[i], y + system_.nq);
  });
}

void ContactForces::push_apart(double t, double* y, const std::vector<ContactPlace>& places) {
  const double target = 0.25 * touch_distance(scene_, y);
  dynamics_.place(t, y);
  const double before = dynamics_.energy(y).total();
  bool moved = false;
  for (int pass = 0; pass < 10; ++pass) {
    place_with_joints(t, y);
    overlapping_.clear();
    for (const ContactPlace& p : places)
      if (gap(scene_, dynamics_.placement(), p) < -target) overlapping_.push_back({p, Grip::slip, Vec3::Zero()});
    if (overlapping_.empty()) break;
    held_.build(overlapping_, 0);
    b_.assign(3 * overlapping_.size(), 0.0);
    p_.assign(3 * overlapping_.size(), 0.0);
    for (std::size_t k = 0; k < overlapping_.size(); ++k) b_[3 * k] = held_.rows().touch(static_cast<int>(k)).gap;
    held_.solve(HeldRows::Level::positions, b_.data(), p_.data());
    std::ranges::fill(move_, 0.0);
    for (int i = 0; i < held_.size(); i += 3) held_.rows().push(i, p_[i], move_.data());
    displace(system_, move_.data(), y);
    moved = true;
    if (system_.rows > 0) projection_.apply(t, y);
  }
  if (!moved) return;
  dynamics_.place(t, y);
  y[system_.nq + system_.nv + 1] += before - dynamics_.energy(y).total();
}

}  // namespace plumb
