// Where two things may touch: a ball (a mass point, a sphere, a corner of a box, an end of a capsule) against a plane,
// a rectangle, another ball or a convex solid; and edges of two solids against each other.
//
// A ball of radius r has its centre c = x + R s. With the normal n from the other side to the ball
//   plane       gap = n.(c - p) - r
//   rectangle   gap = distance of c from its nearest point - r
//   ball        gap = |c - c'| - r - r'
//   corner      gap = signed distance of c from a convex solid - r - r'
//   edges       gap = signed distance of two lines - r - r', n perpendicular to both
// The points that touch lie at c - r n and c' + r' n; their relative velocity u has the normal part gap' and, in
// directions d fixed in the world, u' = (row of d) v' + bias.
#pragma once

#include <string>
#include <vector>

#include "plumb/contact/solid.h"
#include "plumb/model/model.h"
#include "plumb/system/system.h"

namespace plumb {

struct Candidate {
  enum class Kind { plane, wall, ball, corner, edges, angle, distance };  // the last two: limits of joints
  int contact = 0;  // in Model::contacts; after those, the limits of joints
  int limit = -1;   // in System::limits
  Kind kind = Kind::plane;
  End from, to;  // centres; `from` is the ground for surfaces. Anchors are the candidates' own (see Candidates)
  double radius_from = 0, radius_to = 0;
  double point[3] = {}, normal[3] = {};              // surfaces
  double across[2][3] = {}, half[2] = {}, side = 1;  // rectangle; the side of it on which the ball is
  int pair = -1;                                     // corner, edges: in Candidates::pairs
  int feature_from = 0, feature_to = 0;              // corner or edge of each solid
  bool corner_of_from = false;                       // the corner is that of `from`; else that of `to`
  int held = -1;  // closed: the face that the corner is on. It leaves the face over an edge, not by turning around it
};

struct Touch {
  double gap;
  double normal[3];               // from `from` to `to`
  double arm_from[3], arm_to[3];  // from the mass centres to the point of contact, world axes
  double point[3];                // of `to`, world coordinates
  double velocity[3];             // of `to` relative to `from` at the point
  double normal_bias;             // gap'' = normal row . v' + normal_bias
  double bias[3];                 // u' = rows . v' + bias, for tangential directions
};

// All candidates of a model, with the anchors of their balls.
class Candidates {
 public:
  struct Ball {
    End end;
    double radius;
  };
  struct Member {
    int solid;
    Ball ball;
    bool is_ball;  // a mass point or a sphere: `ball` says all
  };
  // Bodies that may touch each other, each with each. With many of them the pairs are too many to list.
  struct Group {
    int contact;
    std::vector<Member> members;
  };
  struct Pair {
    int from, to;  // solids
  };
  enum class Pairs { listed, grouped };

  Candidates(const Model& model, const System& system, Pairs pairs = Pairs::listed);

  const std::vector<Candidate>& list() const { return list_; }
  const std::vector<Group>& groups() const { return groups_; }
  const std::vector<Solid>& solids() const { return solids_; }
  const std::vector<Pair>& pairs() const { return pairs_; }
  static Candidate pair(int contact, const Ball& from, const Ball& to);
  // All corners against the other solid, all edges against its edges.
  void add_features(int contact, int from, int to, std::vector<Candidate>& list);
  // Drops the pairs that `add_features` made after the construction.
  void forget_pairs() { pairs_.resize(listed_pairs_); }
  bool empty() const { return list_.empty(); }
  const Contact& law(const Candidate& c) const {
    return c.limit < 0 ? model_.contacts[c.contact] : limit_laws_[c.limit];
  }

  double gap(const Placement& at, const Candidate& c) const;
  Touch look(const Placement& at, const Candidate& c) const;
  // Of the balls around the two solids: the gap is at least this.
  double apart(const Placement& at, const Pair& pair) const;
  // Whether the gap is that of these features; otherwise others are nearer and the gap is only a bound.
  bool applies(const Placement& at, const Candidate& c) const;
  // A contact that closes keeps its face; one that opens lets go.
  void hold(const Placement& at, int candidate, bool closed);
  // How far a contact has left the face or the edges it was on.
  double slid_off_by(const Placement& at, int candidate) const;
  // Notes on which side of each rectangle the balls are.
  void note_sides(const Placement& at);

 private:
  void add_limits(const System& system);
  double limit_gap(const Placement& at, const Candidate& c) const;
  Touch look_limit(const Placement& at, const Candidate& c) const;
  const Model& model_;
  const System* system_ = nullptr;
  int own_contacts_ = 0;  // of the model
  std::vector<SystemLimit> limits_;
  std::vector<Contact> limit_laws_;

  std::vector<Ball> balls_of(const Model& model, const System& system, int body);
  int add_solid(const Model& model, const System& system, int body);
  static Candidate wall_candidate(const WallSurface& wall);
  int add_wall_solid(const WallSurface& wall);
  void add_pairs(const Model& model, const System& system, const Contact& contact, int index,
                 const std::vector<int>& bodies, Pairs pairs);
  void add_wall_features(int contact, int wall, int solid);
  void add_surface(const Contact& contact, int index, const Ball& ball);
  Placement with_anchors(const Placement& at) const;
  // The nearest point to c of a rectangle, and how it moves when c moves with velocity v.
  static void nearest(const Candidate& c, const double* centre, const double* v, double* point, double* rate);
  static bool is_over(const Candidate& c, const double* centre);

  struct Sides;  // of a corner candidate: which solid has the corner, which is looked at
  Sides sides(const Candidate& c) const;
  Nearest nearest_to_corner(const Placement& at, const Candidate& c, double& overrun) const;
  double convex_gap(const Placement& at, const Candidate& c) const;
  Touch look_corner(const Placement& at, const Candidate& c) const;
  Touch look_edges(const Placement& at, const Candidate& c) const;

  std::vector<Candidate> list_;
  std::vector<Group> groups_;
  std::vector<Solid> solids_;
  std::vector<Pair> pairs_;
  std::size_t listed_pairs_ = 0;
  std::vector<double> anchors_;
};

}  // namespace plumb
