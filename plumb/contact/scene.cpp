#include "plumb/contact/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plumb/contact/tolerances.h"
#include "plumb/model/check.h"

namespace plumb {
namespace {

bool is_bare_point(const Solid& s) { return s.kind == Solid::Kind::point && s.radius == 0; }

}  // namespace

bool ContactPlace::is_same(const ContactPlace& o) const {
  if (pair != o.pair || from != o.from || to != o.to || limit != o.limit || friction != o.friction) return false;
  // Spots and what has a normal given have no number of their own; of a rim the other side is another place.
  const auto same = [](const Part& p, const Part& q, const Feature& f, const Feature& g, double turned) {
    if (p != q) return false;
    if (p.kind == Part::Kind::rim) return std::cos(turned) > 0;
    const bool is_numbered = p.kind != Part::Kind::spot && p.kind != Part::Kind::free;
    return is_numbered || (f.place - g.place).norm() <= 1e-6 * (1 + f.place.norm());
  };
  const Meeting &m = touching.meeting, &n = o.touching.meeting;
  return same(touching.from, o.touching.from, m.from, n.from, m.angle_from - n.angle_from) &&
         same(touching.to, o.touching.to, m.to, n.to, m.angle_to - n.angle_to);
}

Scene::Scene(const Model& model, const System& system, Pairs pairs)
    : system_(&system), of_body_(model.bodies.size(), -1), own_contacts_(static_cast<int>(model.contacts.size())) {
  const BodyLookup lookup(model);
  laws_ = model.contacts;
  ranks_.resize(model.contacts.size());
  for (int k = 0; k < own_contacts_; ++k) {
    const Contact& contact = model.contacts[k];
    std::vector<int> bodies;
    if (const auto& named = contact.between ? contact.between : contact.bodies)
      for (const std::string& name : *named)
        bodies.push_back(lookup.index(name, contact.source, contact.name, "bodies"));
    else
      for (std::size_t i = 0; i < model.bodies.size(); ++i) bodies.push_back(static_cast<int>(i));
    if (contact.between) {
      add_group(model, k, bodies, pairs);
      continue;
    }
    solids_.push_back(contact.wall ? wall_solid(*contact.wall) : plane_solid(*contact.plane));
    const int surface = static_cast<int>(solids_.size()) - 1;
    for (int body : bodies) pairs_.push_back({k, surface, solid_of(model, body)});
  }
  for (std::size_t i = 0; i < system.limits.size(); ++i) {
    Contact law;
    law.name = system.contacts[own_contacts_ + i];
    law.restitution = system.limits[i].restitution;
    law.source = system.joints[system.limits[i].joint].source;
    laws_.push_back(law);
  }
  for (std::size_t i = 0; i < system.frictions.size(); ++i) {
    Contact law;
    law.name = system.frictions[i].name;
    law.source = system.frictions[i].source;
    ContactPlace place;
    place.contact = static_cast<int>(laws_.size());
    place.friction = static_cast<int>(i);
    rubbing_.push_back(place);
    laws_.push_back(law);
  }
  for (int i = 0; i < system.nq; ++i) size_ = std::max(size_, std::abs(system.start[i]));
  for (const Solid& s : solids_)
    if (std::isfinite(s.reach)) size_ = std::max(size_, s.reach);
}

int Scene::solid_of(const Model& model, int body) {
  if (of_body_[body] < 0) {
    of_body_[body] = static_cast<int>(solids_.size());
    solids_.push_back(body_solid(model.bodies[body], *system_, body));
  }
  return of_body_[body];
}

void Scene::add_group(const Model& model, int contact, const std::vector<int>& bodies, Pairs pairs) {
  SolidGroup group{contact, {}};
  int points = 0;
  for (int body : bodies) {
    group.solids.push_back(solid_of(model, body));
    if (is_bare_point(solids_[group.solids.back()]) && ++points > 1)
      throw InputError(
          laws_[contact].source, fmt::format("contact '{}'", laws_[contact].name),
          fmt::format("'{}' and another body are both points and can never touch; give one of them a sphere",
                      model.bodies[body].name));
  }
  std::vector<int>& ranks = ranks_[contact];
  ranks.resize(solids_.size());
  for (std::size_t i = 0; i < group.solids.size(); ++i) ranks[group.solids[i]] = static_cast<int>(i);
  // What the ground carries comes first, so that it is never `to`.
  std::ranges::stable_partition(group.solids, [&](int s) { return solids_[s].end.kind == BodyKind::ground; });
  if (pairs == Pairs::grouped) {
    groups_.push_back(std::move(group));
    return;
  }
  for (std::size_t i = 0; i < group.solids.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (may_meet(group.solids[j], group.solids[i])) pairs_.push_back({contact, group.solids[j], group.solids[i]});
}

bool Scene::is_exchanged(const ContactPlace& p) const {
  if (!p.is_between_solids() || ranks_[p.contact].empty()) return false;
  return ranks_[p.contact][p.from] > ranks_[p.contact][p.to];
}

// What one body carries never moves against each other.
bool Scene::may_meet(int a, int b) const { return solids_[a].end.body != solids_[b].end.body; }

const SystemJoint* Scene::joint_of(const ContactPlace& p) const {
  if (p.is_between_solids()) return nullptr;
  return &system_->joints[p.limit >= 0 ? system_->limits[p.limit].joint : system_->frictions[p.friction].joint];
}

const End& Scene::from(const ContactPlace& p) const {
  const SystemJoint* const j = joint_of(p);
  if (!j) return solids_[p.from].end;
  return j->to.kind == BodyKind::ground ? j->to : j->from;
}

const End& Scene::to(const ContactPlace& p) const {
  const SystemJoint* const j = joint_of(p);
  if (!j) return solids_[p.to].end;
  return j->to.kind == BodyKind::ground ? j->from : j->to;
}

double touch_distance(const Scene& scene, const double* y) {
  double size = scene.size();
  for (int i = 0; i < scene.system().nq; ++i) size = std::max(size, std::abs(y[i]));
  return tolerance::touch * size;
}

double left_distance(const Scene& scene) { return 8 * tolerance::lateral * scene.size(); }

int Scene::from_member(const ContactPlace& p) const {
  const SystemJoint* const j = joint_of(p);
  if (!j) return solids_[p.from].member;
  return j->to.kind == BodyKind::ground ? j->to_member : j->from_member;
}

int Scene::to_member(const ContactPlace& p) const {
  const SystemJoint* const j = joint_of(p);
  if (!j) return solids_[p.to].member;
  return j->to.kind == BodyKind::ground ? j->from_member : j->to_member;
}

std::string Scene::describe(const ContactPlace& p) const {
  const std::string there = fmt::format("'{}'", system_->members[to_member(p)].name);
  return from_member(p) < 0 ? there : fmt::format("'{}' and {}", system_->members[from_member(p)].name, there);
}

}  // namespace plumb
