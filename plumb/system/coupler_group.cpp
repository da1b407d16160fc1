#include "plumb/system/coupler_group.h"

#include "plumb/system/parts/point_in_plane.h"

namespace plumb {
namespace {

// The plane across which a displacement is measured; its derivatives are those of the displacement.
PointInPlane plane_of(const DisplacementMeasure& m) {
  PointInPlane p{m.from, m.to, {}, {}, -1};
  kernel::copy(p.normal, m.axis);
  return p;
}

}  // namespace

// a.d with d = p_to - p_from, and its rate a.d' + (w x a).d
double DisplacementMeasure::value(const Placement& at) const {
  double a[3], d[3];
  direction(at, from, axis, a);
  span(at, from, to, d);
  return kernel::dot(a, d);
}

double DisplacementMeasure::rate(const Placement& at) const {
  double a[3], w[3], d[3], turn[3];
  direction(at, from, axis, a);
  angular_velocity(at, from, w);
  kernel::cross(w, a, turn);
  span(at, from, to, d);
  const double swing = kernel::dot(turn, d);
  span_rate(at, from, to, d);
  return kernel::dot(a, d) + swing;
}

double CouplerGroup::value(const CouplerTerm& term) const {
  if (term.turns < 0) return term.slide.value(work_.at);
  const double last = work_.at.turns[term.turns];
  return last + wrap_angle(term.angle.angle(work_.at) - last);
}

Jet CouplerGroup::shape(const CouplerTerm& term) const {
  const double q = value(term);
  if (term.function.empty()) return {term.coefficient * q, term.coefficient, 0};
  return Jet(term.coefficient) * term.function[0].evaluate_in_time(q);
}

void CouplerGroup::residual(double* g) const {
  for (const Coupler& c : couplers_) {
    g[c.row] = -c.constant;
    for (const CouplerTerm& term : c.terms) g[c.row] += shape(term).value;
  }
}

void CouplerGroup::jacobian(const Coupler& c) const {
  const Placement& at = work_.at;
  double* const linear = work_.J.linear + c.linear;
  double* const angular = work_.J.angular + c.angular;
  for (std::size_t i = 0; i < 3 * c.bodies.size(); ++i) linear[i] = angular[i] = 0;
  for (const CouplerTerm& term : c.terms) {
    const double slope = shape(term).rate;
    double axis[3], from[3] = {}, to[3] = {};
    if (term.turns >= 0) {
      direction(at, term.angle.from, term.angle.axis, axis);
      angular_row(at, term.angle.from, -1, axis, from);
      angular_row(at, term.angle.to, 1, axis, to);
    } else {
      PointInPlane p = plane_of(term.slide);
      double rows[6] = {};
      p.place.from = 0, p.place.to = 3;
      p.jacobian<EndKind::any, EndKind::any>(at, {axis, rows});
      kernel::copy(from, rows);
      kernel::copy(to, rows + 3);
      if (term.from >= 0) kernel::add_scaled(linear + 3 * term.from, -slope, axis);
      if (term.to >= 0) kernel::add_scaled(linear + 3 * term.to, slope, axis);
    }
    if (term.from >= 0) kernel::add_scaled(angular + 3 * term.from, slope, from);
    if (term.to >= 0) kernel::add_scaled(angular + 3 * term.to, slope, to);
  }
}

double CouplerGroup::bias(const Coupler& c) const {
  const Placement& at = work_.at;
  double sum = 0;
  for (const CouplerTerm& term : c.terms) {
    const Jet phi = shape(term);
    double rate, bias[1];
    if (term.turns >= 0) {
      double a[3], wf[3], wt[3];
      direction(at, term.angle.from, term.angle.axis, a);
      angular_velocity(at, term.angle.from, wf);
      angular_velocity(at, term.angle.to, wt);
      kernel::subtract(wt, wf);
      rate = kernel::dot(a, wt);
      kernel::cross(wf, a, a);
      bias[0] = kernel::dot(a, wt);
    } else {
      PointInPlane p = plane_of(term.slide);
      double axis[3];
      direction(at, p.from, p.normal, axis);
      p.bias<EndKind::any, EndKind::any>(at, {axis, nullptr}, bias);
      rate = term.slide.rate(at);
    }
    sum += phi.rate * bias[0] + phi.acceleration * rate * rate;
  }
  return sum;
}

double CouplerGroup::along(const Coupler& c, const double* v) const {
  double sum = 0;
  for (std::size_t k = 0; k < c.bodies.size(); ++k) {
    const End& e = c.bodies[k];
    sum += kernel::dot(work_.J.linear + c.linear + 3 * k, v + e.v);
    if (e.kind == BodyKind::rigid) sum += kernel::dot(work_.J.angular + c.angular + 3 * k, v + e.v + 3);
  }
  return sum;
}

void CouplerGroup::linearise(double* g) const {
  residual(g);
  for (const Coupler& c : couplers_) jacobian(c);
}

void CouplerGroup::update(const double* a, double* out) const {
  for (const Coupler& c : couplers_) {
    jacobian(c);
    out[c.row] = along(c, a) + bias(c);
  }
}

void CouplerGroup::multiply(const double* v, double* out) const {
  for (const Coupler& c : couplers_) out[c.row] = along(c, v);
}

void CouplerGroup::push(const double* lambda, double* a) const {
  for (const Coupler& c : couplers_)
    for (std::size_t k = 0; k < c.bodies.size(); ++k) {
      const End& e = c.bodies[k];
      kernel::add_scaled(a + e.v, lambda[c.row] * work_.inverse_mass.mass(e.body), work_.J.linear + c.linear + 3 * k);
      if (e.kind != BodyKind::rigid) continue;
      const double* const inverse = work_.inverse_mass.moments(e.body);
      for (int i = 0; i < 3; ++i)
        a[e.v + 3 + i] += lambda[c.row] * inverse[i] * work_.J.angular[c.angular + 3 * k + static_cast<std::size_t>(i)];
    }
}

// Only moving anchors of displacements depend on time by themselves.
void CouplerGroup::drive(double* g_t) const {
  for (const Coupler& c : couplers_) {
    g_t[c.row] = 0;
    for (const CouplerTerm& term : c.terms) {
      if (term.turns >= 0) continue;
      double axis[3], u[1];
      direction(work_.at, term.slide.from, term.slide.axis, axis);
      plane_of(term.slide).drive(work_.at, {axis, nullptr}, u);
      g_t[c.row] += shape(term).rate * u[0];
    }
  }
}

}  // namespace plumb
