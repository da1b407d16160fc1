#include "plumb/time_stepping/stepped_contacts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/system/projection.h"

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
      scene_(model, system, Scene::Pairs::grouped),
      search_(scene_),
      mobility_(system.bodies.size()),
      centres_(scene_.groups().size()),
      reaches_(scene_.groups().size()),
      move_(system.nv),
      forces_(3 * system.contacts.size()) {
  for (std::size_t g = 0; g < reaches_.size(); ++g)
    for (int solid : scene_.groups()[g].solids) reaches_[g].push_back(scene_.solids()[solid].reach);
}

void SteppedContacts::note() {
  search_.place(dynamics_.placement());
  search_.note_sides(0, facing_);
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
  search_.place(at);
  std::int64_t key = 0;
  const auto take = [&] {
    for (const ContactPlace& place : places_) add(key, place, h, closing);
    places_.clear();
    ++key;
  };
  for (std::size_t i = 0; i < scene_.pairs().size(); ++i) {
    const int pair = static_cast<int>(i);
    if (search_.ball_separation(pair) < margin && search_.gap(pair, facing_) < margin)
      search_.find(pair, facing_, margin, places_);
    take();
  }
  // Limits of joints are few, and angles have no margin in metres.
  for (std::size_t i = scene_.pairs().size(); static_cast<int>(i) < search_.candidates(); ++i) {
    search_.find(static_cast<int>(i), facing_, margin, places_);
    take();
  }
  for (std::size_t g = 0; g < scene_.groups().size(); ++g) {
    const SolidGroup& group = scene_.groups()[g];
    centres_[g].resize(3 * group.solids.size());
    for (std::size_t i = 0; i < group.solids.size(); ++i)
      kernel::copy(&centres_[g][3 * i], search_.middle(group.solids[i]).data());
    for (const auto& [i, j] : broad_phase_.find(centres_[g], reaches_[g], margin)) {
      // Group and two members.
      key = (static_cast<std::int64_t>(g + 1) << 56) | (static_cast<std::int64_t>(i) << 28) | j;
      if (!scene_.may_meet(group.solids[j], group.solids[i])) continue;
      search_.find_between(group.contact, group.solids[j], group.solids[i], margin, places_);
      take();
    }
  }
  carry_over();
}

double SteppedContacts::radius_of_gyration(const End& end) const {
  const SystemBody& b = system_.bodies[end.body];
  return std::sqrt(b.moments.minCoeff() / b.mass);
}

void SteppedContacts::add(std::int64_t key, const ContactPlace& place, double h, double closing) {
  const Touch t = touch_now(scene_, dynamics_.placement(), place);
  const Contact& law = scene_.laws()[place.contact];
  const End &from = scene_.from(place), &to = scene_.to(place);
  Active a{};
  a.key = key;
  a.parts[0] = place.touching.from;
  a.parts[1] = place.touching.to;
  a.contact = place.contact;
  a.from = from.body;
  a.to = to.body;
  a.members[0] = scene_.from_member(place);
  a.members[1] = scene_.to_member(place);
  a.is_exchanged = scene_.is_exchanged(place);
  a.gap = t.gap;
  a.friction = law.friction;
  a.turns = t.turns;
  const Complement across = complete_frame(vec(t.normal));
  const Vec3 axes[3] = {vec(t.normal), across.first, across.second};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) a.axes[3 * i + k] = axes[i][k];
  kernel::copy(a.arm_to, t.arm_to);
  kernel::copy(a.arm_from, t.arm_from);
  // A contact that closes within the step rebounds from the velocity before it, at once; what a step of gravity adds to
  // a resting contact is no impact. Without restitution it may close, but not further than it is open.
  const double before = kernel::dot(t.normal, t.velocity),
               slow = 2 * h * model_.gravity.norm() / (a.turns ? radius_of_gyration(to) : 1);
  const bool strikes = before < -slow && t.gap + closing * before < 0;
  a.approach = strikes ? before : 0;
  a.bound = strikes && law.restitution > 0 ? -law.restitution * before : -std::max(t.gap, 0.0) / closing;
  for (int i = 0; i < 3; ++i) a.stiffness[i] = 1 / give(mobility_, a, i);
  active_.push_back(a);
}

// Both lists are sorted by key; few have the same.
void SteppedContacts::carry_over() {
  auto block = before_.begin();
  for (Active& a : active_) {
    while (block != before_.end() && block->key < a.key) ++block;
    for (auto old = block; old != before_.end() && old->key == a.key; ++old) {
      if (old->parts[0] != a.parts[0] || old->parts[1] != a.parts[1]) continue;
      double impulse[3] = {0, 0, 0};
      for (int i = 1; i < 3; ++i) kernel::add_scaled(impulse, old->p[i], old->axes + 3 * i);
      a.p[0] = old->p[0];
      for (int i = 1; i < 3; ++i) a.p[i] = kernel::dot(impulse, a.axes + 3 * i);
      break;
    }
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

double SteppedContacts::least_gap(int contact) const {
  double least = std::numeric_limits<double>::infinity();
  for (const Active& c : active_)
    if (c.contact == contact) least = std::min(least, c.gap);
  return least;
}

bool SteppedContacts::any_strike() const {
  return std::ranges::any_of(active_, [](const Active& c) { return c.approach < 0 && c.p[0] > 0; });
}

void SteppedContacts::finish(double t, double h, const std::vector<double>& before, const std::vector<double>& after,
                             double energy_before, double energy_after) {
  std::ranges::fill(forces_, 0.0);
  impacts_.clear();
  for (const Active& c : active_) {
    for (int i = 0; i < 3; ++i)
      kernel::add_scaled(forces_.data() + 3 * c.contact, (c.is_exchanged ? -1 : 1) * c.p[i] / h, c.axes + 3 * i);
    if (!(c.approach < 0 && c.p[0] > 0)) continue;
    Impact e;
    e.contact = c.contact;
    e.from = c.members[0];
    e.to = c.members[1];
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
    if (c.is_exchanged) e.exchange();
    impacts_.push_back(e);
  }
}

}  // namespace plumb
