#include "plumb/equations/branch_watch.h"

#include <algorithm>
#include <cmath>

namespace plumb {
namespace {

// Part of the change of an unknown by which it may differ from what its rates say, and of its size that is no jump.
constexpr double of_change = 0.25, of_size = 1e-3;

}  // namespace

void BranchWatch::begin(double t, const double* y) {
  flow_.follow(nullptr);
  sizes_.assign(flow_.reduction().tops.size(), 0.0);
  left_.reset();
  renew(t, y);
  flow_.follow(&branch_);
}

void BranchWatch::renew(double t, const double* y) {
  if (!is_needed()) return;
  Branch::Point here;
  flow_.look(t, y, here);
  std::swap(branch_.begin, here);
  branch_.has_end = false;
  note_sizes(branch_.begin);
}

void BranchWatch::note_sizes(const Branch::Point& p) {
  for (std::size_t i = 0; i < sizes_.size(); ++i)
    if (std::isfinite(p.x[i])) sizes_[i] = std::max(sizes_[i], std::abs(p.x[i]));
}

double BranchWatch::leaving(double t, const double* y) {
  if (!is_needed()) return 0;
  branch_.has_end = false;
  left_.reset();
  Branch::Point &from = branch_.begin, &to = branch_.end;
  flow_.begin_step();
  flow_.look(t, y, to);
  const double h = t - from.t;
  double worst = 0;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    if (!flow_.is_nonlinear(static_cast<int>(i))) continue;
    const double change = to.x[i] - from.x[i], expected = h * (from.rate[i] + to.rate[i]) / 2;
    const double moved = std::abs(change) + h * (std::abs(from.rate[i]) + std::abs(to.rate[i])) / 2;
    const double off =
        std::abs(change - expected) / (of_change * moved + of_size * std::max(sizes_[i], std::abs(to.x[i])));
    if (off <= worst) continue;
    worst = std::isfinite(off) ? off : 1e9;
    left_ = static_cast<int>(i);
  }
  if (worst > 1) return worst;
  left_.reset();
  branch_.has_end = true;
  return worst;
}

void BranchWatch::accepted(double t, const double* y) {
  if (!is_needed()) return;
  if (!branch_.has_end || branch_.end.t != t) return renew(t, y);
  std::swap(branch_.begin, branch_.end);
  branch_.has_end = false;
  note_sizes(branch_.begin);
}

}  // namespace plumb
