#include "plumb/integrator/moreau.h"

#include <algorithm>
#include <cmath>

namespace plumb {

Moreau::Moreau(Formulation& formulation, const Model& model)
    : formulation_(formulation),
      model_(model),
      system_(formulation.dynamics().system()),
      candidates_(model, system_, Candidates::Pairs::grouped),
      projection_(formulation.dynamics()),
      y0_(system_.size()),
      y1_(system_.size()),
      middle_(system_.size()),
      rate_(system_.size()),
      move_(system_.nv),
      world_(6 * system_.bodies.size()),
      rows_(system_.rows),
      mobility_(system_.bodies.size()),
      centres_(candidates_.groups().size()),
      radii_(candidates_.groups().size()) {
  for (std::size_t g = 0; g < radii_.size(); ++g)
    for (const Candidates::Member& m : candidates_.groups()[g].members)
      radii_[g].push_back(candidates_.solids()[m.solid].reach);
}

void Moreau::begin(double t, const double* y) {
  t_ = t;
  std::copy_n(y, system_.size(), y0_.begin());
  Dynamics& d = formulation_.dynamics();
  d.place(t, y0_.data());
  candidates_.note_sides(d.placement());
}

ProjectionReport Moreau::attempt(double h) {
  h_ = h;
  Dynamics& d = formulation_.dynamics();
  const int nq = system_.nq, nv = system_.nv;
  middle_ = y0_;
  for (int i = 0; i < nv; ++i) move_[i] = h / 2 * y0_[nq + i];
  displace(system_, move_.data(), middle_.data());
  formulation_.derivative(t_ + h / 2, middle_.data(), rate_.data());
  // Once more with the velocities of the middle, for forces that depend on them.
  for (int i = 0; i < nv; ++i) middle_[nq + i] = y0_[nq + i] + h / 2 * rate_[nq + i];
  formulation_.derivative(t_ + h / 2, middle_.data(), rate_.data());
  for (int i = 0; i < nv; ++i) middle_[nq + i] = y0_[nq + i];
  y1_ = middle_;
  for (int i = nq; i < system_.size(); ++i) y1_[i] = y0_[i] + h * rate_[i];

  d.place(t_ + h / 2, middle_.data());
  if (system_.rows > 0) {
    d.linearise();
    d.factor();
  }
  detect(h);
  solve_velocities();
  for (int i = 0; i < nv; ++i) move_[i] = h / 2 * y1_[nq + i];
  displace(system_, move_.data(), y1_.data());
  if (!active_.empty()) take_out_penetration(h);
  normalise_quaternions(system_, y1_.data());
  return system_.rows > 0 ? projection_.apply(t_ + h, y1_.data()) : ProjectionReport{};
}

// Contacts that touch, or may before the step is over.
void Moreau::detect(double h) {
  const Placement& at = formulation_.dynamics().placement();
  before_.swap(active_);
  active_.clear();
  double fastest = 0;
  for (std::size_t i = 0; i < system_.bodies.size(); ++i) {
    const SystemBody& b = system_.bodies[i];
    Mobility& m = mobility_[i];
    const double* v = y1_.data() + system_.nq + b.v;
    fastest = std::max(fastest, kernel::dot(v, v));
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
  for (std::size_t i = 0; i < candidates_.list().size(); ++i) {
    const Candidate& c = candidates_.list()[i];
    if (candidates_.gap(at, c) < margin && candidates_.applies(at, c)) add(static_cast<std::int64_t>(i), c, h);
  }
  for (std::size_t g = 0; g < candidates_.groups().size(); ++g) {
    const Candidates::Group& group = candidates_.groups()[g];
    centres_[g].resize(3 * group.members.size());
    for (std::size_t i = 0; i < group.members.size(); ++i) {
      const Solid& solid = candidates_.solids()[group.members[i].solid];
      kernel::copy(&centres_[g][3 * i], solid.to_world(at, solid.middle).data());
    }
    for (const auto& [i, j] : broad_phase_.find(centres_[g], radii_[g], margin)) {
      const Candidates::Member &from = group.members[j], &to = group.members[i];
      // Group, two members, feature.
      std::int64_t key = (static_cast<std::int64_t>(g + 1) << 56) | (static_cast<std::int64_t>(i) << 36) |
                         (static_cast<std::int64_t>(j) << 16);
      if (from.is_ball && to.is_ball) {
        add(key, Candidates::pair(group.contact, from.ball, to.ball), h);
        continue;
      }
      features_.clear();
      candidates_.forget_pairs();
      candidates_.add_features(group.contact, from.solid, to.solid, features_);
      for (const Candidate& c : features_) {
        if (candidates_.gap(at, c) < margin && candidates_.applies(at, c)) add(key, c, h);
        ++key;
      }
    }
  }
  carry_over();
}

void Moreau::add(std::int64_t key, const Candidate& c, double h) {
  const Touch t = candidates_.look(formulation_.dynamics().placement(), c);
  const Contact& law = model_.contacts[c.contact];
  Active a{};
  a.key = key;
  a.from = c.from.body;
  a.to = c.to.body;
  a.gap = t.gap;
  a.friction = law.friction;
  const Vec3 n(t.normal[0], t.normal[1], t.normal[2]);
  const Complement across = complete_frame(n);
  const Vec3 axes[3] = {n, across.first, across.second};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) a.axes[3 * i + k] = axes[i][k];
  kernel::copy(a.arm_to, t.arm_to);
  kernel::copy(a.arm_from, t.arm_from);
  // A contact that closes within the step rebounds from the velocity before it, at once; what a step of gravity adds to
  // a resting contact is no impact. Without restitution it may close, but not further than it is open.
  const double before = kernel::dot(t.normal, t.velocity), slow = 2 * h * model_.gravity.norm();
  const bool strikes = before < -slow && t.gap + h / 2 * before < 0;
  a.bound = strikes && law.restitution > 0 ? -law.restitution * before : -std::max(t.gap, 0.0) / (h / 2);
  for (int i = 0; i < 3; ++i) {
    double give = 0;
    for (const auto& [body, arm] : {std::pair(a.from, a.arm_from), std::pair(a.to, a.arm_to)}) {
      if (body < 0) continue;
      double turn[3], w[3];
      kernel::cross(arm, a.axes + 3 * i, turn);
      kernel::rotate(mobility_[body].inertia, turn, w);
      give += mobility_[body].mass + kernel::dot(turn, w);
    }
    a.stiffness[i] = 1 / give;
  }
  active_.push_back(a);
}

// Both lists are sorted by key.
void Moreau::carry_over() {
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

void Moreau::to_world() {
  for (std::size_t i = 0; i < system_.bodies.size(); ++i) {
    const SystemBody& b = system_.bodies[i];
    const double* v = y1_.data() + system_.nq + b.v;
    kernel::copy(world_.data() + 6 * i, v);
    if (b.kind == BodyKind::rigid)
      kernel::rotate(formulation_.dynamics().placement().frames + 9 * b.frame, v + 3, world_.data() + 6 * i + 3);
  }
}

void Moreau::from_world() {
  for (std::size_t i = 0; i < system_.bodies.size(); ++i) {
    const SystemBody& b = system_.bodies[i];
    double* v = y1_.data() + system_.nq + b.v;
    kernel::copy(v, world_.data() + 6 * i);
    if (b.kind == BodyKind::rigid)
      kernel::rotate_back(formulation_.dynamics().placement().frames + 9 * b.frame, world_.data() + 6 * i + 3, v + 3);
  }
}

// Of `to` relative to `from` at the contact.
void Moreau::relative(const Active& c, const std::vector<double>& v, double* u) const {
  const double* to = v.data() + 6 * c.to;
  kernel::cross(to + 3, c.arm_to, u);
  kernel::add(u, to);
  if (c.from < 0) return;
  double turn[3];
  const double* from = v.data() + 6 * c.from;
  kernel::cross(from + 3, c.arm_from, turn);
  kernel::subtract(u, turn);
  kernel::subtract(u, from);
}

double Moreau::along(const Active& c, int axis, const std::vector<double>& v) const {
  double u[3];
  relative(c, v, u);
  return kernel::dot(c.axes + 3 * axis, u);
}

void Moreau::push(const Active& c, const double* impulse, std::vector<double>& v) const {
  double turn[3], w[3];
  double* to = v.data() + 6 * c.to;
  kernel::add_scaled(to, mobility_[c.to].mass, impulse);
  kernel::cross(c.arm_to, impulse, turn);
  kernel::rotate(mobility_[c.to].inertia, turn, w);
  kernel::add(to + 3, w);
  if (c.from < 0) return;
  double* from = v.data() + 6 * c.from;
  kernel::add_scaled(from, -mobility_[c.from].mass, impulse);
  kernel::cross(c.arm_from, impulse, turn);
  kernel::rotate(mobility_[c.from].inertia, turn, w);
  kernel::subtract(from + 3, w);
}

// One round over all contacts; the largest change of an impulse, as a velocity.
double Moreau::sweep() {
  double most = 0;
  for (Active& c : active_) {
    double u[3], change[3] = {0, 0, 0};
    relative(c, world_, u);
    const double normal = std::max(0.0, c.p[0] - (kernel::dot(c.axes, u) - c.bound) * c.stiffness[0]);
    kernel::add_scaled(change, normal - c.p[0], c.axes);
    most = std::max(most, std::abs(normal - c.p[0]) / c.stiffness[0]);
    c.p[0] = normal;
    if (c.friction > 0) {
      double t[2];
      for (int i = 0; i < 2; ++i) t[i] = c.p[1 + i] - kernel::dot(c.axes + 3 * (1 + i), u) * c.stiffness[1 + i];
      const double square = t[0] * t[0] + t[1] * t[1], cone = c.friction * normal;
      const double scale = square > cone * cone ? cone / std::sqrt(square) : 1;
      for (int i = 0; i < 2; ++i) {
        kernel::add_scaled(change, t[i] * scale - c.p[1 + i], c.axes + 3 * (1 + i));
        most = std::max(most, std::abs(t[i] * scale - c.p[1 + i]) / c.stiffness[1 + i]);
        c.p[1 + i] = t[i] * scale;
      }
    }
    if (change[0] == 0 && change[1] == 0 && change[2] == 0) continue;
    push(c, change, world_);
  }
  return most;
}

void Moreau::solve_velocities() {
  Dynamics& d = formulation_.dynamics();
  double* const v = y1_.data() + system_.nq;
  const auto hold_joints = [&] {
    // At the middle of the step, with the velocities of its end.
    d.constraints().multiply(v, rows_.data());
    for (double& r : rows_) r = -r;
    d.solve(rows_.data());
    d.push(rows_.data(), v);
  };
  if (active_.empty()) return;
  to_world();
  for (const Active& c : active_) {
    double impulse[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i) kernel::add_scaled(impulse, c.p[i], c.axes + 3 * i);
    push(c, impulse, world_);
  }
  double fastest = 0;
  for (double x : world_) fastest = std::max(fastest, std::abs(x));
  const double target = 1e-9 * fastest + 1e-12;
  // Many contacts get fewer sweeps a step; what they leave is taken up by the next step, which starts from it.
  const int rounds = std::clamp(20000 / static_cast<int>(active_.size()), 40, max_sweeps);
  for (int round = 0; round < rounds; ++round) {
    const double change = sweep();
    if (system_.rows > 0) {
      from_world();
      hold_joints();
      to_world();
    }
    if (change <= target) break;
  }
  from_world();
  y1_[system_.nq + system_.nv + 1] += energy_taken();
}

// -½ p.(u- + u+) of all contacts, with the velocities at the ends of the step.
double Moreau::energy_taken() {
  const std::vector<double>& after = world_;
  shift_.resize(world_.size());
  for (std::size_t i = 0; i < system_.bodies.size(); ++i) {
    const SystemBody& b = system_.bodies[i];
    const double* v = y0_.data() + system_.nq + b.v;
    kernel::copy(shift_.data() + 6 * i, v);
    if (b.kind == BodyKind::rigid)
      kernel::rotate(formulation_.dynamics().placement().frames + 9 * b.frame, v + 3, shift_.data() + 6 * i + 3);
  }
  double taken = 0;
  for (const Active& c : active_)
    for (int i = 0; i < 3; ++i)
      if (c.p[i] != 0) taken -= 0.5 * c.p[i] * (along(c, i, shift_) + along(c, i, after));
  return taken;
}

// Displacements along the normals only, in the same way as velocities.
void Moreau::take_out_penetration(double h) {
  std::vector<double>& shift = shift_;
  shift.assign(world_.size(), 0.0);
  deepest_ = 0;
  bool any = false;
  for (Active& c : active_) {
    c.gap += h / 2 * along(c, 0, world_);
    any = any || c.gap < 0;
  }
  if (any) {
    pseudo_.assign(active_.size(), 0.0);
    for (int round = 0; round < 10; ++round) {
      double most = 0;
      for (std::size_t k = 0; k < active_.size(); ++k) {
        const Active& c = active_[k];
        const double next = std::max(0.0, pseudo_[k] - (along(c, 0, shift) + c.gap) * c.stiffness[0]);
        double impulse[3] = {0, 0, 0};
        kernel::add_scaled(impulse, next - pseudo_[k], c.axes);
        most = std::max(most, std::abs(next - pseudo_[k]) / c.stiffness[0]);
        pseudo_[k] = next;
        push(c, impulse, shift);
      }
      if (most < 1e-9) break;
    }
    for (std::size_t i = 0; i < system_.bodies.size(); ++i) {
      const SystemBody& b = system_.bodies[i];
      kernel::copy(move_.data() + b.v, shift.data() + 6 * i);
      if (b.kind == BodyKind::rigid)
        kernel::rotate_back(formulation_.dynamics().placement().frames + 9 * b.frame, shift.data() + 6 * i + 3,
                            move_.data() + b.v + 3);
    }
    displace(system_, move_.data(), y1_.data());
  }
  for (const Active& c : active_) deepest_ = std::max(deepest_, -(c.gap + (any ? along(c, 0, shift) : 0)));
}

void Moreau::interpolate(double theta, double* y) {
  for (int i = 0; i < system_.size(); ++i) y[i] = y0_[i] + theta * (y1_[i] - y0_[i]);
  normalise_quaternions(system_, y);
}

void Moreau::advance(double t) {
  t_ = t;
  y0_.swap(y1_);
  Dynamics& d = formulation_.dynamics();
  d.place(t, y0_.data());
  candidates_.note_sides(d.placement());
}

}  // namespace plumb
