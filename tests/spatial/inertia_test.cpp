#include "plumb/spatial/inertia.h"

#include <gtest/gtest.h>

#include <functional>
#include <numbers>
#include <random>

namespace plumb {
namespace {

constexpr double pi = std::numbers::pi;

// Moments of a homogeneous solid of mass 1 by averaging over a fine grid of its bounding box.
struct Sampled {
  double volume = 0;
  Vec3 moments = Vec3::Zero();
};
Sampled sample(const Vec3& half, const std::function<bool(const Vec3&)>& inside) {
  const int n = 160;
  Sampled s;
  double count = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        const Vec3 p = Vec3((i + 0.5) / n * 2 - 1, (j + 0.5) / n * 2 - 1, (k + 0.5) / n * 2 - 1).cwiseProduct(half);
        if (!inside(p)) continue;
        const Vec3 q = p.cwiseProduct(p);
        s.moments += Vec3(q.y() + q.z(), q.x() + q.z(), q.x() + q.y());
        count += 1;
      }
  s.moments /= count;
  s.volume = 8 * half.prod() * count / (static_cast<double>(n) * n * n);
  return s;
}

void expect_like(const Shape& shape, const Sampled& s) {
  EXPECT_NEAR(volume(shape) / s.volume, 1, 5e-3);
  const Vec3 J = unit_inertia(shape).moments;
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(J[k] / s.moments[k], 1, 5e-3) << k;
}

TEST(Inertia, ShapesAgreeWithSampledSolids) {
  expect_like(Box{{0.3, 0.5, 0.8}}, sample({0.15, 0.25, 0.4}, [](const Vec3&) { return true; }));
  expect_like(Sphere{0.4}, sample(Vec3::Constant(0.4), [](const Vec3& p) { return p.norm() < 0.4; }));
  expect_like(Cylinder{0.2, 0.9}, sample({0.2, 0.2, 0.45}, [](const Vec3& p) { return p.head<2>().norm() < 0.2; }));
  expect_like(Capsule{0.2, 0.6}, sample({0.2, 0.2, 0.5}, [](const Vec3& p) {
                const double beyond = std::max(0.0, std::abs(p.z()) - 0.3);
                return std::hypot(p.x(), p.y(), beyond) < 0.2;
              }));
}

TEST(Inertia, CapsuleWithoutTubeIsASphere) {
  const Vec3 capsule = unit_inertia(Capsule{0.3, 1e-12}).moments, sphere = unit_inertia(Sphere{0.3}).moments;
  EXPECT_NEAR((capsule - sphere).norm(), 0, 1e-12);
  EXPECT_NEAR(volume(Capsule{0.3, 1e-12}), 4 * pi / 3 * 0.027, 1e-12);
}

TEST(Inertia, PrincipalAxesDiagonalise) {
  const Inertia I{{2.0, 3.0, 4.0}, {0.3, -0.2, 0.4}};
  const PrincipalInertia p = principal(I);
  const Mat3 R = p.axes.matrix();
  EXPECT_NEAR((R * p.moments.asDiagonal() * R.transpose() - I.matrix()).norm(), 0, 1e-14);
}

TEST(Inertia, DiagonalKeepsItsAxesExactly) {
  const PrincipalInertia p = principal({{3.0, 1.0, 2.5}, Vec3::Zero()});
  EXPECT_EQ(p.axes.w, 1);
  EXPECT_EQ(p.moments, Vec3(3.0, 1.0, 2.5));
}

TEST(Inertia, ImpossibleInertiasAreNamed) {
  EXPECT_TRUE(inertia_fault({{1, 1, 1.9}, Vec3::Zero()}).empty());
  EXPECT_TRUE(inertia_fault({{1, 1, 2}, Vec3::Zero()}).empty());  // a flat plate
  EXPECT_NE(inertia_fault({{1, 1, 2.1}, Vec3::Zero()}).find("sum of the other two"), std::string::npos);
  EXPECT_NE(inertia_fault({{1, 1, 0}, Vec3::Zero()}).find("positive"), std::string::npos);
  // Fine on the diagonal, impossible in principal axes.
  EXPECT_FALSE(inertia_fault({{1, 1, 1}, {0.9, 0, 0}}).empty());
}

}  // namespace
}  // namespace plumb
