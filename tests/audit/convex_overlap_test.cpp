// How deep bodies overlap, against a search over directions that knows nothing but how far bodies reach.
#include "plumb/audit/convex_overlap.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

namespace plumb {
namespace {

constexpr int kinds = 6;  // point, sphere, capsule, box, hull, cylinder

class Bodies {
 public:
  explicit Bodies(unsigned seed) : random_(seed) {}

  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  Vec3 unit() {
    std::normal_distribution<double> n;
    return Vec3(n(random_), n(random_), n(random_)).normalized();
  }

  // `aligned`: faces along the axes of the world.
  ConvexBody make(int kind, const Vec3& at, bool aligned) {
    ConvexBody c;
    Vec3 e[3] = {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
    if (!aligned) {
      e[2] = unit();
      const Complement across = complete_frame(e[2]);
      e[0] = across.first;
      e[1] = across.second;
    }
    c.axis = e[2];
    c.points = {at};
    const double half = between(0.1, 0.4);
    if (kind == 1 || kind == 2) c.round = between(0.05, 0.3);
    if (kind == 5) c.disc = between(0.05, 0.3);
    if (kind == 2 || kind == 5) c.points = {Vec3(at - half * c.axis), Vec3(at + half * c.axis)};
    if (kind == 3) {
      c.points.clear();
      const double size[3] = {half, between(0.1, 0.3), between(0.1, 0.3)};
      for (int i = 0; i < 8; ++i) {
        Vec3 p = at;
        for (int k = 0; k < 3; ++k) p += (i >> k & 1 ? 1 : -1) * size[k] * e[k];
        c.points.push_back(p);
      }
    }
    if (kind == 4) {
      c.points.clear();
      for (int i = 0; i < 12; ++i) c.points.push_back(at + between(0.1, 0.4) * unit());
    }
    Vec3 middle = Vec3::Zero();
    for (const Vec3& p : c.points) middle += p / static_cast<double>(c.points.size());
    c.middle = middle;
    for (const Vec3& p : c.points) c.reach = std::max(c.reach, (p - middle).norm());
    c.reach = std::hypot(c.reach, c.disc) + c.round;
    return c;
  }

 private:
  std::mt19937 random_;
};

double reach(const ConvexBody& c, const Vec3& n) {
  double most = -1e9;
  for (const Vec3& p : c.points) most = std::max(most, n.dot(p));
  const double slope = n.dot(c.axis);
  return most + c.disc * std::sqrt(std::max(0.0, 1 - slope * slope)) + c.round;
}

// The least over all n of how far b would have to be moved along n; negative: how far apart they are.
double searched_depth(const ConvexBody& a, const ConvexBody& b) {
  const auto depth = [&](const Vec3& n) { return reach(a, n) + reach(b, -n); };
  constexpr int many = 1000;
  std::vector<std::pair<double, Vec3>> tried;
  for (int i = 0; i < many; ++i) {  // evenly over the sphere
    const double z = 1 - (2 * i + 1.0) / many, angle = std::numbers::pi * (3 - std::sqrt(5.0)) * i,
                 r = std::sqrt(1 - z * z);
    const Vec3 n(r * std::cos(angle), r * std::sin(angle), z);
    tried.emplace_back(depth(n), n);
  }
  std::ranges::sort(tried, {}, [](const auto& t) { return t.first; });
  double best = tried[0].first;
  for (int i = 0; i < 5; ++i) {  // downhill, turning less and less
    auto [value, n] = tried[static_cast<std::size_t>(i)];
    double turn = 0.1;
    for (int tries = 0; tries < 400 && turn > 1e-9; ++tries) {
      const Complement across = complete_frame(n);
      bool better = false;
      for (int k = 0; k < 48; ++k) {
        const double angle = std::numbers::pi / 24 * k;
        const Vec3 m = (n + turn * (std::cos(angle) * across.first + std::sin(angle) * across.second)).normalized();
        if (const double d = depth(m); d < value - 1e-15) {
          value = d;
          n = m;
          better = true;
        }
      }
      if (!better) turn *= 0.7;
    }
    best = std::min(best, value);
  }
  return best;
}

class Overlaps : public testing::TestWithParam<int> {};

TEST_P(Overlaps, AreAsDeepAsTheLeastWayOut) {
  const int first = GetParam() / kinds, second = GetParam() % kinds;
  Bodies bodies(static_cast<unsigned>(GetParam()) + 1);
  for (int i = 0; i < 12; ++i) {
    const bool aligned = i % 3 == 0;
    const ConvexBody a = bodies.make(first, Vec3::Zero(), aligned);
    const Vec3 away = aligned ? Vec3(bodies.between(0, 0.4), 0, 0) : Vec3(bodies.between(0, 0.6) * bodies.unit());
    const ConvexBody b = bodies.make(second, away, aligned);
    const double searched = std::max(0.0, searched_depth(a, b));
    // Both come near from above.
    EXPECT_NEAR(overlap_depth(a, b), searched, 0.01 * searched + 1e-12) << i;
    EXPECT_NEAR(overlap_depth(b, a), searched, 0.01 * searched + 1e-12) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(AllPairs, Overlaps, testing::Range(0, kinds* kinds));

// Put where a plane with a normal chosen at will just separates them, or nearly does.
TEST_P(Overlaps, VanishWhereAPlaneSeparates) {
  const int first = GetParam() / kinds, second = GetParam() % kinds;
  Bodies bodies(static_cast<unsigned>(GetParam()) + 1001);
  for (int i = 0; i < 300; ++i) {
    const bool aligned = i % 3 == 0;
    const ConvexBody a = bodies.make(first, Vec3::Zero(), aligned);
    const ConvexBody b = bodies.make(second, Vec3(bodies.between(0, 0.3) * bodies.unit()), aligned);
    const Vec3 n = aligned ? Vec3::UnitX() : bodies.unit();
    const double touching = reach(a, n) + reach(b, -n);
    const auto moved = [&](double way) {
      ConvexBody c = b;
      for (Vec3& p : c.points) p += way * n;
      c.middle += way * n;
      return c;
    };
    EXPECT_LT(overlap_depth(a, moved(touching + 1e-12)), 1e-14) << i;
    EXPECT_LT(overlap_depth(a, moved(touching - 1e-9)), 1.01e-9) << i;  // not deeper than along n
  }
}

}  // namespace
}  // namespace plumb
