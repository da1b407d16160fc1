#include "plumb/spatial/polyhedron.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "plumb/spatial/inertia.h"

namespace plumb {
namespace {

void expect_closed(const Polyhedron& p) {
  // Euler, outward normals, every edge between two faces.
  EXPECT_EQ(std::ssize(p.corners) - std::ssize(p.edges) + std::ssize(p.faces), 2);
  Vec3 middle = Vec3::Zero();
  for (const Vec3& c : p.corners) middle += c / static_cast<double>(p.corners.size());
  for (std::size_t f = 0; f < p.faces.size(); ++f) {
    EXPECT_LT(p.separation(static_cast<int>(f), middle), 0);
    for (const Vec3& c : p.corners) EXPECT_LT(p.separation(static_cast<int>(f), c), 1e-12);
  }
  for (const Polyhedron::Edge& e : p.edges) EXPECT_TRUE(e.faces[0] >= 0 && e.faces[1] >= 0);
}

TEST(Polyhedron, BoxAndTheHullOfItsCornersAreTheSame) {
  const Vec3 size(0.3, 0.5, 0.8);
  const Polyhedron box = box_polyhedron(size), hull = convex_hull(box.corners);
  for (const Polyhedron& p : {box, hull}) {
    expect_closed(p);
    EXPECT_EQ(p.corners.size(), 8u);
    EXPECT_EQ(p.faces.size(), 6u);
    EXPECT_EQ(p.edges.size(), 12u);
    const SolidProperties s = solid_properties(p);
    EXPECT_NEAR(s.volume, size.prod(), 1e-15);
    EXPECT_NEAR(s.centroid.norm(), 0, 1e-15);
    const Inertia I = unit_inertia(Box{size});
    EXPECT_NEAR((s.inertia - I.matrix()).norm(), 0, 1e-15);
  }
}

TEST(Polyhedron, CornerOfACubeHasTheKnownInertia) {
  // Tetrahedron x, y, z >= 0, x + y + z <= a: volume a³/6, centroid a/4; about the centroid 3a²/40 and products a²/80.
  const double a = 0.3;
  const Shape shape = Hull{{{0, 0, 0}, {a, 0, 0}, {0, a, 0}, {0, 0, a}}};
  EXPECT_NEAR(volume(shape), a * a * a / 6, 1e-16);
  EXPECT_NEAR((centroid(shape) - Vec3::Constant(a / 4)).norm(), 0, 1e-15);
  const Inertia I = unit_inertia(shape);
  for (double x : I.moments) EXPECT_NEAR(x, 3 * a * a / 40, 1e-15);
  for (double x : I.products) EXPECT_NEAR(x, a * a / 80, 1e-15);
}

TEST(Polyhedron, HullOfRandomPointsContainsThemAndOnlyCornersCount) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int n : {4, 7, 30, 200}) {
    std::vector<Vec3> points(n);
    for (Vec3& p : points) p = Vec3(normal(random), normal(random), normal(random));
    const Polyhedron hull = convex_hull(points);
    expect_closed(hull);
    for (const Vec3& p : points)
      for (std::size_t f = 0; f < hull.faces.size(); ++f) EXPECT_LT(hull.separation(static_cast<int>(f), p), 1e-12);
    points.push_back(solid_properties(hull).centroid);
    EXPECT_EQ(convex_hull(points).corners.size(), hull.corners.size());
  }
}

TEST(Polyhedron, PointsWithoutVolumeAreRefused) {
  EXPECT_THROW(convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), std::invalid_argument);
  EXPECT_THROW(convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.3, 0.2, 0}}), std::invalid_argument);
  EXPECT_THROW(convex_hull({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}), std::invalid_argument);
}

}  // namespace
}  // namespace plumb
