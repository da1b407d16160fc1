// 3-vectors and rotation matrices as plain arrays, for the loops that run in every evaluation.
// Matrices are row-major. `out` may be one of the arguments of cross, rotate and rotate_back, of no other.
#pragma once

// For the small functions of the inner loops: their arguments are to stay in registers, whatever the compiler
// thinks of their size.
#define PLUMB_INLINE [[gnu::always_inline]] inline

namespace plumb::kernel {

PLUMB_INLINE double dot(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

PLUMB_INLINE void cross(const double* a, const double* b, double* out) {
  const double x = a[1] * b[2] - a[2] * b[1];
  const double y = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
  out[0] = x;
  out[1] = y;
}

// out = R s
PLUMB_INLINE void rotate(const double* R, const double* s, double* out) {
  const double x = dot(R, s), y = dot(R + 3, s);
  out[2] = dot(R + 6, s);
  out[0] = x;
  out[1] = y;
}

// out = Rᵀ x
PLUMB_INLINE void rotate_back(const double* R, const double* x, double* out) {
  const double a = R[0] * x[0] + R[3] * x[1] + R[6] * x[2];
  const double b = R[1] * x[0] + R[4] * x[1] + R[7] * x[2];
  out[2] = R[2] * x[0] + R[5] * x[1] + R[8] * x[2];
  out[0] = a;
  out[1] = b;
}

PLUMB_INLINE void add(double* __restrict out, const double* __restrict x) {
  for (int i = 0; i < 3; ++i) out[i] += x[i];
}

PLUMB_INLINE void subtract(double* __restrict out, const double* __restrict x) {
  for (int i = 0; i < 3; ++i) out[i] -= x[i];
}

PLUMB_INLINE void add_scaled(double* __restrict out, double s, const double* __restrict x) {
  for (int i = 0; i < 3; ++i) out[i] += s * x[i];
}

PLUMB_INLINE void copy(double* __restrict out, const double* __restrict x) {
  for (int i = 0; i < 3; ++i) out[i] = x[i];
}

// omega x (omega x s) = omega (omega.s) - s (omega.omega)
PLUMB_INLINE void centripetal(const double* omega, const double* s, double* __restrict out) {
  const double along = dot(omega, s), square = dot(omega, omega);
  for (int i = 0; i < 3; ++i) out[i] = omega[i] * along - s[i] * square;
}

// R of the quaternion (w, x, y, z), divided by its length.
PLUMB_INLINE void rotation_matrix(const double* q, double* __restrict R) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double s = 2 / (w * w + x * x + y * y + z * z);
  const double sx = s * x, sy = s * y, sz = s * z;
  const double wx = w * sx, wy = w * sy, wz = w * sz;
  const double xx = x * sx, xy = x * sy, xz = x * sz, yy = y * sy, yz = y * sz, zz = z * sz;
  R[0] = 1 - (yy + zz), R[1] = xy - wz, R[2] = xz + wy;
  R[3] = xy + wz, R[4] = 1 - (xx + zz), R[5] = yz - wx;
  R[6] = xz - wy, R[7] = yz + wx, R[8] = 1 - (xx + yy);
}

// q' = q o (0, omega)/2, omega in body axes
PLUMB_INLINE void quaternion_rate(const double* q, const double* omega, double* __restrict rate) {
  const double a = 0.5 * omega[0], b = 0.5 * omega[1], c = 0.5 * omega[2];
  rate[0] = -(q[1] * a + q[2] * b + q[3] * c);
  rate[1] = q[0] * a + q[2] * c - q[3] * b;
  rate[2] = q[0] * b + q[3] * a - q[1] * c;
  rate[3] = q[0] * c + q[1] * b - q[2] * a;
}

}  // namespace plumb::kernel
