#include "plumb/system/forces/bushing.h"

#include <fmt/format.h>

#include "plumb/system/builder.h"

namespace plumb {
namespace {

Mat3 frame(const Placement& at, const End& e) {
  if (e.kind != BodyKind::rigid) return Mat3::Identity();
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(at.frame(e));
}

Vec3 vec(const double* x) { return Vec3(x[0], x[1], x[2]); }

Mat3 skew(const Vec3& v) {
  Mat3 m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

Bushing::Matrix6 matrix(ForceBuilder& b, const std::vector<double>& values, const char* key) {
  Bushing::Matrix6 m = Bushing::Matrix6::Zero();
  if (values.size() == 6) {
    for (int i = 0; i < 6; ++i) m(i, i) = values[static_cast<std::size_t>(i)];
    return m;
  }
  if (values.size() != 36) b.fail(fmt::format("{} must be 6 numbers (the diagonal) or 6 rows of 6", key));
  for (int i = 0; i < 36; ++i) m(i / 6, i % 6) = values[static_cast<std::size_t>(i)];
  if ((m - m.transpose()).cwiseAbs().maxCoeff() > 1e-9 * m.cwiseAbs().maxCoeff())
    b.fail(fmt::format("{} must be symmetric", key));
  return m;
}

}  // namespace

Bushing::Deflection Bushing::look(const Placement& at) const {
  Deflection d;
  double p[3], u[3], wf[3], wt[3];
  span(at, from, to, p);
  span_rate(at, from, to, u);
  angular_velocity(at, from, wf);
  angular_velocity(at, to, wt);
  d.R = frame(at, from) * axes_from;
  d.delta = d.R.transpose() * vec(p) - start;
  d.delta_rate = d.R.transpose() * (vec(u) - vec(wf).cross(vec(p)));
  d.spin = d.R.transpose() * (vec(wt) - vec(wf));
  const Eigen::AngleAxisd turn(Mat3(d.R.transpose() * frame(at, to) * axes_to));
  double angle = turn.angle();
  d.phi = angle * turn.axis();
  // J⁻¹ = 1 - [phi]/2 + (1 - (a/2) cot(a/2))/a² [phi]²
  const Mat3 S = skew(d.phi);
  const double c =
      angle < 1e-4 ? 1.0 / 12 + angle * angle / 720 : (1 - angle / 2 / std::tan(angle / 2)) / (angle * angle);
  d.inverse_jacobian = Mat3::Identity() - S / 2 + c * S * S;
  return d;
}

double Bushing::potential(const Placement& at) const {
  const Deflection d = look(at);
  Eigen::Matrix<double, 6, 1> x;
  x << d.delta, d.phi;
  return x.dot(stiffness * x) / 2;
}

void build_bushing(ForceBuilder& b) {
  Bushing u;
  const std::optional<Point>& both = b.force.point;
  u.from = b.anchored_end(b.force.from, both ? both : b.force.from_point, b.force.from_local, "from");
  u.to = b.anchored_end(b.force.to, both ? both : b.force.to_point, b.force.to_local, "to");
  if (u.from.kind == BodyKind::point || u.to.kind == BodyKind::point)
    b.fail("a point mass does not rotate; a bushing needs rigid bodies");
  for (int i = 0; i < 3; ++i) {
    u.axes_from.col(i) = b.to_local(u.from, Vec3::Unit(i));
    u.axes_to.col(i) = b.to_local(u.to, Vec3::Unit(i));
  }
  u.start = b.start_position(u.to) - b.start_position(u.from);
  if (b.force.stiffness_matrix) u.stiffness = matrix(b, *b.force.stiffness_matrix, "stiffness_matrix");
  if (b.force.damping_matrix) u.damping = matrix(b, *b.force.damping_matrix, "damping_matrix");
  b.system().bushings.push_back(u);
}

}  // namespace plumb
