#include "plumb/equations/structure.h"

#include <algorithm>
#include <limits>

namespace plumb {
namespace {

// Looks for an unknown for `row`, moving others to other unknowns if need be.
bool augment(const Signature& s, int row, std::vector<char>& tried, Matching& m) {
  // Without recursion: a path of rows, and the column by which each was entered.
  struct Step {
    int row, next_column;
  };
  std::vector<Step> path = {{row, 0}};
  std::vector<int> by_column;
  while (!path.empty()) {
    Step& step = path.back();
    if (step.next_column == s.columns()) {
      path.pop_back();
      if (!by_column.empty()) by_column.pop_back();
      continue;
    }
    const int j = step.next_column++;
    if (!s.has(step.row, j) || tried[static_cast<std::size_t>(j)]) continue;
    tried[static_cast<std::size_t>(j)] = 1;
    by_column.push_back(j);
    const int holder = m.row_of_column[static_cast<std::size_t>(j)];
    if (holder >= 0) {
      path.push_back({holder, 0});
      continue;
    }
    for (std::size_t k = 0; k < path.size(); ++k) {
      m.row_of_column[static_cast<std::size_t>(by_column[k])] = path[k].row;
      m.column_of_row[static_cast<std::size_t>(path[k].row)] = by_column[k];
    }
    return true;
  }
  return false;
}

// Shortest augmenting paths with potentials for the assignment of least cost (H. W. Kuhn; after E. L. Lawler).
std::vector<int> best_assignment(const Signature& s) {
  const int n = s.rows();
  constexpr long none = 1L << 40;
  const auto cost = [&](int i, int j) { return s.has(i, j) ? static_cast<long>(-s.at(i, j)) : none; };
  std::vector<long> u(n + 1), v(n + 1);
  std::vector<int> row_of(n + 1), way(n + 1);
  for (int i = 1; i <= n; ++i) {
    row_of[0] = i;
    int j0 = 0;
    std::vector<long> least(n + 1, std::numeric_limits<long>::max() / 4);
    std::vector<char> used(n + 1);
    do {
      used[j0] = 1;
      const int i0 = row_of[j0];
      int j1 = 0;
      long delta = std::numeric_limits<long>::max() / 4;
      for (int j = 1; j <= n; ++j) {
        if (used[j]) continue;
        const long reduced = cost(i0 - 1, j - 1) - u[i0] - v[j];
        if (reduced < least[j]) least[j] = reduced, way[j] = j0;
        if (least[j] < delta) delta = least[j], j1 = j;
      }
      for (int j = 0; j <= n; ++j)
        if (used[j])
          u[row_of[j]] += delta, v[j] -= delta;
        else
          least[j] -= delta;
      j0 = j1;
    } while (row_of[j0] != 0);
    do {
      const int j1 = way[j0];
      row_of[j0] = row_of[j1];
      j0 = j1;
    } while (j0 != 0);
  }
  std::vector<int> column_of(n);
  for (int j = 1; j <= n; ++j) column_of[row_of[j] - 1] = j - 1;
  return column_of;
}

}  // namespace

Matching match(const Signature& s) {
  Matching m;
  m.column_of_row.assign(s.rows(), -1);
  m.row_of_column.assign(s.columns(), -1);
  for (int i = 0; i < s.rows(); ++i) {
    std::vector<char> tried(s.columns());
    if (augment(s, i, tried, m)) ++m.size;
  }
  return m;
}

// Everything reachable from an equation that is left over, by steps equation -> unknown -> its equation.
Imbalance too_many_equations(const Signature& s, const Matching& m) {
  Imbalance part;
  std::vector<char> row(s.rows()), column(s.columns());
  std::vector<int> open;
  for (int i = 0; i < s.rows(); ++i)
    if (m.column_of_row[i] < 0) {
      row[i] = 1, open.push_back(i);
      break;  // one excess at a time: the smallest culprit
    }
  while (!open.empty()) {
    const int i = open.back();
    open.pop_back();
    for (int j = 0; j < s.columns(); ++j) {
      if (!s.has(i, j) || column[j]) continue;
      column[j] = 1;
      if (const int next = m.row_of_column[j]; next >= 0 && !row[next]) row[next] = 1, open.push_back(next);
    }
  }
  for (int i = 0; i < s.rows(); ++i)
    if (row[i]) part.rows.push_back(i);
  for (int j = 0; j < s.columns(); ++j)
    if (column[j]) part.columns.push_back(j);
  return part;
}

Imbalance too_many_unknowns(const Signature& s, const Matching& m) {
  Signature transposed(s.columns(), s.rows());
  for (int i = 0; i < s.rows(); ++i)
    for (int j = 0; j < s.columns(); ++j) transposed.set(j, i, s.at(i, j));
  const Imbalance part = too_many_equations(transposed, {m.row_of_column, m.column_of_row, m.size});
  return {part.columns, part.rows};
}

Structure analyse(const Signature& s) {
  const int n = s.rows();
  Structure r;
  r.assignment = best_assignment(s);
  r.c.assign(n, 0);
  r.d.assign(n, 0);
  // The smallest offsets: d from c, c from the assignment, until nothing moves.
  for (bool moved = true; moved;) {
    moved = false;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        if (s.has(i, j)) r.d[j] = std::max(r.d[j], s.at(i, j) + r.c[i]);
    for (int i = 0; i < n; ++i)
      if (const int c = r.d[r.assignment[i]] - s.at(i, r.assignment[i]); c > r.c[i]) r.c[i] = c, moved = true;
  }
  bool has_algebraic = false;
  for (int i = 0; i < n; ++i) {
    r.index = std::max(r.index, r.c[i]);
    has_algebraic = has_algebraic || r.d[i] == 0;
    r.degrees_of_freedom += r.d[i] - r.c[i];
  }
  if (has_algebraic) ++r.index;
  return r;
}

// Strongly connected components of the graph row -> rows of the unknowns it contains (R. E. Tarjan), without recursion;
// they come out in the order in which they can be solved.
std::vector<Block> triangular_blocks(const Signature& s) {
  const int n = s.rows();
  const Matching m = match(s);
  std::vector<int> number(n, -1), low(n), stack;
  std::vector<char> on_stack(n);
  std::vector<Block> blocks;
  int count = 0;
  struct Visit {
    int row, column;
  };
  for (int root = 0; root < n; ++root) {
    if (number[root] >= 0) continue;
    std::vector<Visit> path = {{root, 0}};
    while (!path.empty()) {
      const int i = path.back().row;
      if (path.back().column == 0) number[i] = low[i] = count++, stack.push_back(i), on_stack[i] = 1;
      bool deeper = false;
      while (path.back().column < n && !deeper) {
        const int j = path.back().column++;
        if (!s.has(i, j)) continue;
        const int next = m.row_of_column[j];
        if (next < 0) continue;
        if (number[next] < 0)
          path.push_back({next, 0}), deeper = true;
        else if (on_stack[next])
          low[i] = std::min(low[i], number[next]);
      }
      if (deeper) continue;
      path.pop_back();
      if (!path.empty()) low[path.back().row] = std::min(low[path.back().row], low[i]);
      if (low[i] != number[i]) continue;
      Block b;
      for (int k = -1; k != i;) {
        k = stack.back();
        stack.pop_back();
        on_stack[k] = 0;
        b.rows.push_back(k);
      }
      std::ranges::sort(b.rows);
      for (int k : b.rows) b.columns.push_back(m.column_of_row[k]);
      std::ranges::sort(b.columns);
      blocks.push_back(b);
    }
  }
  return blocks;
}

}  // namespace plumb
