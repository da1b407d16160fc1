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
    : system_(couple_all_joints(system)), dynamics_(system_), rank_(system_), between_(system_.size()) {
  for (Look& l : looks_) l.y.resize(system_.size()), l.rate.resize(system_.nq);
}

double SingularityWatch::volume(double t, const double* y) {
  dynamics_.place(t, y);
  dynamics_.linearise();
  best_rank_ = std::max(best_rank_, rank_.find(dynamics_.constraints()));
  return rank_.log_volume();
}

void SingularityWatch::on_step(const Moment& m) {
  if (seen_ > 0 && m.t <= looks_[2].t) return;  // an impact: the same instant again
  std::rotate(looks_.begin(), looks_.begin() + 1, looks_.end());
  Look& now = looks_[2];
  now.t = m.t;
  std::copy_n(m.y, system_.size(), now.y.begin());
  coordinate_rates(system_, m.y, now.rate.data());
  now.volume = volume(m.t, m.y);
  dynamics_.keep_turns();
  if (++seen_ >= 3 && looks_[1].volume < looks_[0].volume && looks_[1].volume <= looks_[2].volume) search();
}

// Cubic Hermite interpolation of the coordinates between the two looks around t.
double SingularityWatch::volume_between(double t) {
  const int k = t < looks_[1].t ? 0 : 1;
  const Look &a = looks_[k], &b = looks_[k + 1];
  const double h = b.t - a.t, x = (t - a.t) / h;
  const double a0 = (1 + 2 * x) * (1 - x) * (1 - x), a1 = x * (1 - x) * (1 - x), b0 = x * x * (3 - 2 * x),
               b1 = x * x * (x - 1);
  for (int i = 0; i < system_.nq; ++i)
    between_[i] = a0 * a.y[i] + h * a1 * a.rate[i] + b0 * b.y[i] + h * b1 * b.rate[i];
  return volume(t, between_.data());
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
  if (rank == best_rank_ && rank_.smallest_pivot() > 1e-9) return;
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
