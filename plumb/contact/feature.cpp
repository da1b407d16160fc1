#include "plumb/contact/feature.h"

#include <algorithm>
#include <cmath>

namespace plumb {

// ---- frames

Frame<double>::Frame(const Placement& at, const End& end) : is_rigid_(end.kind == BodyKind::rigid) {
  if (end.kind != BodyKind::ground) kernel::copy(x_, at.q + end.q);
  if (is_rigid_) R_ = at.frame(end);
}

Triple<double> Frame<double>::direction(const Vec3& s) const {
  if (!is_rigid_) return Triple<double>(s);
  double d[3];
  kernel::rotate(R_, s.data(), d);
  return {d[0], d[1], d[2]};
}

Triple<double> Frame<double>::point(const Vec3& s) const { return Triple<double>(x_[0], x_[1], x_[2]) + direction(s); }

Frame<Jet>::Frame(const Placement& at, const End& end) : is_rigid_(end.kind == BodyKind::rigid) {
  if (end.kind != BodyKind::ground) {
    kernel::copy(x_, at.q + end.q);
    kernel::copy(v_, at.v + end.v);
  }
  if (!is_rigid_) return;
  R_ = at.frame(end);
  kernel::copy(w_, at.omega(end));
}

Triple<Jet> Frame<Jet>::direction(const Vec3& s) const {
  if (!is_rigid_) return Triple<Jet>(s);
  double d[3], rate[3], second[3];
  kernel::cross(w_, s.data(), rate);
  kernel::cross(w_, rate, second);
  kernel::rotate(R_, s.data(), d);
  kernel::rotate(R_, rate, rate);
  kernel::rotate(R_, second, second);
  return {{d[0], rate[0], second[0]}, {d[1], rate[1], second[1]}, {d[2], rate[2], second[2]}};
}

Triple<Jet> Frame<Jet>::point(const Vec3& s) const {
  return Triple<Jet>({x_[0], v_[0]}, {x_[1], v_[1]}, {x_[2], v_[2]}) + direction(s);
}

namespace {

using Kind = Feature::Kind;

double value_of(double x) { return x; }
double value_of(const Jet& x) { return x.value; }

template <class T>
Triple<double> value_of(const Triple<T>& a) {
  return {value_of(a.x), value_of(a.y), value_of(a.z)};
}

// The length of d and the unit vector e along it. Of vectors that move, with what changes their direction,
//   w = e x d',   |d|'' = |w|²/|d| + e.d'',   e' = (w x e)/|d|,
// taken as such and not as a difference of large numbers: a rim that is about to lie flat has a short d.
template <class T>
struct Length {
  T length;
  Triple<T> unit;
};

Length<double> length_of(const Triple<double>& d) {
  const double n = norm(d);
  return {n, 1 / n * d};
}

Length<Jet> length_of(const Triple<Jet>& d) {
  const Triple<double> rate(d.x.rate, d.y.rate, d.z.rate), second(d.x.acceleration, d.y.acceleration, d.z.acceleration);
  const auto [n, e] = length_of(value_of(d));
  const Triple<double> w = cross(e, rate), turning = 1 / n * cross(w, e);
  const double along = dot(e, rate);
  const Triple<double> sideways = cross(cross(e, second), e);
  const Triple<double> turning_rate = 1 / n * (sideways - 2 * along * turning) - dot(turning, turning) * e;
  return {{n, along, dot(w, w) / n + dot(e, second)},
          {{e.x, turning.x, turning_rate.x}, {e.y, turning.y, turning_rate.y}, {e.z, turning.z, turning_rate.z}}};
}

// A feature in the world.
template <class T>
struct Placed {
  Kind kind = Kind::point;
  Triple<T> place, along, across[2];  // `across`: of a circle, with `along` a right-handed frame
  double radius = 0, round = 0;

  Placed() = default;
  Placed(const Feature& f, const Frame<T>& frame)
      : kind(f.kind), place(frame.point(f.place)), radius(f.radius), round(f.round) {
    if (kind == Kind::point) return;
    along = frame.direction(f.along);
    if (kind != Kind::circle) return;
    const Complement c = complete_frame(f.along);
    across[0] = frame.direction(c.first);
    across[1] = frame.direction(c.second);
  }

  Placed<double> values() const {
    Placed<double> p;
    p.kind = kind;
    p.place = value_of(place);
    p.along = value_of(along);
    for (int i = 0; i < 2; ++i) p.across[i] = value_of(across[i]);
    p.radius = radius;
    p.round = round;
    return p;
  }

  // From the centre to the rim, a unit vector; and the tangent there.
  Triple<T> outward(const T& angle) const {
    using std::cos, std::sin;
    return cos(angle) * across[0] + sin(angle) * across[1];
  }
  Triple<T> tangent(const T& angle) const {
    using std::cos, std::sin;
    return cos(angle) * across[1] - sin(angle) * across[0];
  }
  Triple<T> rim(const T& angle) const { return place + T(radius) * outward(angle); }
};

// The places x on `a` and y on `b`, the normal from a to b, and the radii taken off.
template <class T>
Nearness<T> between(const Triple<T>& x, const Triple<T>& y, const Triple<T>& n, const T& distance, double round_a,
                    double round_b) {
  return {distance - T(round_a + round_b), n, x + T(round_a) * n, y - T(round_b) * n};
}

template <class T>
Nearness<T> apart(const Triple<T>& x, const Triple<T>& y, double round_a, double round_b) {
  const Length<T> d = length_of(y - x);
  return between(x, y, d.unit, d.length, round_a, round_b);
}

template <class T>
Nearness<T> plane_point(const Placed<T>& a, const Placed<T>& b) {
  const T height = dot(a.along, b.place - a.place);
  return between(b.place - height * a.along, b.place, a.along, height, 0, b.round);
}

template <class T>
Nearness<T> plane_circle(const Placed<T>& a, const Placed<T>& b) {
  const Length<T> down = length_of(a.along - dot(a.along, b.along) * b.along);
  const Triple<T> lowest = b.place - T(b.radius) * down.unit;
  const T height = dot(a.along, b.place - a.place) - T(b.radius) * down.length;
  Nearness<T> near = between(lowest - height * a.along, lowest, a.along, height, 0, b.round);
  near.angle_to = std::atan2(-value_of(dot(down.unit, b.across[1])), -value_of(dot(down.unit, b.across[0])));
  return near;
}

template <class T>
Nearness<T> line_point(const Placed<T>& a, const Placed<T>& b) {
  const Triple<T> foot = a.place + dot(a.along, b.place - a.place) * a.along;
  return apart(foot, b.place, a.round, b.round);
}

template <class T>
Nearness<T> line_line(const Placed<T>& a, const Placed<T>& b, double side) {
  const Triple<T> m = cross(a.along, b.along), r = b.place - a.place;
  const T square = dot(m, m);
  const T alpha = dot(cross(r, b.along), m) / square, beta = dot(cross(r, a.along), m) / square;
  const Triple<T> n = T(side) * length_of(m).unit;
  return between(a.place + alpha * a.along, b.place + beta * b.along, n, dot(n, r), a.round, b.round);
}

template <class T>
Nearness<T> circle_point(const Placed<T>& a, const Placed<T>& b) {
  const Triple<T> q = b.place - a.place, out = q - dot(q, a.along) * a.along;
  const Triple<T> rim = a.place + T(a.radius) * length_of(out).unit;
  return apart(rim, b.place, a.round, b.round);
}

// Rounds of Newton's method on T after the values are exact: with the slope of the values each adds one exact rate.
template <class T>
constexpr int rounds_on = 0;
template <>
constexpr int rounds_on<Jet> = 2;

constexpr int most_rounds = 40;
constexpr double still = 1e-15;

// The rim is nearest to the line where w.tau = 0, w its offset across the line. The slope of that with the angle is
// R |tau across|² - w.outward.
template <class T>
Nearness<T> line_circle(const Placed<T>& line, const Placed<T>& circle, double side, double angle) {
  const auto across = [](const auto& l, const auto& x) { return x - dot(x, l.along) * l.along; };
  const auto residual = [&](const auto& l, const auto& c, const auto& at) {
    return dot(across(l, c.rim(at) - l.place), c.tangent(at));
  };
  const Placed<double> l = line.values(), c = circle.values();
  double slope = 1;
  for (int i = 0; i < most_rounds; ++i) {
    const Triple<double> tau = across(l, c.tangent(angle));
    slope = c.radius * dot(tau, tau) - dot(across(l, c.rim(angle) - l.place), c.outward(angle));
    const double change = std::clamp(residual(l, c, angle) / slope, -0.5, 0.5);
    angle -= change;
    if (!(std::abs(change) > still)) break;
  }
  T at(angle);
  for (int i = 0; i < rounds_on<T>; ++i) at = at - residual(line, circle, at) / T(slope);
  const Triple<T> rim = circle.rim(at), m = cross(line.along, circle.tangent(at)), r = rim - line.place;
  const Triple<T> foot = line.place + dot(r, line.along) * line.along;
  const Triple<T> n = T(side) / norm(m) * m;
  Nearness<T> near =
      line.round > 0 ? apart(foot, rim, line.round, circle.round) : between(foot, rim, n, dot(n, r), 0, circle.round);
  near.angle_to = angle;
  return near;
}

// Two circles are nearest where their difference is perpendicular to both tangents.
template <class T>
Nearness<T> circle_circle(const Placed<T>& a, const Placed<T>& b, double side, double angle_a, double angle_b) {
  const Placed<double> p = a.values(), q = b.values();
  double J[2][2] = {{1, 0}, {0, 1}}, det = 1;
  for (int i = 0; i < most_rounds; ++i) {
    const Triple<double> d = q.rim(angle_b) - p.rim(angle_a), s = p.tangent(angle_a), t = q.tangent(angle_b);
    J[0][0] = -p.radius - dot(d, p.outward(angle_a));
    J[0][1] = q.radius * dot(s, t);
    J[1][0] = -p.radius * dot(s, t);
    J[1][1] = q.radius - dot(d, q.outward(angle_b));
    det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    const double f = dot(d, s), g = dot(d, t);
    const double change_a = std::clamp((J[1][1] * f - J[0][1] * g) / det, -0.5, 0.5),
                 change_b = std::clamp((J[0][0] * g - J[1][0] * f) / det, -0.5, 0.5);
    angle_a -= change_a;
    angle_b -= change_b;
    if (!(std::abs(change_a) + std::abs(change_b) > still)) break;
  }
  T at_a(angle_a), at_b(angle_b);
  for (int i = 0; i < rounds_on<T>; ++i) {
    const Triple<T> d = b.rim(at_b) - a.rim(at_a);
    const T f = dot(d, a.tangent(at_a)), g = dot(d, b.tangent(at_b));
    at_a = at_a - (T(J[1][1] / det) * f - T(J[0][1] / det) * g);
    at_b = at_b - (T(J[0][0] / det) * g - T(J[1][0] / det) * f);
  }
  const Triple<T> x = a.rim(at_a), y = b.rim(at_b), m = cross(a.tangent(at_a), b.tangent(at_b));
  const Triple<T> n = T(side) * length_of(m).unit;
  Nearness<T> near = between(x, y, n, dot(n, y - x), a.round, b.round);
  near.angle_from = angle_a;
  near.angle_to = angle_b;
  return near;
}

template <class T>
Nearness<T> reversed(const Nearness<T>& n) {
  return {n.gap, T(-1) * n.normal, n.on_to, n.on_from, n.angle_to, n.angle_from};
}

constexpr int pair_of(Kind a, Kind b) { return 4 * static_cast<int>(a) + static_cast<int>(b); }

}  // namespace

template <class T>
Nearness<T> nearness(const Meeting& m, const Frame<T>& from, const Frame<T>& to) {
  const Placed<T> a(m.from, from), b(m.to, to);
  switch (pair_of(a.kind, b.kind)) {
    case pair_of(Kind::plane, Kind::point): return plane_point(a, b);
    case pair_of(Kind::point, Kind::plane): return reversed(plane_point(b, a));
    case pair_of(Kind::plane, Kind::circle): return plane_circle(a, b);
    case pair_of(Kind::circle, Kind::plane): return reversed(plane_circle(b, a));
    case pair_of(Kind::line, Kind::point): return line_point(a, b);
    case pair_of(Kind::point, Kind::line): return reversed(line_point(b, a));
    case pair_of(Kind::line, Kind::line): return line_line(a, b, m.side);
    case pair_of(Kind::circle, Kind::point): return circle_point(a, b);
    case pair_of(Kind::point, Kind::circle): return reversed(circle_point(b, a));
    case pair_of(Kind::line, Kind::circle): return line_circle(a, b, m.side, m.angle_to);
    case pair_of(Kind::circle, Kind::line): return reversed(line_circle(b, a, m.side, m.angle_from));
    case pair_of(Kind::circle, Kind::circle): return circle_circle(a, b, m.side, m.angle_from, m.angle_to);
    default: return apart(a.place, b.place, a.round, b.round);  // two points; planes do not meet lines or planes
  }
}

template Nearness<double> nearness(const Meeting&, const Frame<double>&, const Frame<double>&);
template Nearness<Jet> nearness(const Meeting&, const Frame<Jet>&, const Frame<Jet>&);

}  // namespace plumb
