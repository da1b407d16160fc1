#include "plumb/contact/stepped_contacts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/formulation/projection.h"

namespace plumb {
namespace {

Vec3 vec(const double* x) { return Vec3(x[0], x[1], x[2]); }

// How far a contact gives way along one of its axes to a unit push on its bodies, as if no joint held them.
template <class Mobility>
double give(const std::vector<Mobility>& mobility, const SteppedContacts::Active& a, int axis) {
  double sum = 0;
  for (const auto& [body, arm] : {std::pair(a.from, a.arm_from), std::pair(a.to, a.arm_to)}) {
    if (body < 0) continue;
    double turn[3], w[3];
    if (a.turns)
      kernel::copy(turn, a.axes + 3 * axis);
    else
      kernel::cross(arm, a.axes + 3 * axis, turn);
    kernel::rotate(mobility[body].inertia, turn, w);
    sum += (a.turns ? 0 : mobility[body].mass) + kernel::dot(turn, w);
  }
  return sum;
}

}  // namespace

SteppedContacts::SteppedContacts(const Model& model, const System& system, Dynamics& dynamics)
    : model_(model),
      system_(system),
      dynamics_(dynamics),
      candidates_(model, system, Candidates::Pairs::grouped),
      mobility_(system.bodies.size()),
      centres_(candidates_.groups().size()),
      reaches_(candidates_.groups().size()),
      move_(system.nv),
      forces_(3 * system.contacts.size()) {
  for (std::size_t g = 0; g < reaches_.size(); ++g)
    for (const Candidates::Member& m : candidates_.groups()[g].members)
      reaches_[g].push_back(candidates_.solids()[m.solid].reach);
}

void SteppedContacts::detect(double h, double closing, const double* end) {
  const Placement& at = dynamics_.placement();
  before_.swap(active_);
  active_.clear();
  if (system_.contacts.empty()) return;
  double fastest = 0;
  for (std::size_t i = 0; i < system_.bodies.size(); ++i) {
    const SystemBody& b = system_.bodies[i];
    Mobility& m = mobility_[i];
    fastest = std::max(fastest, kernel::dot(end + b.v, end + b.v));
    m.mass = 1 / b.mass;
    if (b.kind != BodyKind::rigid) continue;
    const double* R = at.frames + 9 * b.frame;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        m.inertia[3 * r + c] = 0;
        for (int k = 0; k < 3; ++k) m.inertia[3 * r + c] += R[3 * r + k] * R[3 * c + k] / b.moments[k];
      }
  }
  const double margin = 2 * std::sqrt(fastest) * h;
  const auto look_at = [&](std::int64_t key, const Candidate& c) {
    // Limits of joints are few, and angles have no margin in metres.
    if (c.limit >= 0 || (candidates_.gap(at, c) < margin && candidates_.applies(at, c))) add(key, c, h, closing);
  };
  for (std::size_t i = 0; i < candidates_.list().size(); ++i)
    look_at(static_cast<std::int64_t>(i), candidates_.list()[i]);
  for (std::size_t g = 0; g < candidates_.groups().size(); ++g) {
    const Candidates::Group& group = candidates_.groups()[g];
    centres_[g].resize(3 * group.members.size());
    for (std::size_t i = 0; i < group.members.size(); ++i) {
      const Solid& solid = candidates_.solids()[group.members[i].solid];
      kernel::copy(&centres_[g][3 * i], solid.to_world(at, solid.middle).data());
    }
    for (const auto& [i, j] : broad_phase_.find(centres_[g], reaches_[g], margin)) {
      const Candidates::Member &from = group.members[j], &to = group.members[i];
      // Group, two members, feature.
      std::int64_t key = (static_cast<std::int64_t>(g + 1) << 56) | (static_cast<std::int64_t>(i) << 36) |
                         (static_cast<std::int64_t>(j) << 16);
      if (from.is_ball && to.is_ball) {
        add(key, Candidates::pair(group.contact, from.ball, to.ball), h, closing);
        continue;
      }
      features_.clear();
      candidates_.forget_pairs();
      candidates_.add_features(group.contact, from.solid, to.solid, features_);
      for (const Candidate& c : features_) look_at(key++, c);
    }
  }
  carry_over();
}

double SteppedContacts::radius_of_gyration(const End& end) const {
  const SystemBody& b = system_.bodies[end.body];
  return std::sqrt(b.moments.minCoeff() / b.mass);
}

void SteppedContacts::add(std::int64_t key, const Candidate& c, double h, double closing) {
  const Touch t = candidates_.look(dynamics_.placement(), c);
  const Contact& law = candidates_.law(c);
  Active a{};
  a.key = key;
  a.contact = c.contact;
  a.from = c.from.body;
  a.to = c.to.body;
  a.gap = t.gap;
  a.friction = law.friction;
  a.turns = c.kind == Candidate::Kind::angle;
  const Complement across = complete_frame(vec(t.normal));
  const Vec3 axes[3] = {vec(t.normal), across.first, across.second};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) a.axes[3 * i + k] = axes[i][k];
  kernel::copy(a.arm_to, t.arm_to);
  kernel::copy(a.arm_from, t.arm_from);
  // A contact that closes within the step rebounds from the velocity before it, at once; what a step of gravity adds to
  // a resting contact is no impact. Without restitution it may close, but not further than it is open.
  const double before = kernel::dot(t.normal, t.velocity),
               slow = 2 * h * model_.gravity.norm() / (a.turns ? radius_of_gyration(c.to) : 1);
  const bool strikes = before < -slow && t.gap + closing * before < 0;
  a.approach = strikes ? before : 0;
  a.bound = strikes && law.restitution > 0 ? -law.restitution * before : -std::max(t.gap, 0.0) / closing;
  for (int i = 0; i < 3; ++i) a.stiffness[i] = 1 / give(mobility_, a, i);
  active_.push_back(a);
}

// Both lists are sorted by key.
void SteppedContacts::carry_over() {
  auto old = before_.begin();
  for (Active& a : active_) {
    while (old != before_.end() && old->key < a.key) ++old;
    if (old == before_.end() || old->key != a.key) continue;
    double impulse[3] = {0, 0, 0};
    for (int i = 1; i < 3; ++i) kernel::add_scaled(impulse, old->p[i], old->axes + 3 * i);
    a.p[0] = old->p[0];
    for (int i = 1; i < 3; ++i) a.p[i] = kernel::dot(impulse, a.axes + 3 * i);
  }
}

void SteppedContacts::to_world(const double* v, std::vector<double>& world) const {
  world.resize(6 * system_.bodies.size());
  for (std::size_t i = 0; i < system_.bodies.size(); ++i) {
    const SystemBody& b = system_.bodies[i];
    kernel::copy(world.data() + 6 * i, v + b.v);
    if (b.kind == BodyKind::rigid)
      kernel::rotate(dynamics_.placement().frames + 9 * b.frame, v + b.v + 3, world.data() + 6 * i + 3);
  }
}

void SteppedContacts::from_world(const std::vector<double>& world, double* v) const {
  for (std::size_t i = 0; i < system_.bodies.size(); ++i) {
    const SystemBody& b = system_.bodies[i];
    kernel::copy(v + b.v, world.data() + 6 * i);
    if (b.kind == BodyKind::rigid)
      kernel::rotate_back(dynamics_.placement().frames + 9 * b.frame, world.data() + 6 * i + 3, v + b.v + 3);
  }
}

double SteppedContacts::along(const Active& c, int axis, const std::vector<double>& world) const {
  double u[3];
  relative(c, world, u);
  return kernel::dot(c.axes + 3 * axis, u);
}

double SteppedContacts::energy_taken(const std::vector<double>& before, const std::vector<double>& after) const {
  double taken = 0;
  for (const Active& c : active_)
    for (int i = 0; i < 3; ++i)
      if (c.p[i] != 0) taken -= 0.5 * c.p[i] * (along(c, i, before) + along(c, i, after));
  return taken;
}

// Displacements along the normals only, in the same way as velocities, of bodies that no joint holds: what the joints
// then take back is left for the next step.
void SteppedContacts::take_out_penetration(double closing, const std::vector<double>& after, double* y) {
  shift_.assign(after.size(), 0.0);
  deepest_ = 0;
  bool any = false;
  for (Active& c : active_) {
    c.gap += closing * along(c, 0, after);
    any = any || c.gap < 0;
  }
  if (any) {
    pseudo_.assign(active_.size(), 0.0);
    for (int round = 0; round < 10; ++round) {
      double most = 0;
      for (std::size_t k = 0; k < active_.size(); ++k) {
        const Active& c = active_[k];
        const double yields = give(mobility_, c, 0);
        const double next = std::max(0.0, pseudo_[k] - (along(c, 0, shift_) + c.gap) / yields);
        if (next == pseudo_[k]) continue;
        double impulse[3] = {0, 0, 0};
        kernel::add_scaled(impulse, next - pseudo_[k], c.axes);
        most = std::max(most, std::abs(next - pseudo_[k]) * yields);
        pseudo_[k] = next;
        push(c, impulse, shift_);
      }
      if (most < 1e-9) break;
    }
    from_world(shift_, move_.data());
    displace(system_, move_.data(), y);
  }
  for (const Active& c : active_) deepest_ = std::max(deepest_, -(c.gap + (any ? along(c, 0, shift_) : 0)));
}

bool SteppedContacts::any_strike() const {
  return std::ranges::any_of(active_, [](const Active& c) { return c.approach < 0 && c.p[0] > 0; });
}

void SteppedContacts::finish(double t, double h, const std::vector<double>& before, const std::vector<double>& after,
                             double energy_before, double energy_after) {
  std::ranges::fill(forces_, 0.0);
  impacts_.clear();
  for (const Active& c : active_) {
    for (int i = 0; i < 3; ++i) kernel::add_scaled(forces_.data() + 3 * c.contact, c.p[i] / h, c.axes + 3 * i);
    if (!(c.approach < 0 && c.p[0] > 0)) continue;
    Impact e;
    e.contact = c.contact;
    e.from = c.from, e.to = c.to;
    e.is_angular = c.turns;
    // Not located, only estimated: the gap of the end of the step, taken back at the speed before it.
    const double normal_after = along(c, 0, after);
    e.time = std::clamp(t + h / 2 - (c.gap - h / 2 * normal_after) / c.approach, t, t + h);
    e.normal = vec(c.axes);
    const SystemBody& b = system_.bodies[c.to];
    e.point = vec(dynamics_.placement().q + b.q) + vec(c.arm_to);
    e.normal_before = along(c, 0, before);
    e.normal_after = normal_after;
    e.normal_impulse = c.p[0];
    for (Vec3* v : {&e.tangential_before, &e.tangential_after, &e.tangential_impulse}) v->setZero();
    for (int i = 1; i < 3; ++i) {
      e.tangential_before += along(c, i, before) * vec(c.axes + 3 * i);
      e.tangential_after += along(c, i, after) * vec(c.axes + 3 * i);
      e.tangential_impulse += c.p[i] * vec(c.axes + 3 * i);
    }
    for (int i = 0; i < 3; ++i) e.energy_lost -= 0.5 * c.p[i] * (along(c, i, before) + along(c, i, after));
    e.energy_before = energy_before, e.energy_after = energy_after;
    impacts_.push_back(e);
  }
}

double SteppedContacts::gap(int contact) const {
  double least = std::numeric_limits<double>::infinity();
  for (const Candidate& c : candidates_.list())
    if (c.contact == contact) least = std::min(least, candidates_.gap(dynamics_.placement(), c));
  for (const Active& c : active_)
    if (c.contact == contact) least = std::min(least, c.gap);
  return least;
}

}  // namespace plumb
