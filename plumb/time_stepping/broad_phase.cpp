#include "plumb/time_stepping/broad_phase.h"

#include <algorithm>
#include <cmath>

namespace plumb {
namespace {

// Cells numbered along three axes, packed; far enough apart for any scene that fits the numbers of a double.
std::int64_t pack(std::int64_t x, std::int64_t y, std::int64_t z) {
  constexpr std::int64_t offset = 1 << 20, mask = (1 << 21) - 1;
  return (((x + offset) & mask) << 42) | (((y + offset) & mask) << 21) | ((z + offset) & mask);
}

}  // namespace

const std::vector<std::pair<int, int>>& BroadPhase::find(const std::vector<double>& centres,
                                                         const std::vector<double>& radii, double margin) {
  pairs_.clear();
  if (radii.size() < 2) return pairs_;
  bool known = searched_at_.size() == centres.size();
  const double spare = (reach_ - margin) / 2;  // each of two may have come nearer by this
  for (std::size_t i = 0; known && i < centres.size(); i += 3) {
    double square = 0;
    for (std::size_t k = i; k < i + 3; ++k) square += (centres[k] - searched_at_[k]) * (centres[k] - searched_at_[k]);
    known = spare > 0 && square <= spare * spare;
  }
  if (!known) {
    double mean = 0;
    for (double r : radii) mean += r / static_cast<double>(radii.size());
    reach_ = 2 * margin + 0.2 * mean;
    search(centres, radii);
  }
  for (const auto& [i, j] : wide_) {
    double square = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double d = centres[3 * static_cast<std::size_t>(i) + k] - centres[3 * static_cast<std::size_t>(j) + k];
      square += d * d;
    }
    const double near = radii[i] + radii[j] + margin;
    if (square < near * near) pairs_.emplace_back(i, j);
  }
  return pairs_;
}

void BroadPhase::search(const std::vector<double>& centres, const std::vector<double>& radii) {
  wide_.clear();
  entries_.clear();
  searched_at_ = centres;
  const double size = 2 * *std::max_element(radii.begin(), radii.end()) + reach_;
  const auto cell = [&](int ball, int axis) {
    return static_cast<std::int64_t>(std::floor(centres[3 * static_cast<std::size_t>(ball) + axis] / size));
  };
  for (std::size_t i = 0; i < radii.size(); ++i) {
    const int ball = static_cast<int>(i);
    entries_.push_back({pack(cell(ball, 0), cell(ball, 1), cell(ball, 2)), ball});
  }
  std::ranges::sort(
      entries_, [](const Entry& a, const Entry& b) { return a.cell != b.cell ? a.cell < b.cell : a.ball < b.ball; });
  for (int i = 0; i < static_cast<int>(radii.size()); ++i)
    for (int dx = -1; dx <= 1; ++dx)
      for (int dy = -1; dy <= 1; ++dy) {
        // Three cells along z are neighbours in the sorted list.
        const std::int64_t low = pack(cell(i, 0) + dx, cell(i, 1) + dy, cell(i, 2) - 1);
        const std::int64_t high = pack(cell(i, 0) + dx, cell(i, 1) + dy, cell(i, 2) + 1);
        auto at = std::ranges::lower_bound(entries_, low, {}, &Entry::cell);
        for (; at != entries_.end() && at->cell <= high; ++at) {
          const int j = at->ball;
          if (j >= i) continue;
          double square = 0;
          for (std::size_t k = 0; k < 3; ++k) {
            const double d =
                centres[3 * static_cast<std::size_t>(i) + k] - centres[3 * static_cast<std::size_t>(j) + k];
            square += d * d;
          }
          const double near = radii[i] + radii[j] + reach_;
          if (square < near * near) wide_.emplace_back(i, j);
        }
      }
  std::ranges::sort(wide_);
}

}  // namespace plumb
