// A point of `to` stays on a curve C(s) carried by `from` (2 rows). With r = R_fromᵀ (p_to - x_from) and the nearest
// point of the curve at s, where (r - C).C' = 0,
//   g_i = N_i.(r - C(s)),  N_1, N_2 across the tangent C'
//   G as for a point in the plane with normal N_i;  gamma as there, minus N_i.C'' s'²,  s' = (rate of r).C'/|C'|²
// (d/dt of N_i times r - C vanishes on the curve, and N_i'.C' = -N_i.C''.)
#pragma once

#include <cmath>
#include <memory>

#include "plumb/expression/expression.h"
#include "plumb/spatial/rotation.h"
#include "plumb/system/parts/point_in_plane.h"

namespace plumb {

struct Curve {
  Expression components[3];   // of s, in body coordinates of `from`
  Mat3 R = Mat3::Identity();  // into the axes the parts use
  Vec3 offset = Vec3::Zero();
  double begin = 0, end = 1;  // where the start is looked for

  struct Place {
    Vec3 point, tangent, second;  // C, C', C''
  };
  Place at(double s) const {
    Place p;
    for (int i = 0; i < 3; ++i) {
      const Jet c = components[i].evaluate_in_time(s);
      p.point[i] = c.value, p.tangent[i] = c.rate, p.second[i] = c.acceleration;
    }
    p.point = R * (p.point - offset);
    p.tangent = R * p.tangent;
    p.second = R * p.second;
    return p;
  }
  // The parameter of the nearest point, by Newton's method from s.
  double nearest(const Vec3& r, double s) const {
    for (int i = 0; i < 30; ++i) {
      const Place c = at(s);
      const Vec3 d = r - c.point;
      const double square = c.tangent.squaredNorm(), curvature = square - d.dot(c.second);
      const double step = d.dot(c.tangent) / (curvature > 0.1 * square ? curvature : square);
      s += step;
      if (!(std::abs(step) > 1e-16 * (1 + std::abs(s)))) break;
    }
    return s;
  }
};

struct PointOnCurve {
  End from, to;
  RowPlace place;
  std::shared_ptr<const Curve> curve;
  int memory = 0;  // in Placement::curve_parameters: s at the last accepted state

  static constexpr int rows = 2;
  static constexpr bool rare = true;
  static constexpr LinearForm linear_form = LinearForm::general;

  template <EndKind F, EndKind T>
  void residual(const Placement& at, double* g) const {
    const Vec3 r = seen_from<F, T>(at);
    const double s = curve->nearest(r, at.curve_parameters[memory]);
    const Curve::Place c = curve->at(s);
    const Complement across = complete_frame(c.tangent.normalized());
    g[0] = across.first.dot(r - c.point);
    g[1] = across.second.dot(r - c.point);
  }

  template <EndKind F, EndKind T>
  void jacobian(const Placement& at, const Jacobian& J) const {
    const Curve::Place c = curve->at(parameter<F, T>(at));
    for (int i = 0; i < 2; ++i) plane(i, c).template jacobian<F, T>(at, J);
  }

  template <EndKind F, EndKind T>
  void bias(const Placement& at, const Jacobian& J, double* gamma) const {
    const Curve::Place c = curve->at(parameter<F, T>(at));
    double w[3], d[3], turn[3], rate[3];
    span<F, T>(at, from, to, d);
    span_rate<F, T>(at, from, to, rate);
    angular_velocity<F>(at, from, w);
    kernel::cross(w, d, turn);
    kernel::subtract(rate, turn);
    if (is_rigid<F>(from)) kernel::rotate_back(at.frame(from), rate, rate);
    const double speed = Vec3(rate[0], rate[1], rate[2]).dot(c.tangent) / c.tangent.squaredNorm();
    for (int i = 0; i < 2; ++i) {
      const PointInPlane p = plane(i, c);
      p.template bias<F, T>(at, J, gamma + i);
      gamma[i] -= kernel::dot(p.normal, c.second.data()) * speed * speed;
    }
  }

  bool is_driven() const { return to.motion >= 0; }
  void drive(const Placement& at, const Jacobian& J, double* g_t) const {
    const Curve::Place c = curve->at(parameter<EndKind::any, EndKind::any>(at));
    for (int i = 0; i < 2; ++i) plane(i, c).drive(at, J, g_t + i);
  }

  template <EndKind F, EndKind T>
  double parameter(const Placement& at) const {
    return curve->nearest(seen_from<F, T>(at), at.curve_parameters[memory]);
  }

 private:
  template <EndKind F, EndKind T>
  Vec3 seen_from(const Placement& at) const {
    double d[3];
    span<F, T>(at, from, to, d);
    if (is_rigid<F>(from)) kernel::rotate_back(at.frame(from), d, d);
    return {d[0], d[1], d[2]};
  }

  PointInPlane plane(int i, const Curve::Place& c) const {
    PointInPlane p{
        from, to, {place.row + i, place.linear + 3 * i, place.from + 3 * i, place.to + 3 * i, place.joint}, {}, -1};
    const Complement across = complete_frame(c.tangent.normalized());
    kernel::copy(p.normal, (i == 0 ? across.first : across.second).data());
    return p;
  }
};

}  // namespace plumb
