// Where two things may touch: a ball (a mass point, a sphere, a corner of a box, an end of a capsule) against a plane,
// a rectangle or another ball.
//
// A ball of radius r has its centre c = x + R s. With the normal n from the other side to the ball
//   plane       gap = n.(c - p) - r
//   rectangle   gap = distance of c from its nearest point - r
//   ball        gap = |c - c'| - r - r'
// The points that touch lie at c - r n and c' + r' n; their relative velocity u has the normal part gap' and, in
// directions d fixed in the world, u' = (row of d) v' + bias.
#pragma once

#include <string>
#include <vector>

#include "plumb/model/model.h"
#include "plumb/system/system.h"

namespace plumb {

struct Candidate {
  enum class Kind { plane, wall, ball };
  int contact = 0;  // in Model::contacts
  Kind kind = Kind::plane;
  End from, to;  // centres; `from` is the ground for surfaces. Anchors are the candidates' own (see Candidates)
  double radius_from = 0, radius_to = 0;
  double point[3] = {}, normal[3] = {};              // surfaces
  double across[2][3] = {}, half[2] = {}, side = 1;  // rectangle; the side of it on which the ball is
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
  // Balls that may touch each other, each with each. With many of them the pairs are too many to list.
  struct Group {
    int contact;
    std::vector<Ball> balls;
  };
  enum class Pairs { listed, grouped };

  Candidates(const Model& model, const System& system, Pairs pairs = Pairs::listed);

  const std::vector<Candidate>& list() const { return list_; }
  const std::vector<Group>& groups() const { return groups_; }
  static Candidate pair(int contact, const Ball& from, const Ball& to);
  void centre(const Placement& at, const Ball& ball, double* c) const;
  bool empty() const { return list_.empty(); }

  double gap(const Placement& at, const Candidate& c) const;
  Touch look(const Placement& at, const Candidate& c) const;
  // Notes on which side of each rectangle the balls are.
  void note_sides(const Placement& at);

 private:
  std::vector<Ball> balls_of(const Model& model, const System& system, int body);
  void add_surface(const Contact& contact, int index, const Ball& ball);
  Placement with_anchors(const Placement& at) const;
  // The nearest point to c of a rectangle, and how it moves when c moves with velocity v.
  static void nearest(const Candidate& c, const double* centre, const double* v, double* point, double* rate);
  static bool is_over(const Candidate& c, const double* centre);

  std::vector<Candidate> list_;
  std::vector<Group> groups_;
  std::vector<double> anchors_;
};

}  // namespace plumb
