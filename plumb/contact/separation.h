// How far two convex solids are apart, with a sign, for every pair of kinds.
//
// For a unit direction n from A to B the solids are s(n) = min over B of n.x - max over A of n.x apart. The largest
// s(n) is positive exactly if they do not touch, and negative by the smallest shift that would free them if they
// overlap. It is a continuous function of where they are, whichever corners, edges or faces are nearest and however
// they are aligned: no position is an accident. For sharp solids the directions that can be largest are few (normals of
// faces, and perpendiculars of two edges), so that s is exact; for rounded ones it is the distance of their cores less
// their radii.
#pragma once

#include "plumb/contact/solid.h"

namespace plumb {

struct Separation {
  double value = 0;
  Vec3 normal = Vec3::UnitZ();  // from `a` to `b`
};

// Of a rectangle and a mass point, neither of which has an inside, only `facing` tells on which side the point is: the
// face of the rectangle, 0 or 1, towards it; -1: either.
Separation separation(const PlacedSolid& a, const PlacedSolid& b, int facing = -1);

// Of the balls around them: never more than the separation.
double ball_separation(const PlacedSolid& a, const PlacedSolid& b);

// Least and largest n.x of a solid.
double farthest(const PlacedSolid& s, const Vec3& n);

// All directions in which two sharp solids are nearly as far apart as in the best one, at most `slack` less; of equal
// ones that of a face first. More than one that differ: a corner or an edge meets a corner or an edge.
void nearly_best(const PlacedSolid& a, const PlacedSolid& b, int facing, double slack, std::vector<Separation>& found);

}  // namespace plumb
