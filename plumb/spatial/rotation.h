// Vectors, rotations and unit quaternions (scalar first: w, x, y, z).
//
// Frames in names: R_WB turns components in B into components in W, x_W = R_WB x_B.
#pragma once

#include <cmath>
#include <Eigen/Core>
#include <Eigen/Geometry>

namespace plumb {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

struct Quaternion {
  double w = 1, x = 0, y = 0, z = 0;

  double norm() const { return std::sqrt(w * w + x * x + y * y + z * z); }

  Quaternion normalized() const {
    const double n = norm();
    return {w / n, x / n, y / n, z / n};
  }

  bool operator==(const Quaternion&) const = default;

  Quaternion conjugate() const { return {w, -x, -y, -z}; }

  friend Quaternion operator*(const Quaternion& a, const Quaternion& b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
  }

  // R_WB of this attitude; a quaternion that is not of unit length is divided by its length.
  Mat3 matrix() const;

  Vec3 rotate(const Vec3& v) const { return matrix() * v; }

  static Quaternion from_axis_angle(const Vec3& axis, double angle);
  // The rotation by |r| about r: exp of the skew matrix of r.
  static Quaternion exp(const Vec3& r);
  static Quaternion from_matrix(const Mat3& R);
};

// q <- q o exp(r) for a quaternion stored as w, x, y, z; r in body axes.
void turn_quaternion(const double* r, double* q);

// Two unit vectors that complete the unit vector `axis` to a right-handed frame (first, second, axis).
struct Complement {
  Vec3 first, second;
};
Complement complete_frame(const Vec3& axis);

}  // namespace plumb
