// What pushing at the places of contact does to the whole system, joints included.
//
// A contact has three rows: its normal and two tangents. Row c pushed with 1 accelerates the system by
//   w = P cᵀ,   P = M⁻¹ - M⁻¹ Gᵀ S⁻¹ G M⁻¹,
// which leaves the joints satisfied; D = C P Cᵀ gathers what every row does to every other (the Delassus matrix).
#pragma once

#include <vector>

#include "plumb/contact/touch.h"
#include "plumb/system/dynamics.h"

namespace plumb {

class ContactRows {
 public:
  ContactRows(const Scene& scene, Dynamics& dynamics) : scene_(scene), dynamics_(dynamics) {}

  // For these contacts at the placed state, where G is current and S factored. `directions[k]`, if not zero, becomes
  // the first tangent of contact k.
  void build(const std::vector<ContactPlace>& places, const std::vector<Touch>& touches,
             const std::vector<Vec3>& directions);

  const Placement& placement() const { return dynamics_.placement(); }
  int contacts() const { return static_cast<int>(touches_.size()); }
  int size() const { return 3 * contacts(); }
  const Touch& touch(int k) const { return touches_[k]; }
  const double* axis(int k, int i) const { return axes_.data() + 9 * k + 3 * i; }  // normal, tangents; world axes
  const double* matrix() const { return D_.data(); }
  double entry(int i, int j) const { return D_[static_cast<std::size_t>(i) * size() + j]; }
  // The same with no joint to hold the bodies: what a row does to itself.
  double free_entry(int i) const { return free_[i]; }

  double speed(int row) const;                          // of the contact along the row
  double dot(int row, const double* a) const;           // row . a
  double acceleration(int row, const double* a) const;  // row . a + bias
  void push(int row, double amount, double* a) const;   // a += amount w
  // The multipliers of the joints that go with it.
  void push_joints(int row, double amount, double* lambda) const;
  Vec3 across(int k, const double* x) const;  // tangential part of a vector given by its three components, world axes

 private:
  struct Row {
    int to, from;  // first velocity, -1: ground
    bool to_turns, from_turns;
    double linear[3], angular_to[3], angular_from[3];
  };
  Row make_row(const ContactPlace& place, const Touch& t, const double* d) const;
  void respond(const ContactPlace& place, const Row& row, double* w, double* lambda);
  double give(const ContactPlace& place, const Row& row) const;

  const Scene& scene_;
  Dynamics& dynamics_;
  std::vector<Touch> touches_;
  std::vector<double> axes_;
  std::vector<Row> rows_;
  std::vector<double> W_, lambda_, D_, free_, reply_;
};

}  // namespace plumb
