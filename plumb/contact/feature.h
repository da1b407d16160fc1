// What touches: a point, a line, a plane or a circle of one solid against one of another, and where they are nearest.
//
//   point, plane    gap = n.(x - p) - r                         n the normal of the plane
//   point, point    gap = |x' - x| - r - r'
//   point, line     gap = distance of the point from the line - r - r'
//   line, line      gap = n.(p' - p) - r - r'                   n = ±(d x d')/|d x d'|
//   circle, plane   gap = n.(c - p) - R |n - (n.k) k|           the lowest point of the circle of axis k
//   circle, point   gap = distance of the point from the circle - r
//   circle, line    gap = n.(rim - p) - r, n = ±(d x tau)/|.|   tau the tangent where the rim is nearest to the line
//   circle, circle  gap = n.(rim' - rim), n = ±(tau x tau')/|.|
//
// A sphere is a point with a radius r, a capsule and the side of a cylinder are lines with one, an edge is a line
// without. The same formulas run on plain numbers and on jets: with a jet the gap comes with its first and second rate
// along the motion, the places of contact with theirs, and no derivative is written by hand.
#pragma once

#include <cstdint>

#include "plumb/expression/jet.h"
#include "plumb/spatial/triple.h"
#include "plumb/system/end.h"

namespace plumb {

// In the axes of its body from the mass centre; on the ground in world coordinates.
struct Feature {
  enum class Kind : std::uint8_t { point, line, plane, circle };
  Kind kind = Kind::point;
  Vec3 place = Vec3::Zero();   // the point; a point of the line or of the plane; the centre of the circle
  Vec3 along = Vec3::UnitZ();  // unit vector: along the line; out of the plane; axis of the circle
  double radius = 0;           // of the circle
  double round = 0;            // the surface lies so far outside
};

// Two features that face each other; the normal points from `from` to `to`.
struct Meeting {
  Feature from, to;
  double side = 1;                      // sign of the normal where it is a cross product
  double angle_from = 0, angle_to = 0;  // of circles: about where they touch; the search begins there
};

// A body as contacts see it: takes places and directions of its own to the world.
template <class T>
class Frame;

template <>
class Frame<double> {
 public:
  Frame(const Placement& at, const End& end);
  Triple<double> point(const Vec3& local) const;
  Triple<double> direction(const Vec3& local) const;

 private:
  bool is_rigid_;
  double x_[3] = {0, 0, 0};
  const double* R_ = nullptr;
};

// The same with rates: p' = v + R (w x s), p'' = R (w x (w x s)), at constant v and w.
template <>
class Frame<Jet> {
 public:
  Frame(const Placement& at, const End& end);
  Triple<Jet> point(const Vec3& local) const;
  Triple<Jet> direction(const Vec3& local) const;

 private:
  bool is_rigid_;
  double x_[3] = {0, 0, 0}, v_[3] = {0, 0, 0}, w_[3] = {0, 0, 0};
  const double* R_ = nullptr;
};

template <class T>
struct Nearness {
  T gap{};
  Triple<T> normal, on_from, on_to;  // the points of both surfaces that are nearest
  double angle_from = 0, angle_to = 0;
};

template <class T>
Nearness<T> nearness(const Meeting& meeting, const Frame<T>& from, const Frame<T>& to);

extern template Nearness<double> nearness(const Meeting&, const Frame<double>&, const Frame<double>&);
extern template Nearness<Jet> nearness(const Meeting&, const Frame<Jet>&, const Frame<Jet>&);

}  // namespace plumb
