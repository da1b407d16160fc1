#include "plumb/contact/patch.h"

#include <algorithm>
#include <numeric>

namespace plumb {
namespace {

Vec3 vec(const double* x) { return Vec3(x[0], x[1], x[2]); }

bool share_patch(const Candidate& a, const Candidate& b, const Touch& s, const Touch& t) {
  return a.contact == b.contact && a.from.body == b.from.body && a.to.body == b.to.body &&
         vec(s.normal).cross(vec(t.normal)).norm() < 1e-9 && vec(s.normal).dot(vec(t.normal)) > 0;
}

struct Flat {
  double x, y;
  int place;
};

// Positive if c lies to the left of the way from a to b by more than rounding.
double left_of(const Flat& a, const Flat& b, const Flat& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Andrew's monotone chain; points within rounding of an edge or of each other are left out.
std::vector<int> hull_corners(std::vector<Flat> points) {
  double extent = 0;
  for (const Flat& p : points) extent = std::max({extent, std::abs(p.x - points[0].x), std::abs(p.y - points[0].y)});
  const double small = 1e-9 * extent;
  // Coordinates within rounding of each other count as equal, so that the order does not depend on it.
  const auto before = [&](const Flat& a, const Flat& b) {
    return std::abs(a.x - b.x) > small ? a.x < b.x : std::abs(a.y - b.y) > small ? a.y < b.y : a.place < b.place;
  };
  std::stable_sort(points.begin(), points.end(), before);
  const auto same = [&](const Flat& a, const Flat& b) {
    return std::abs(a.x - b.x) <= small && std::abs(a.y - b.y) <= small;
  };
  points.erase(std::unique(points.begin(), points.end(), same), points.end());
  std::vector<int> corners;
  if (points.size() < 3) {
    for (const Flat& p : points) corners.push_back(p.place);
    return corners;
  }
  for (int half = 0; half < 2; ++half) {
    std::vector<Flat> chain;
    for (const Flat& p : points) {
      while (chain.size() > 1 && left_of(chain[chain.size() - 2], chain.back(), p) <= small * extent) chain.pop_back();
      chain.push_back(p);
    }
    for (const Flat& p : chain) corners.push_back(p.place);
    std::reverse(points.begin(), points.end());
  }
  return corners;
}

}  // namespace

std::vector<int> inside_patches(const std::vector<const Candidate*>& candidates, const std::vector<Touch>& touches) {
  const int n = static_cast<int>(candidates.size());
  std::vector<int> inside;
  std::vector<bool> seen(n);
  for (int i = 0; i < n; ++i) {
    if (seen[i]) continue;
    const Complement across = complete_frame(vec(touches[i].normal));
    std::vector<Flat> patch;
    for (int j = i; j < n; ++j) {
      if (seen[j] || !share_patch(*candidates[i], *candidates[j], touches[i], touches[j])) continue;
      seen[j] = true;
      const Vec3 p = vec(touches[j].point) - vec(touches[i].point);
      patch.push_back({across.first.dot(p), across.second.dot(p), j});
    }
    if (patch.size() < 2) continue;
    const std::vector<int> corners = hull_corners(patch);
    for (const Flat& p : patch)
      if (std::ranges::find(corners, p.place) == corners.end()) inside.push_back(p.place);
  }
  std::ranges::sort(inside);
  return inside;
}

}  // namespace plumb
