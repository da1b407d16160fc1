// The contacts of a running simulation: which are closed and how (sticking or slipping), the forces of those that
// are, the impact of those that strike.
//
// A closed contact is a constraint: gap'' = 0, and u_t' = 0 while it sticks. Slipping, it pushes back with mu p_n
// against u_t. The forces of all closed contacts follow from one small linear system over their Delassus matrix;
// where rows are redundant (a block on four corners) the solution of least norm is taken.
#pragma once

#include <cstdint>
#include <vector>

#include "plumb/contact/contact_rows.h"
#include "plumb/contact/impact.h"
#include "plumb/formulation/projection.h"

namespace plumb {

class Contacts : public ClosedContacts {
 public:
  static constexpr int max_rows = 600;  // of contacts closed at the same time

  Contacts(const Model& model, const System& system, Dynamics& dynamics);

  bool empty() const { return candidates_.empty(); }
  int size() const { return static_cast<int>(candidates_.list().size()); }
  bool any_closed() const { return !closed_.empty(); }
  bool is_closed(int candidate) const { return state_[candidate] != State::open; }
  // Inside a patch whose corners are closed: it needs no watching.
  bool is_covered(int candidate) const { return covered_[candidate] != 0; }
  const std::string& name(int candidate) const { return candidates_.law(candidates_.list()[candidate]).name; }
  const Source& source(int candidate) const { return candidates_.law(candidates_.list()[candidate]).source; }

  std::string describe(int candidate) const;  // the bodies concerned

  double act(double* a, double* lambda) override;
  double force(int contact, int component) const override { return forces_[3 * contact + component]; }
  double gap(int contact) const override;

  // Everything open, at the start of a run.
  void begin(double t, const double* y);
  // The gap of a candidate at a state.
  double gap_at(int candidate, double t, const double* y);
  double gap_here(int candidate) const {  // at the placed state
    return candidates_.gap(dynamics_.placement(), candidates_.list()[candidate]);
  }
  double gap_tolerance(const double* y) const;

  // Finds how far apart the solids of each pair are at least; `is_apart` then tells of a candidate without looking at
  // its corners and edges that its gap is larger than `distance`.
  void look_around(double t, const double* y);
  bool is_apart(int candidate, double distance) const {
    const int pair = candidates_.list()[candidate].pair;
    return pair >= 0 && apart_[pair] > distance;
  }
  int pairs() const { return static_cast<int>(apart_.size()); }
  double apart(int pair) const { return apart_[pair]; }
  int pair_of(int candidate) const { return candidates_.list()[candidate].pair; }

  // Moves y onto gap = 0 and gap' = 0 of the closed contacts, and u_t = 0 of those that stick; joints stay satisfied.
  void settle(double t, double* y) override;

  // Finds which contacts are closed at (t, y) and how. False if the contact forces could not be found.
  bool decide(double t, const double* y);
  // Whether the present modes still are what `decide` would find.
  bool holds(double t, const double* y);
  // How far they are from not holding: the least normal force, friction to spare, or speed of slip. Negative does not
  // mean that they do not hold, since redundant contacts help each other, but that `holds` must be asked.
  double margin(double t, const double* y);

  // The impact of all contacts that touch at (t, y), if any approaches: changes the velocities and accounts for the
  // energy lost. Of contacts that part too slowly to rise visibly the whole remaining series of bounces is taken at
  // once.
  ImpactReport strike(double t, double* y);

  // After a step: remembers the directions of slip and the sides of rectangles.
  void note(double t, const double* y);

 private:
  // A contact that slips straight on keeps its direction: sideways it is held like one that sticks. While the force
  // this takes is a small part of friction, the exact law does the same, only stiffly: at a low speed u its direction
  // turns at the rate (mu p_n/m)/u.
  enum class State : std::uint8_t { open, stick, slip, straight };
  struct Mode {
    State state = State::open;
    double friction = 0;
    double slip[2] = {1, 0};  // direction in the contact's two tangents
  };

  void look_around(const Placement& at);
  void rates_without_contacts(double t, const double* y);
  void place_with_joints(double t, const double* y);
  void build_closed();
  // Forces p_ of all rows such that the accelerations b + D p vanish along normals, and tangents of what sticks.
  void solve_modes(const std::vector<Mode>& modes, const std::vector<double>& b);
  void accelerations_after(const std::vector<double>& b, std::vector<double>& after) const;
  bool find_modes(std::vector<Mode>& modes, const std::vector<double>& b);
  void straighten(const std::vector<int>& list, std::vector<State>& state, const std::vector<Vec3>& direction);
  bool modes_at(double t, const double* y, std::vector<State>& state, std::vector<Vec3>& direction);
  void collect_closed();
  bool is_held(int candidate) const;
  std::vector<int> touching(const double* y);  // at the placed state; sets `inside_`
  Impact entry(int k, int candidate, double t, const std::vector<double>& before, const std::vector<double>& after,
               const std::vector<double>& p) const;
  void apply(const std::vector<double>& p, double lost, double* y) const;
  void end_bounces(double t, double* y, const std::vector<int>& touching, std::vector<Impact>& impacts);
  double speed_tolerance(const double* y) const;

  const System& system_;
  Dynamics& dynamics_;
  Projection projection_;
  Candidates candidates_;
  ContactRows rows_;
  std::vector<State> state_;     // of each candidate
  std::vector<Vec3> direction_;  // of slip
  std::vector<int> closed_;      // candidates
  std::vector<Vec3> closed_direction_;
  std::vector<Mode> closed_mode_, settling_;
  std::vector<int> corners_;  // what `touching` found
  std::vector<int> inside_;   // touching, but no corners of their patches
  std::vector<std::uint8_t> covered_;
  std::vector<double> apart_;               // of each pair of solids
  std::vector<int> unknown_;                // rows with an unknown of their own: normals, tangents of what sticks
  std::vector<double> matrix_, right_, x_;  // of the linear system over the unknowns
  std::vector<double> p_, b_, forces_, rate_, move_;
};

}  // namespace plumb
