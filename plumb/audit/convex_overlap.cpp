#include "plumb/audit/convex_overlap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

namespace plumb {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double rounding = 1e-15;  // of the size of what is looked at
constexpr int most_rounds = 200;
constexpr std::size_t most_facets = 1000;

// The difference of the cores of two bodies.
struct Difference {
  const ConvexBody &a, &b;
  double size;

  Difference(const ConvexBody& first, const ConvexBody& second)
      : a(first), b(second), size(first.reach + second.reach + (first.middle - second.middle).norm()) {}
  Vec3 farthest(const Vec3& n) const { return a.farthest(n) - b.farthest(-n); }
};

// ---- apart: the point of the difference nearest to the origin

// Up to four points of the difference.
struct Simplex {
  std::array<Vec3, 4> points;
  int count = 0;

  bool has(const Vec3& p) const {
    return std::find(points.begin(), points.begin() + count, p) != points.begin() + count;
  }
};

// The point nearest to the origin of the hull of those points of `s` that `chosen` names, if it needs all of them.
// With edges e from the first one it is a + sum x e, where its product with every e vanishes.
std::optional<Vec3> nearest_with_all(const Simplex& s, unsigned chosen) {
  std::array<Vec3, 3> edges;
  const Vec3* first = nullptr;
  int m = 0;
  for (int i = 0; i < s.count; ++i) {
    if (!(chosen >> i & 1)) continue;
    if (!first)
      first = &s.points[i];
    else
      edges[m++] = s.points[i] - *first;
  }
  // Edges made perpendicular to each other, one after the other: u = e - what the others before it have of it.
  std::array<Vec3, 3> u;
  std::array<std::array<double, 3>, 3> share{};
  Vec3 nearest = *first;
  std::array<double, 3> along{};
  for (int k = 0; k < m; ++k) {
    u[k] = edges[k];
    for (int j = 0; j < k; ++j) {
      share[k][j] = u[j].dot(edges[k]) / u[j].squaredNorm();
      u[k] -= share[k][j] * u[j];
    }
    // Points on a line, or in a plane: fewer of them say the same.
    if (!(u[k].squaredNorm() > 1e-24 * edges[k].squaredNorm())) return std::nullopt;
    along[k] = -u[k].dot(nearest) / u[k].squaredNorm();
    nearest += along[k] * u[k];
  }
  double rest = 1;
  for (int k = m - 1; k >= 0; --k) {
    double x = along[k];
    for (int j = k + 1; j < m; ++j) x -= share[j][k] * along[j];
    along[k] = x;  // now the share of edge k itself
    rest -= x;
    if (!(x > 0)) return std::nullopt;
  }
  if (!(rest > 0)) return std::nullopt;
  return m == 3 ? Vec3(Vec3::Zero()) : nearest;
}

// The point of the hull of the simplex nearest to the origin: of all its corners, edges and faces; keeps those it
// needs. However flat the simplex is, one of them is right.
Vec3 nearest_on(Simplex& s) {
  Vec3 best = s.points[0];
  unsigned needed = 1;
  for (unsigned chosen = 2; chosen < 1u << s.count; ++chosen)
    if (const auto x = nearest_with_all(s, chosen); x && x->squaredNorm() < best.squaredNorm()) {
      best = *x;
      needed = chosen;
    }
  int kept = 0;
  for (int i = 0; i < s.count; ++i)
    if (needed >> i & 1) s.points[kept++] = s.points[i];
  s.count = kept;
  return best;
}

// The largest distance by which some plane separates the cores; at or below zero: none was found.
double separation(const Difference& difference) {
  Simplex s{{difference.farthest(difference.b.middle - difference.a.middle)}, 1};
  Vec3 x = s.points[0];
  double most = -infinity;
  for (int i = 0; i < most_rounds; ++i) {
    const double distance = x.norm();
    if (!(distance > rounding * difference.size)) return most;
    const Vec3 n = -x / distance, p = difference.farthest(n);
    most = std::max(most, -n.dot(p));
    if (distance - most <= rounding * difference.size || s.has(p) || s.count == 4) return most;
    s.points[s.count++] = p;
    x = nearest_on(s);
  }
  return most;
}

// ---- overlapping: the polytope that grows

struct Facet {
  std::array<int, 3> corners;
  Vec3 normal;
  double distance;  // of its plane from the origin, with a sign
};

class GrowingPolytope {
 public:
  explicit GrowingPolytope(const Difference& difference) : difference_(difference) {}

  // False: the difference has no volume.
  bool begin();
  // The least h(n).
  double least_reach();

 private:
  bool add_facet(int i, int j, int k);
  bool add_point(const Vec3& p);
  double least_reach_near(Vec3 n) const;

  const Difference& difference_;
  std::vector<Vec3> points_;
  std::vector<Facet> facets_;
  std::vector<std::pair<int, int>> horizon_;
};

bool GrowingPolytope::begin() {
  const double thin = 1e-12 * difference_.size;
  const auto far_from = [&](const auto& distance, std::initializer_list<Vec3> directions) {
    Vec3 best = Vec3::Zero();
    double most = thin;
    for (const Vec3& d : directions)
      for (const Vec3& n : {d, Vec3(-d)}) {
        const Vec3 p = difference_.farthest(n);
        if (const double far = distance(p); far > most) {
          most = far;
          best = p;
        }
      }
    if (most > thin) points_.push_back(best);
    return most > thin;
  };
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  points_ = {difference_.farthest(x)};
  const Vec3 a = points_[0];
  if (!far_from([&](const Vec3& p) { return (p - a).norm(); }, {x, y, z})) return false;
  const Vec3 e = (points_[1] - a).normalized();
  const Complement across = complete_frame(e);
  const Vec3 &u = across.first, &v = across.second;
  const auto off_line = [&](const Vec3& p) { return (p - a - e * e.dot(p - a)).norm(); };
  if (!far_from(off_line, {u, v})) return false;
  const Vec3 n = e.cross(points_[2] - a).normalized();
  if (!far_from([&](const Vec3& p) { return std::abs(n.dot(p - a)); }, {n})) return false;
  if (n.dot(points_[3] - a) > 0) std::swap(points_[1], points_[2]);
  return add_facet(0, 1, 2) && add_facet(0, 3, 1) && add_facet(1, 3, 2) && add_facet(2, 3, 0);
}

// Counterclockwise as seen from outside. Facets too thin to have a direction are left out: false.
bool GrowingPolytope::add_facet(int i, int j, int k) {
  const Vec3 &a = points_[i], &b = points_[j], &c = points_[k];
  const Vec3 n = (b - a).cross(c - a);
  const double area = n.norm();
  if (!(area > 1e-26 * difference_.size * difference_.size)) return false;
  facets_.push_back({{i, j, k}, n / area, n.dot(a) / area});
  return true;
}

// Replaces the facets that p sees by those that join p with their border. False: none could be made.
bool GrowingPolytope::add_point(const Vec3& p) {
  horizon_.clear();
  const auto edge = [&](int i, int j) {
    const auto reverse = std::ranges::find(horizon_, std::pair(j, i));
    if (reverse != horizon_.end())
      horizon_.erase(reverse);
    else
      horizon_.emplace_back(i, j);
  };
  std::erase_if(facets_, [&](const Facet& f) {
    if (f.normal.dot(p) - f.distance <= rounding * difference_.size) return false;
    for (int i = 0; i < 3; ++i) edge(f.corners[i], f.corners[(i + 1) % 3]);
    return true;
  });
  if (horizon_.empty()) return false;
  points_.push_back(p);
  const int last = static_cast<int>(points_.size()) - 1;
  bool all = true;
  for (const auto& [i, j] : horizon_) all = add_facet(i, j, last) && all;
  return all;
}

// Around a direction, which curved sides leave a little off when facets become too thin to be cut further. Beside the
// sides of cylinders the reach is a steep valley with a gentle floor, along which n turns about their axes.
double GrowingPolytope::least_reach_near(Vec3 n) const {
  constexpr int ways = 8;
  const auto reach = [&](const Vec3& d) { return d.dot(difference_.farthest(d)); };
  double least = reach(n);
  for (double step = 1e-2; step > 1e-9;) {
    const Complement across = complete_frame(n);
    const Vec3 from = n;
    const auto look = [&](const Vec3& to) {
      const Vec3 d = (from + step * to).normalized();
      if (const double h = reach(d); h < least) {
        least = h;
        n = d;
      }
    };
    for (int i = 0; i < ways; ++i) {
      const double angle = 2 * std::numbers::pi * i / ways;
      look(std::cos(angle) * across.first + std::sin(angle) * across.second);
    }
    for (const ConvexBody* body : {&difference_.a, &difference_.b})
      if (body->disc > 0)
        for (const Vec3& to : {body->axis.cross(from).eval(), from.cross(body->axis).eval()})
          if (to.norm() > 0.1) look(to.normalized());
    if (n == from) step /= 2;
  }
  return least;
}

double GrowingPolytope::least_reach() {
  double least = infinity;
  Vec3 best = Vec3::UnitZ();
  for (int round = 0; round < most_rounds && !facets_.empty() && facets_.size() < most_facets; ++round) {
    const Facet nearest = *std::ranges::min_element(facets_, {}, &Facet::distance);
    const Vec3 p = difference_.farthest(nearest.normal);
    const double reach = nearest.normal.dot(p);
    if (reach < least) {
      least = reach;
      best = nearest.normal;
    }
    if (least <= 0 || reach - nearest.distance <= 4 * rounding * difference_.size || !add_point(p)) break;
  }
  const bool is_seen = least > 1e-11 * difference_.size && least < infinity;
  return is_seen ? least_reach_near(best) : least;
}

}  // namespace

Vec3 ConvexBody::farthest(const Vec3& n) const {
  const Vec3* best = points.data();
  double most = n.dot(*best);
  for (const Vec3& p : points)
    if (const double d = n.dot(p); d > most) {
      most = d;
      best = &p;
    }
  if (disc == 0) return *best;
  // Twice: what is left of n beside an axis along it is rounding, and need not point across it.
  Vec3 out = n - axis * axis.dot(n);
  if (!(out.norm() > 1e-14)) return *best;
  out.normalize();
  out -= axis * axis.dot(out);
  return *best + disc * out.normalized();
}

double overlap_depth(const ConvexBody& a, const ConvexBody& b) {
  const double round = a.round + b.round;
  if ((a.middle - b.middle).norm() >= a.reach + b.reach) return 0;
  const Difference difference(a, b);
  const double apart = separation(difference);
  if (apart > 0) return std::max(0.0, round - apart);
  GrowingPolytope polytope(difference);
  return round + (polytope.begin() ? std::max(0.0, polytope.least_reach()) : 0.0);
}

}  // namespace plumb
