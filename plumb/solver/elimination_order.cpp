#include "plumb/solver/elimination_order.h"

#include <algorithm>
#include <set>

namespace plumb {

Elimination minimum_degree(const std::vector<int>& weights, const std::vector<std::pair<int, int>>& couplings) {
  const int n = static_cast<int>(weights.size());
  std::vector<std::set<int>> neighbours(weights.size());
  for (const auto& [a, b] : couplings)
    if (a != b) {
      neighbours[a].insert(b);
      neighbours[b].insert(a);
    }
  const auto degree = [&](int node) {
    int rows = 0;
    for (int other : neighbours[node]) rows += weights[other];
    return rows;
  };
  std::set<std::pair<int, int>> queue;
  std::vector<int> degrees(weights.size());
  for (int i = 0; i < n; ++i) queue.emplace(degrees[i] = degree(i), i);

  Elimination result;
  std::vector<int> position(weights.size());
  while (!queue.empty()) {
    const int node = queue.begin()->second;
    queue.erase(queue.begin());
    position[node] = static_cast<int>(result.order.size());
    result.order.push_back(node);
    const std::vector<int> clique(neighbours[node].begin(), neighbours[node].end());
    result.later.push_back(clique);
    for (int a : clique) {
      auto& set = neighbours[a];
      set.erase(node);
      for (int b : clique)
        if (b != a) set.insert(b);
    }
    for (int a : clique) {
      queue.erase({degrees[a], a});
      queue.emplace(degrees[a] = degree(a), a);
    }
  }
  for (auto& later : result.later)
    std::ranges::sort(later, {}, [&](int node) { return position[node]; });
  return result;
}

}  // namespace plumb
