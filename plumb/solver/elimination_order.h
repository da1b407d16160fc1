// In which order to eliminate the nodes of a graph so that few new couplings arise (minimum degree).
#pragma once

#include <utility>
#include <vector>

namespace plumb {

struct Elimination {
  std::vector<int> order;  // order[p] is the node eliminated at position p
  // later[p]: the nodes coupled to order[p] when it is eliminated, all eliminated after it, by position.
  std::vector<std::vector<int>> later;
};

// `weights` are the block sizes of the nodes; degrees count rows.
Elimination minimum_degree(const std::vector<int>& weights, const std::vector<std::pair<int, int>>& couplings);

}  // namespace plumb
