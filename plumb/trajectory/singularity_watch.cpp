#include "plumb/trajectory/singularity_watch.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace plumb {
namespace {

// q' = N(q) v
void coordinate_rates(const System& system, const double* y, double* rate) {
  const double* const v = y + system.nq;
  for (const SystemBody& b : system.bodies) {
    kernel::copy(rate + b.q, v + b.v);
    if (b.kind == BodyKind::rigid) kernel::quaternion_rate(y + b.q + 3, v + b.v + 3, rate + b.q + 3);
  }
}

}  // namespace

bool has_loops(const System& system) {
  std::vector<int> tree(system.bodies.size() + 1);  // the ground is the last
  std::iota(tree.begin(), tree.end(), 0);
  const auto root = [&](int i) {
    while (tree[i] != i) i = tree[i] = tree[tree[i]];
    return i;
  };
  const int ground = static_cast<int>(system.bodies.size());
  for (const SystemJoint& j : system.joints) {
    if (j.coupler >= 0 || j.rows == 0) continue;
    const int a = root(j.from.body >= 0 ? j.from.body : ground), b = root(j.to.body >= 0 ? j.to.body : ground);
    if (a == b) return true;
    tree[a] = b;
  }
  return false;
}

SingularityWatch::SingularityWatch(const System& system)
    : system_(couple_all_joints(system)), dynamics_(system_), rank_(system_) {
  for (Look* l : {&looks_[0], &looks_[1], &looks_[2], &last_, &now_, &between_})
    l->y.resize(system_.size()), l->rate.resize(system_.nq);
}

double SingularityWatch::volume(double t, const double* y) {
  dynamics_.place(t, y);
  dynamics_.linearise();
  best_rank_ = std::max(best_rank_, rank_.find(dynamics_.constraints()));
  return rank_.log_volume();
}

// Steps in which bodies turn far are looked at in several places, so that no minimum hides between others.
void SingularityWatch::on_step(const Moment& m) {
  if (seen_ > 0 && m.t <= last_.t) return;  // an impact: the same instant again
  now_.t = m.t;
  std::copy_n(m.y, system_.size(), now_.y.begin());
  coordinate_rates(system_, m.y, now_.rate.data());
  if (seen_ > 0) {
    double fastest = 0;
    for (int i = 0; i < system_.nv; ++i) fastest = std::max(fastest, std::abs(m.y[system_.nq + i]));
    const int parts = std::clamp(static_cast<int>(std::ceil(fastest * (m.t - last_.t) / 0.1)), 1, 8);
    for (int k = 1; k < parts; ++k) {
      Look& inside = next_look();
      interpolate(last_, now_, last_.t + (m.t - last_.t) * k / parts, inside);
      look(inside);
    }
  }
  Look& end = next_look();
  end.t = now_.t, end.y = now_.y, end.rate = now_.rate;
  look(end);
  dynamics_.keep_turns();
  std::swap(last_, now_);
}

SingularityWatch::Look& SingularityWatch::next_look() {
  std::rotate(looks_.begin(), looks_.begin() + 1, looks_.end());
  ++seen_;
  return looks_[2];
}

void SingularityWatch::look(Look& l) {
  l.volume = volume(l.t, l.y.data());
  if (seen_ >= 3 && looks_[1].volume < looks_[0].volume && looks_[1].volume <= looks_[2].volume) search();
}

// Cubic Hermite interpolation of the coordinates and of their rates.
void SingularityWatch::interpolate(const Look& a, const Look& b, double t, Look& out) const {
  const double h = b.t - a.t, x = (t - a.t) / h;
  const double a0 = (1 + 2 * x) * (1 - x) * (1 - x), a1 = x * (1 - x) * (1 - x), b0 = x * x * (3 - 2 * x),
               b1 = x * x * (x - 1);
  const double slope = 6 * x * (1 - x), a2 = (1 - x) * (1 - 3 * x), b2 = x * (3 * x - 2);
  out.t = t;
  out.y = b.y;
  for (int i = 0; i < system_.nq; ++i) {
    out.y[i] = a0 * a.y[i] + h * a1 * a.rate[i] + b0 * b.y[i] + h * b1 * b.rate[i];
    out.rate[i] = slope * (b.y[i] - a.y[i]) / h + a2 * a.rate[i] + b2 * b.rate[i];
  }
}

double SingularityWatch::volume_between(double t) {
  const std::size_t k = t < looks_[1].t ? 0 : 1;
  interpolate(looks_[k], looks_[k + 1], t, between_);
  return volume(t, between_.y.data());
}

void SingularityWatch::search() {
  double low = looks_[0].t, high = looks_[2].t;
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double a = high - golden * (high - low), b = low + golden * (high - low);
  double fa = volume_between(a), fb = volume_between(b);
  while (high - low > 1e-10 * (1 + high)) {
    if (fa < fb)
      high = b, b = a, fb = fa, a = high - golden * (high - low), fa = volume_between(a);
    else
      low = a, a = b, fa = fb, b = low + golden * (high - low), fb = volume_between(b);
  }
  volume_between((low + high) / 2);
  const std::vector<int> dependent = rank_.dependent_rows();
  const int rank = system_.rows - static_cast<int>(dependent.size());
  // Pivots are squares of distances, which the cubic, off the constraints by this much, cannot show to vanish exactly.
  std::vector<double> open(system_.rows);
  dynamics_.residual(open.data());
  double off = 0;
  for (double g : open) off = std::max(off, std::abs(g));
  if (rank == best_rank_ && rank_.smallest_pivot() > std::max(1e-9, 9 * off * off)) return;
  SingularPosition p{(low + high) / 2, {}};
  std::vector<int> joints;
  for (int row : dependent)
    for (int j : rank_.sharing_joints(row)) joints.push_back(j);
  std::ranges::sort(joints);
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
  for (int j : joints) p.joints.push_back(system_.joints[j].name);
  found_.push_back(p);
}

}  // namespace plumb
