// Finds the pairs of balls that are close, in time proportional to their number: a grid of cells as large as the
// largest ball, and only neighbouring cells are looked at. Pairs a little further apart are kept too, so that the grid
// is needed again only when something has moved by half of that. The pairs come in a fixed order: repetition is exact.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace plumb {

class BroadPhase {
 public:
  // Pairs (i > j) whose surfaces are nearer than `margin`. Centres 3 doubles each.
  const std::vector<std::pair<int, int>>& find(const std::vector<double>& centres, const std::vector<double>& radii,
                                               double margin);

 private:
  struct Entry {
    std::int64_t cell;
    int ball;
  };
  void search(const std::vector<double>& centres, const std::vector<double>& radii);

  std::vector<Entry> entries_;
  std::vector<std::pair<int, int>> pairs_, wide_;  // nearer than the margin; nearer than `reach_`
  std::vector<double> searched_at_;                // centres of the last search
  double reach_ = 0;
};

}  // namespace plumb
