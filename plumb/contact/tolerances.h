// All tolerances of the contact logic, from one unit: the rounding of the coordinates.
//
// A double knows a place of size L to L u, u = 2.2e-16. Sums over a solver and a projection leave a few hundred of
// these; what is to be told from that needs a distance from it:
//
//   held      100 L u    closed contacts are kept closed to this
//   touch    4096 L u    gaps below it are closed: one part in 1e12. Contacts less deep than that are not seen
//   lateral  1e-9 of the size of the solids: where along a face or an edge something touches. What lies within it of a
//            border lies on the border: only the place at which a force acts depends on it, by as little
//   rest     1e-10 of the speeds: slower is at rest. Impacts and steps leave a thousandth of that
//   parting  ten times that: what parts more slowly stays
#pragma once

#include <algorithm>
#include <limits>

namespace plumb::tolerance {

inline constexpr double unit = std::numeric_limits<double>::epsilon();
inline constexpr double held = 100 * unit, touch = 4096 * unit;
inline constexpr double lateral = 1e-9;
inline constexpr double rest = 1e-10, parting = 10 * rest;
inline constexpr double parallel = 1e-6;  // sine of the angle below which two edges run along each other
// Sine of the angle below which two edges that cross are taken as a point on a plane: their own normal would turn too
// fast for its rounding.
inline constexpr double crossing = 1e-3;

inline constexpr double same_normal = 1e-12;  // 1 - cosine of the angle between normals of one patch
// Part of the size of a scene: overlaps below it go unseen.
inline constexpr double unseen = 1e-11;
// Forces and accelerations that are rounding beside the largest.
inline constexpr double force = 1e-11;
// Part of what contacts that stick do together which other shares may miss and still be taken for the same.
inline constexpr double shared = 1e-9;
// Part of what a row would give without joints: below it nothing gives way.
inline constexpr double immovable = 1e-12;
// Scaled pivot below which friction has turned a contact around.
inline constexpr double turned = 1e-9;
// So many times the force that would stop a contact on its own: friction is about to jam it.
inline constexpr double jamming = 1e4;
// Part of the duration of a run: what takes less is over before anything else happens.
inline constexpr double soon = 2e-5;
// Part of the size of a scene: a disc whose rim whirls around sooner than that, and no higher than this, lies flat.
// Without losses it would whirl for ever, the faster the less it is tilted.
inline constexpr double whirl = 1e-6;
// Part of the square extent of a patch below which it is a line.
inline constexpr double thin = 1e-14;

}  // namespace plumb::tolerance
