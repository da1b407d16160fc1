#include "plumb/audit/convex_overlap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

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

struct Simplex {
  std::array<Vec3, 4> points;
  int count = 0;

  bool has(const Vec3& p) const {
    return std::find(points.begin(), points.begin() + count, p) != points.begin() + count;
  }
};

// The point of the hull of up to three points nearest to the origin; keeps those it needs.
Vec3 nearest_on_segment(Simplex& s) {
  const Vec3 a = s.points[0], e = s.points[1] - a;
  const double square = e.squaredNorm(), t = square > 0 ? -a.dot(e) / square : 0;
  if (t > 0 && t < 1) return a + t * e;
  s.points[0] = t <= 0 ? a : s.points[1];
  s.count = 1;
  return s.points[0];
}

Vec3 nearest_on_triangle(Simplex& s) {
  const Vec3 a = s.points[0], n = (s.points[1] - a).cross(s.points[2] - a);
  const double square = n.squaredNorm();
  bool inside = square > 0;
  for (int i = 0; inside && i < 3; ++i) {
    const Vec3 &p = s.points[i], &q = s.points[(i + 1) % 3];
    inside = n.cross(q - p).dot(p) <= 0;  // the origin lies on the inner side of every edge
  }
  if (inside) return a.dot(n) / square * n;
  Simplex best;
  Vec3 nearest = Vec3::Constant(infinity);
  for (int i = 0; i < 3; ++i) {
    Simplex edge{{s.points[i], s.points[(i + 1) % 3]}, 2};
    if (const Vec3 x = nearest_on_segment(edge); x.squaredNorm() < nearest.squaredNorm()) {
      nearest = x;
      best = edge;
    }
  }
  s = best;
  return nearest;
}

// Zero if the origin is inside.
Vec3 nearest_on_tetrahedron(Simplex& s) {
  Simplex best;
  Vec3 nearest = Vec3::Zero();
  double least = infinity;
  bool inside = true;
  for (int skip = 0; skip < 4; ++skip) {
    const Vec3 &a = s.points[(skip + 1) % 4], &b = s.points[(skip + 2) % 4], &c = s.points[(skip + 3) % 4];
    const Vec3 n = (b - a).cross(c - a);
    if (n.dot(s.points[skip] - a) * n.dot(-a) > 0) continue;  // the origin is on the side of the fourth point
    inside = false;
    Simplex face{{a, b, c}, 3};
    if (const Vec3 x = nearest_on_triangle(face); x.squaredNorm() < least) {
      least = x.squaredNorm();
      nearest = x;
      best = face;
    }
  }
  if (inside) return Vec3::Zero();
  s = best;
  return nearest;
}

Vec3 nearest_on(Simplex& s) {
  if (s.count == 1) return s.points[0];
  if (s.count == 2) return nearest_on_segment(s);
  return s.count == 3 ? nearest_on_triangle(s) : nearest_on_tetrahedron(s);
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
    if (distance - most <= rounding * difference.size || s.has(p)) return most;
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

double GrowingPolytope::least_reach() {
  double least = infinity;
  for (int round = 0; round < most_rounds && !facets_.empty() && facets_.size() < most_facets; ++round) {
    const Facet nearest = *std::ranges::min_element(facets_, {}, &Facet::distance);
    const Vec3 p = difference_.farthest(nearest.normal);
    const double reach = nearest.normal.dot(p);
    least = std::min(least, reach);
    if (least <= 0 || reach - nearest.distance <= 4 * rounding * difference_.size || !add_point(p)) break;
  }
  return least;
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
  const Vec3 out = n - axis * axis.dot(n);
  const double length = out.norm();
  return length > 0 ? Vec3(*best + disc / length * out) : *best;
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
