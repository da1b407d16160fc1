#include "plumb/solver/elimination_order.h"

#include <algorithm>
#include <compare>
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
  // Among equals the one that has waited longest: a chain is eliminated from both ends in turn, and the two
  // streams, which do not depend on each other, keep the processor busier than one.
  struct Entry {
    int degree, since, node;
    auto operator<=>(const Entry&) const = default;
  };
  std::set<Entry> queue;
  std::vector<Entry> entries;
  int clock = 0;
  for (int i = 0; i < n; ++i) queue.insert(entries.emplace_back(Entry{degree(i), clock++, i}));

  Elimination result;
  std::vector<int> position(weights.size());
  while (!queue.empty()) {
    const int node = queue.begin()->node;
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
      queue.erase(entries[a]);
      queue.insert(entries[a] = Entry{degree(a), clock++, a});
    }
  }
  for (auto& later : result.later) std::ranges::sort(later, {}, [&](int node) { return position[node]; });
  return result;
}

}  // namespace plumb
