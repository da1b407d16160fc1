#include "plumb/solver/pressing.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumb {

double PressingContacts::approach(int i, const double* p) const {
  double u = b_[i];
  for (int j : pressing_) u += D_[static_cast<std::ptrdiff_t>(i) * n_ + j] * p[j];
  return -u;
}

// The impulses at which everything pressing is at rest; on the way there what would begin to pull is let go. False:
// they have been reached.
bool PressingContacts::let_go(double* p) {
  const int m = static_cast<int>(pressing_.size());
  matrix_.resize(static_cast<std::size_t>(m) * m);
  right_.resize(static_cast<std::size_t>(m));
  asked_.resize(static_cast<std::size_t>(m));
  for (int i = 0; i < m; ++i) {
    right_[i] = -b_[pressing_[i]];
    for (int j = 0; j < m; ++j) matrix_[i * m + j] = D_[static_cast<std::ptrdiff_t>(pressing_[i]) * n_ + pressing_[j]];
  }
  elimination_.factor(m, matrix_.data());
  elimination_.solve(right_.data(), asked_.data());
  double way = 1;
  for (int i = 0; i < m; ++i)
    if (asked_[i] <= 0) way = std::min(way, p[pressing_[i]] / (p[pressing_[i]] - asked_[i]));
  const bool pulls = std::ranges::any_of(asked_, [](double x) { return x <= 0; });
  if (!pulls) way = 1;
  for (int i = 0; i < m; ++i) {
    double& x = p[pressing_[i]];
    x = asked_[i] <= 0 && x <= way * (x - asked_[i]) ? 0 : x + way * (asked_[i] - x);
  }
  std::erase_if(pressing_, [&](int i) { return p[i] <= 0; });
  return pulls;
}

bool PressingContacts::solve(int n, const double* D, const double* b, double still, double* p) {
  n_ = n;
  D_ = D;
  b_ = b;
  pressing_.clear();
  std::fill_n(p, n, 0.0);
  int last = -1;
  for (int round = 0; round < 20 * n + 20; ++round) {
    int fastest = -1;
    double most = 0;
    for (int i = 0; i < n; ++i) {
      const double give = D[static_cast<std::ptrdiff_t>(i) * n + i];
      if (!(give > 0) || std::ranges::find(pressing_, i) != pressing_.end()) continue;
      if (const double u = approach(i, p); u > still && u / std::sqrt(give) > most) {
        most = u / std::sqrt(give);
        fastest = i;
      }
    }
    if (fastest < 0) return true;
    if (fastest == last) return false;  // let in and let go at once
    last = fastest;
    pressing_.push_back(fastest);
    while (!pressing_.empty() && let_go(p)) {
    }
    if (std::ranges::find(pressing_, fastest) != pressing_.end()) last = -1;
  }
  return false;
}

}  // namespace plumb
