// Everything of a model that may touch: solids, which of them with which, and the one-sided limits of joints.
// Immutable, like the System it belongs to.
#pragma once

#include <string>
#include <vector>

#include "plumb/contact/manifold.h"
#include "plumb/contact/solid.h"
#include "plumb/model/model.h"
#include "plumb/system/system.h"

namespace plumb {

struct SolidPair {
  int contact;   // in Scene::laws
  int from, to;  // solids; a surface of the ground is `from`
};

// Bodies that may touch each other, each with each.
struct SolidGroup {
  int contact;
  std::vector<int> solids;
};

// A place where two solids touch, a limit that is reached, or a joint that rubs.
struct ContactPlace {
  int contact = 0;         // in Scene::laws
  int pair = -1;           // in Scene::pairs
  int from = -1, to = -1;  // solids of the pair
  int limit = -1;          // in System::limits
  Touching touching{};
  int friction = -1;  // in System::frictions

  bool is_rubbing_joint() const { return friction >= 0; }
  bool is_between_solids() const { return limit < 0 && friction < 0; }

  // Whether it is the same place, found again.
  bool is_same(const ContactPlace& other) const;
};

class Scene {
 public:
  // With many bodies in a group the pairs are too many to list: then only the groups are given.
  enum class Pairs { listed, grouped };
  Scene(const Model& model, const System& system, Pairs pairs = Pairs::listed);

  const System& system() const { return *system_; }
  const std::vector<Solid>& solids() const { return solids_; }
  const std::vector<SolidPair>& pairs() const { return pairs_; }
  const std::vector<SolidGroup>& groups() const { return groups_; }
  // Of the contacts of the model, then of the limits, then of joints with friction.
  const std::vector<Contact>& laws() const { return laws_; }
  int own_contacts() const { return own_contacts_; }
  bool empty() const { return pairs_.empty() && groups_.empty() && system_->limits.empty() && rubbing_.empty(); }
  // Joints with friction: always there.
  const std::vector<ContactPlace>& rubbing() const { return rubbing_; }
  // Of its largest coordinate at the start, and of its solids: the unit of its tolerances.
  double size() const { return size_; }

  // The bodies between which a place lies; of a joint `to` is never the ground.
  const End& from(const ContactPlace& place) const;
  const End& to(const ContactPlace& place) const;
  // The bodies of the model; -1: a surface, or the ground.
  int from_member(const ContactPlace& place) const;
  int to_member(const ContactPlace& place) const;
  std::string describe(const ContactPlace& place) const;  // the bodies concerned
  bool may_meet(int a, int b) const;                      // solids
  // Forces and normals are reported for the later of two bodies as a contact names them. True: that is `from`.
  bool is_exchanged(const ContactPlace& place) const;

 private:
  const SystemJoint* joint_of(const ContactPlace& place) const;
  int solid_of(const Model& model, int body);
  void add_group(const Model& model, int contact, const std::vector<int>& bodies, Pairs pairs);

  const System* system_;
  std::vector<Solid> solids_;
  std::vector<int> of_body_;  // solid of each body, -1: none yet
  std::vector<SolidPair> pairs_;
  std::vector<SolidGroup> groups_;
  std::vector<Contact> laws_;
  std::vector<ContactPlace> rubbing_;
  std::vector<std::vector<int>> ranks_;  // of each contact of the model: when it names each solid
  int own_contacts_ = 0;
  double size_ = 1;
};

// Gaps below this are closed, at the state y; and how far a place may leave its part before it counts as left.
double touch_distance(const Scene& scene, const double* y);
double left_distance(const Scene& scene);

}  // namespace plumb
