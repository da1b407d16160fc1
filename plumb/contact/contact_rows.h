// What pushing at the points of contact does to the whole system, joints included.
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
  explicit ContactRows(Dynamics& dynamics) : dynamics_(dynamics) {}

  // For these contacts at the placed state, where G is current and S factored. `directions[k]`, if not zero, becomes
  // the first tangent of contact k.
  void build(const Candidates& candidates, const std::vector<int>& contacts, const std::vector<Vec3>& directions);

  int contacts() const { return static_cast<int>(touches_.size()); }
  const Touch& touch(int k) const { return touches_[k]; }
  const double* axis(int k, int i) const { return axes_.data() + 9 * k + 3 * i; }  // normal, tangents; world axes
  const double* matrix() const { return D_.data(); }
  double entry(int i, int j) const { return D_[static_cast<std::size_t>(i) * 3 * contacts() + j]; }

  double speed(int row) const;                          // of the contact along the row
  double dot(int row, const double* a) const;           // row . a
  double acceleration(int row, const double* a) const;  // row . a + bias
  void push(int row, double amount, double* a) const;   // a += amount w
  // The multipliers of the joints that go with it.
  void push_joints(int row, double amount, double* lambda) const;

 private:
  struct Row {
    int to, from;  // first velocity, -1: ground
    bool to_turns, from_turns;
    double linear[3], angular_to[3], angular_from[3];
  };
  Row make_row(const Candidate& c, const Touch& t, const double* d) const;
  void respond(const Candidate& c, const Row& row, double* w, double* lambda);

  Dynamics& dynamics_;
  std::vector<Touch> touches_;
  std::vector<double> axes_;
  std::vector<Row> rows_;
  std::vector<double> W_, lambda_, D_, reply_;
};

}  // namespace plumb
