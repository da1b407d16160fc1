#include "plumb/contact/clearance.h"

#include <algorithm>
#include <cmath>

namespace plumb {
namespace {

// Means over an eighth of a step fall short of the largest value in it.
constexpr double short_of_largest = 2;

}  // namespace

double least_over_chord(double first, double last, double sag) {
  const double ends = std::min(first, last);
  if (!(sag > std::abs(last - first))) return ends;
  const double at = 0.5 - (last - first) / (2 * sag);
  return first * (1 - at) + last * at - sag * at * (1 - at);
}

double distance_along(const PlacedSolid& a, const PlacedSolid& b, const Vec3& n) {
  if (a.solid->kind == Solid::Kind::plane) return -farthest(b, -n) - a.offsets[0];
  if (b.solid->kind == Solid::Kind::plane) return -farthest(a, n) - b.offsets[0];
  return -farthest(b, -n) - farthest(a, n);
}

StepMotion::StepMotion(const System& system)
    : system_(system), v_(static_cast<std::size_t>(parts + 1) * static_cast<std::size_t>(system.nv)) {}

void StepMotion::note(int place, const double* y) {
  std::copy_n(y + system_.nq, system_.nv, v_.begin() + place * system_.nv);
}

Vec3 StepMotion::velocity(const End& end, int place) const {
  if (end.kind == BodyKind::ground) return Vec3::Zero();
  return Eigen::Map<const Vec3>(v_.data() + place * system_.nv + end.v);
}

StepMotion::Turning StepMotion::turning(const PlacedSolid& s, double length) const {
  Turning t;
  const End& e = s.solid->end;
  if (e.kind != BodyKind::rigid) return t;
  t.arm = s.solid->middle.norm() + s.solid->reach;
  Vec3 last = Vec3::Zero();
  for (int k = 0; k <= parts; ++k) {
    // In body axes; the length of its rate is that of the rate in the world.
    const Vec3 w = Eigen::Map<const Vec3>(v_.data() + k * system_.nv + e.v + 3);
    t.speed = std::max(t.speed, w.norm());
    if (k > 0) t.rate = std::max(t.rate, (w - last).norm() * parts / length);
    last = w;
  }
  t.rate *= short_of_largest;
  return t;
}

double StepMotion::relative_acceleration(const PlacedSolid& a, const PlacedSolid& b, double length) const {
  double most = 0;
  Vec3 last = Vec3::Zero();
  for (int k = 0; k <= parts; ++k) {
    const Vec3 u = velocity(b.solid->end, k) - velocity(a.solid->end, k);
    if (k > 0) most = std::max(most, (u - last).norm() * parts / length);
    last = u;
  }
  const Turning p = turning(a, length), q = turning(b, length);
  return short_of_largest * most + (p.rate + p.speed * p.speed) * p.arm + (q.rate + q.speed * q.speed) * q.arm;
}

double StepMotion::speed_apart(const PlacedSolid& a, const PlacedSolid& b) const {
  double most = 0;
  for (int k = 0; k <= parts; ++k)
    most = std::max(most, (velocity(b.solid->end, k) - velocity(a.solid->end, k)).norm());
  return most;
}

// In axes that turn with a, at w: besides the accelerations of both, 2 w x u and those of the axes at the distance of
// b.
double StepMotion::acceleration_seen_from(const PlacedSolid& a, const PlacedSolid& b, double length) const {
  const double still = relative_acceleration(a, b, length);
  const Turning p = turning(a, length), q = turning(b, length);
  if (p.speed == 0 && p.rate == 0) return still;
  const double far = (b.middle - a.origin).norm() + speed_apart(a, b) * length + 2 * q.arm;
  const double u = speed_apart(a, b) + q.speed * q.arm + p.speed * far;
  return still + 2 * p.speed * u + (p.rate + p.speed * p.speed) * far;
}

}  // namespace plumb
