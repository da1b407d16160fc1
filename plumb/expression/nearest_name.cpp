#include "plumb/expression/nearest_name.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace plumb {
namespace {

char folded(char c) { return c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Insertions, deletions, replacements and swaps of neighbours; case and - / _ do not count.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = folded(a[i - 1]) == folded(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0u : 1u)});
      if (i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) && folded(a[i - 2]) == folded(b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view wrong, const std::vector<std::string>& known) {
  if (wrong.size() > 64) return {};
  const std::size_t allowed = std::max<std::size_t>(1, wrong.size() / 3);
  std::size_t best = allowed + 3;
  std::string name;
  for (const std::string& k : known) {
    const std::size_t d = distance(wrong, k);
    // Names that begin alike may differ by two more: body, bodies.
    const bool begin_alike = wrong.size() > 3 && wrong.substr(0, 3) == std::string_view(k).substr(0, 3);
    if (d < best && d <= allowed + (begin_alike ? 2 : 0)) {
      best = d;
      name = k;
    }
  }
  return name;
}

std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known) {
  const std::string name = nearest_name(wrong, known);
  return name.empty() ? std::string() : "; did you mean '" + name + "'?";
}

}  // namespace plumb
