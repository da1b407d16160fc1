// The rows of closed contacts as equations for what keeps them closed.
//
// Contacts of one pair with one normal form a patch. Over it normal accelerations are a linear function and tangential
// ones those of a rigid motion in the plane, so that four corners and more have only three of each to be asked for: a
// patch of K corners carries normal forces p_k = c0 + c1 x_k + c2 y_k, the shares of least norm, and its corners that
// stick tangential ones (d0 - d2 y_k, d1 + d2 x_k). Every corner that slips pushes back with mu p_k against its own
// velocity; one alone may stick while the others slip around it.
// A joint that rubs pushes with all its friction against its rate, or as much as it takes while it is stuck.
// The unknowns z of all patches, with p = Q z, satisfy Lᵀ (b + D Q z) = 0, L being Q without friction.
#pragma once

#include <vector>

#include "plumb/contact/closed_contact.h"
#include "plumb/contact/contact_rows.h"
#include "plumb/solver/pivoted_elimination.h"

namespace plumb {

class HeldRows {
 public:
  HeldRows(const Scene& scene, Dynamics& dynamics) : scene_(scene), rows_(scene, dynamics) {}

  // At the placed state, where G is current and S factored. Slower than `still` a contact keeps its direction of slip.
  void build(std::span<const ClosedContact> closed, double still);

  const ContactRows& rows() const { return rows_; }
  int size() const { return rows_.size(); }
  double friction(int k) const { return friction_[k]; }
  // Of a joint that rubs: the most it pushes.
  double most(int k) const { return scene_.system().frictions[places_[k].friction].coulomb; }

  // Whether the others of its patch could carry all.
  bool has_to_spare(int k) const;

  // Pushes p on all rows such that b + D p vanishes: along normals, along tangents of what sticks, sideways of what
  // creeps, with the friction of what slips (forces); the same without friction (velocities); along normals only
  // (positions).
  enum class Level { forces, velocities, positions };
  void solve(Level level, const double* b, double* p);

  // Replaces pushes by those of least norm that do the same: shares of a patch.
  void spread(double* p);
  // Contacts `first` to `last` lie on one plane: the slope over it of what their normal rows hold in x.
  Vec3 slope(int first, int last, const std::vector<double>& x) const;

  // Makes the directions of corners of one patch that creep together those of one rigid motion, as near as can be.
  // `closed` is what was built.
  void make_rigid(std::span<ClosedContact> closed) const;

  // Of the last solution for forces: at or below zero friction has turned a contact around, and presses it closed the
  // more the more it is pushed apart (Painlevé).
  double smallest_pivot() const { return elimination_.smallest_pivot(); }

 private:
  struct Patch {
    int first, count;               // contacts
    double x0, y0, size;            // middle and extent, in the tangents of its first contact
    int shape;                      // 1: a point, 2: along a line, 3: an area
    double line_x = 1, line_y = 0;  // direction of the line
    int creeping = 0;               // corners; two and more creep together
    Vec3 motion = Vec3::Zero();     // theirs: of the middle of the patch, and `size` times its rate of turning
  };
  struct Entry {
    int row;
    double value;
  };
  void find_patches(std::span<const ClosedContact> closed);
  void begin_column();
  void add_normals(const Patch& patch, bool with_friction);
  void add_tangents(const Patch& patch);
  void add_sideways(const Patch& patch);
  Vec3 motion_of(const Patch& patch, std::span<const ClosedContact> closed) const;
  Vec3 field(const Patch& patch, const Vec3& motion, int k) const;
  void solve_once(Level level, const double* b, double* p);
  void add_stuck_joint(int k);
  void assemble();

  const Scene& scene_;
  ContactRows rows_;
  std::vector<Vec3> directions_;
  std::vector<ContactPlace> places_;
  std::vector<Touch> touches_;
  std::vector<double> friction_, forward_;  // of contacts; share of friction against the slip, of what creeps
  std::vector<Grip> grips_;
  std::vector<double> senses_;
  std::vector<double> x_, y_;  // places of contacts in their patch
  std::vector<Patch> patches_;
  std::vector<Entry> trial_, test_;  // columns of Q and L, one after the other
  std::vector<int> trial_begin_, test_begin_;
  std::vector<double> DQ_, A_, right_, z_, least_;
  PivotedElimination elimination_;
};

}  // namespace plumb
