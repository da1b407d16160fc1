#include "plumb/contact/touch.h"

namespace plumb {
namespace {

Vec3 vec(const double* x) { return {x[0], x[1], x[2]}; }
Vec3 value(const Triple<Jet>& t) { return {t.x.value, t.y.value, t.z.value}; }
Vec3 rate(const Triple<Jet>& t) { return {t.x.rate, t.y.rate, t.z.rate}; }

void store(double* out, const Vec3& v) {
  for (int i = 0; i < 3; ++i) out[i] = v[i];
}

// The motion of a body as seen from a contact.
struct Carrier {
  Vec3 centre = Vec3::Zero(), v = Vec3::Zero(), w = Vec3::Zero();

  Carrier(const Placement& at, const End& e) {
    if (e.kind == BodyKind::ground) return;
    centre = vec(at.q + e.q);
    v = vec(at.v + e.v);
    angular_velocity(at, e, w.data());
  }
  Vec3 velocity(const Vec3& p) const { return v + w.cross(p - centre); }
  Vec3 wandering(const Vec3& p_rate) const { return w.cross(p_rate - v); }
};

Vec3 value(const Triple<double>& t) { return {t.x, t.y, t.z}; }
double value(double x) { return x; }
double value(const Jet& x) { return x.value; }

template <class T>
Touch places(const Nearness<T>& near, const Carrier& from, const Carrier& to) {
  Touch t;
  t.gap = value(near.gap);
  store(t.normal, value(near.normal));
  store(t.point, value(near.on_to));
  store(t.arm_from, value(near.on_from) - from.centre);
  store(t.arm_to, value(near.on_to) - to.centre);
  store(t.velocity, to.velocity(value(near.on_to)) - from.velocity(value(near.on_from)));
  return t;
}

}  // namespace

double gap(const Scene& scene, const Placement& at, const ContactPlace& p) {
  if (p.is_rubbing_joint()) return 0;
  if (p.limit >= 0) return limit_gap(scene.system(), at, p.limit);
  return nearness(p.touching.meeting, Frame<double>(at, scene.from(p)), Frame<double>(at, scene.to(p))).gap;
}

Touch touch(const Scene& scene, const Placement& at, const ContactPlace& p) {
  if (p.is_rubbing_joint()) return friction_touch(scene.system(), at, p.friction);
  if (p.limit >= 0) return limit_touch(scene.system(), at, p.limit);
  const End &on_from = scene.from(p), &on_to = scene.to(p);
  const Nearness<Jet> near = nearness(p.touching.meeting, Frame<Jet>(at, on_from), Frame<Jet>(at, on_to));
  const Carrier from(at, on_from), to(at, on_to);
  Touch t = places(near, from, to);
  t.normal_bias = near.gap.acceleration;
  store(t.bias, to.wandering(rate(near.on_to)) - from.wandering(rate(near.on_from)));
  return t;
}

Touch touch_now(const Scene& scene, const Placement& at, const ContactPlace& p) {
  if (p.is_rubbing_joint()) return friction_touch(scene.system(), at, p.friction);
  if (p.limit >= 0) return limit_touch(scene.system(), at, p.limit);
  const End &on_from = scene.from(p), &on_to = scene.to(p);
  const Nearness<double> near = nearness(p.touching.meeting, Frame<double>(at, on_from), Frame<double>(at, on_to));
  return places(near, Carrier(at, on_from), Carrier(at, on_to));
}

}  // namespace plumb
