#include "plumb/spatial/rotation.h"

#include <gtest/gtest.h>

#include <numbers>

#include "plumb/spatial/kernel.h"

namespace plumb {
namespace {

const Quaternion some = Quaternion{0.3, -0.5, 0.7, 0.2}.normalized();

TEST(Rotation, QuarterTurnAboutZTakesXToY) {
  const Quaternion q = Quaternion::from_axis_angle({0, 0, 3}, std::numbers::pi / 2);
  EXPECT_NEAR((q.rotate(Vec3::UnitX()) - Vec3::UnitY()).norm(), 0, 1e-15);
}

TEST(Rotation, MatrixIsOrthogonalForAnyLength) {
  const Mat3 R = Quaternion{0.6, -1.0, 1.4, 0.4}.matrix();
  EXPECT_NEAR((R * R.transpose() - Mat3::Identity()).norm(), 0, 1e-15);
  EXPECT_NEAR(R.determinant(), 1, 1e-15);
  EXPECT_NEAR((R - some.matrix()).norm(), 0, 1e-15);
}

TEST(Rotation, ProductOfQuaternionsIsProductOfMatrices) {
  const Quaternion other = Quaternion{-0.1, 0.9, 0.3, 0.4}.normalized();
  EXPECT_NEAR(((some * other).matrix() - some.matrix() * other.matrix()).norm(), 0, 1e-15);
}

TEST(Rotation, FromMatrixInvertsMatrixWhicheverComponentIsLargest) {
  for (const Quaternion& q : {Quaternion{1, 0.1, 0.2, 0.3}, Quaternion{0.1, 1, 0.2, 0.3}, Quaternion{0.1, 0.2, 1, 0.3},
                              Quaternion{0.1, 0.2, 0.3, 1}}) {
    const Mat3 R = q.matrix();
    EXPECT_NEAR((Quaternion::from_matrix(R).matrix() - R).norm(), 0, 1e-14);
  }
}

TEST(Rotation, ExponentialIsAxisAngleAndSmoothAtZero) {
  const Vec3 r(0.3, -0.2, 0.9);
  EXPECT_NEAR((Quaternion::exp(r).matrix() - Quaternion::from_axis_angle(r, r.norm()).matrix()).norm(), 0, 1e-15);
  const Vec3 tiny = 1e-5 * r;
  EXPECT_NEAR((Quaternion::exp(tiny).matrix() - Quaternion::from_axis_angle(tiny, tiny.norm()).matrix()).norm(), 0,
              1e-15);
  EXPECT_EQ(Quaternion::exp(Vec3::Zero()).w, 1);
}

TEST(Rotation, TurnQuaternionAgreesWithTheExponentialForSmallAndLargeTurns) {
  for (const double size : {1e-7, 1e-3, 1.0}) {
    const Vec3 r = size * Vec3(0.4, -0.8, 0.3);
    double q[4] = {some.w, some.x, some.y, some.z};
    turn_quaternion(r.data(), q);
    const Mat3 expected = some.matrix() * Quaternion::exp(r).matrix();
    EXPECT_NEAR((Quaternion{q[0], q[1], q[2], q[3]}.matrix() - expected).norm(), 0, 1e-14) << size;
  }
}

TEST(Rotation, KernelsAgreeWithTheTypes) {
  const double q[4] = {some.w, some.x, some.y, some.z};
  const Vec3 s(1, -2, 0.5), w(0.4, 0.1, -0.7);
  double R[9], out[3], rate[4];
  kernel::rotation_matrix(q, R);
  kernel::rotate(R, s.data(), out);
  EXPECT_NEAR((Vec3(out[0], out[1], out[2]) - some.rotate(s)).norm(), 0, 1e-15);
  kernel::rotate_back(R, out, out);
  EXPECT_NEAR((Vec3(out[0], out[1], out[2]) - s).norm(), 0, 1e-15);
  kernel::centripetal(w.data(), s.data(), out);
  EXPECT_NEAR((Vec3(out[0], out[1], out[2]) - w.cross(w.cross(s))).norm(), 0, 1e-15);
  // q' = q o (0, w)/2
  kernel::quaternion_rate(q, w.data(), rate);
  const Quaternion expected = some * Quaternion{0, w.x() / 2, w.y() / 2, w.z() / 2};
  EXPECT_NEAR(
      std::hypot(rate[0] - expected.w, rate[1] - expected.x, rate[2] - expected.y) + std::abs(rate[3] - expected.z), 0,
      1e-15);
}

TEST(Rotation, CompleteFrameIsRightHandedForEveryAxis) {
  for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, -1, 0), Vec3(0, 0, 1), Vec3(1, 2, -3), Vec3(1e-9, 1, 0)}) {
    const Vec3 a = axis.normalized();
    const Complement c = complete_frame(a);
    EXPECT_NEAR((c.first.cross(c.second) - a).norm(), 0, 1e-15);
    EXPECT_NEAR(c.first.norm(), 1, 1e-15);
  }
}

}  // namespace
}  // namespace plumb
