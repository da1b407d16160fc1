#include "plumb/spatial/rotation.h"

namespace plumb {

Mat3 Quaternion::matrix() const {
  const double s = 2 / (w * w + x * x + y * y + z * z);
  Mat3 R;
  R << 1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),  //
      s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x),   //
      s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y);
  return R;
}

Quaternion Quaternion::from_axis_angle(const Vec3& axis, double angle) {
  const Vec3 u = axis.normalized() * std::sin(angle / 2);
  return {std::cos(angle / 2), u.x(), u.y(), u.z()};
}

Quaternion Quaternion::exp(const Vec3& r) {
  const double half = r.norm() / 2;
  // sin(half)/(2 half) by its series near zero, where the quotient is 0/0.
  const double s = half > 1e-4 ? std::sin(half) / (2 * half) : 0.5 - half * half / 12;
  return {std::cos(half), s * r.x(), s * r.y(), s * r.z()};
}

void turn_quaternion(const double* r, double* q) {
  // To second order for small turns, the rest being lost in rounding; large ones exactly.
  const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
  Quaternion turn{1 - square / 8, r[0] / 2, r[1] / 2, r[2] / 2};
  if (square > 1e-10) turn = Quaternion::exp(Vec3(r[0], r[1], r[2]));
  const Quaternion p = (Quaternion{q[0], q[1], q[2], q[3]} * turn).normalized();
  q[0] = p.w, q[1] = p.x, q[2] = p.y, q[3] = p.z;
}

Quaternion Quaternion::from_matrix(const Mat3& R) {
  // The largest of the four components is found first, so that nothing small is divided by.
  const double t[4] = {1 + R(0, 0) + R(1, 1) + R(2, 2), 1 + R(0, 0) - R(1, 1) - R(2, 2),
                       1 - R(0, 0) + R(1, 1) - R(2, 2), 1 - R(0, 0) - R(1, 1) + R(2, 2)};
  int k = 0;
  for (int i = 1; i < 4; ++i)
    if (t[i] > t[k]) k = i;
  const double r = std::sqrt(t[k]), s = 0.5 / r;
  const double zy = R(2, 1) - R(1, 2), xz = R(0, 2) - R(2, 0), yx = R(1, 0) - R(0, 1);
  const double xy = R(0, 1) + R(1, 0), zx = R(0, 2) + R(2, 0), yz = R(1, 2) + R(2, 1);
  switch (k) {
    case 0: return {r / 2, zy * s, xz * s, yx * s};
    case 1: return {zy * s, r / 2, xy * s, zx * s};
    case 2: return {xz * s, xy * s, r / 2, yz * s};
    default: return {yx * s, zx * s, yz * s, r / 2};
  }
}

Complement complete_frame(const Vec3& axis) {
  // Cross with the coordinate axis least aligned with `axis`.
  int k = 0;
  for (int i = 1; i < 3; ++i)
    if (std::abs(axis[i]) < std::abs(axis[k])) k = i;
  const Vec3 first = axis.cross(Vec3::Unit(k)).normalized();
  return {first, axis.cross(first)};
}

}  // namespace plumb
