// Where two solids that touch do so: the corners of the area they have in common, each with the two parts that meet
// there. Over the area the gap is a linear function, so that its corners say all.
//
// The area is cut out of what the solids show along the normal: a corner, an edge or a face; of a cylinder a point of a
// rim, a line of its side or a disc. A corner of it is a corner of one solid on a face of the other, or two edges that
// cross. Of a disc, which has none, some points of the rim are taken; more can be had where they are needed. Corners
// and edges that meet corners and edges have no normal of their own: of those that separate the solids the one along
// which they approach is taken.
#pragma once

#include <cstdint>
#include <vector>

#include "plumb/contact/separation.h"

namespace plumb {

// A part of a solid that can touch. A spot is a fixed point of a rim, `free` whatever has the normal it is given.
struct Part {
  enum class Kind : std::uint8_t { corner, edge, face, rim, spot, side, cap, plane, free };
  Kind kind = Kind::corner;
  int index = 0;
  bool operator==(const Part&) const = default;
};

struct Touching {
  Part from, to;
  Meeting meeting;
};

class ManifoldFinder {
 public:
  // For solids whose separation is `s`: appends the places that are at most `slack` farther apart than the nearest.
  void find(const PlacedSolid& a, const PlacedSolid& b, const Separation& s, int facing, double slack,
            std::vector<Touching>& found);
  // A further point of the rim of a disc that lies flat on the other solid, in a direction of the world; false: there
  // is no disc, or it does not reach the other solid there.
  bool find_spot(const PlacedSolid& a, const PlacedSolid& b, const Separation& s, double slack, const Vec3& direction,
                 std::vector<Touching>& found);

 private:
  struct Flat {
    double x = 0, y = 0;
  };
  // What a solid shows along a direction, projected.
  struct Shown {
    enum class Kind : std::uint8_t { point, segment, polygon, disc, everything };
    Kind kind = Kind::point;
    Part whole;
    std::vector<Part> corners, edges;  // of a polygon counterclockwise, seen against the normal
    std::vector<Flat> places;          // of the corners; of a disc its centre
    double radius = 0;
  };
  // A corner of the common area. `next` leads on from it: an edge of what is cut, or ~side of what cuts.
  struct Corner {
    Flat place;
    int corner, next;
  };

  Vec3 choose_normal(const PlacedSolid& a, const PlacedSolid& b, const Separation& s, int facing, double slack);
  void begin(const PlacedSolid& a, const PlacedSolid& b, const Vec3& n, double slack);
  Flat project(const Vec3& x) const { return {t1_.dot(x - origin_), t2_.dot(x - origin_)}; }
  Vec3 lift(const Flat& p) const { return origin_ + p.x * t1_ + p.y * t2_; }
  void show(const PlacedSolid& s, double sign, double slack, Shown& out) const;
  void show_cylinder(const PlacedSolid& s, const Vec3& n, double slack, Shown& out) const;

  // Adds the corners of the common area. `swapped`: what cuts is `b`.
  void meet_corner(const Shown& cutting, const Shown& subject, bool swapped);
  void meet(const Shown& cutting, const Shown& subject, bool swapped);
  void cut_polygon(const Shown& cutting, const Shown& subject, bool swapped);
  void cut_segment(const Shown& cutting, const Shown& subject, bool swapped);
  void cut_disc(const Shown& cutting, const Shown& disc, bool swapped);
  void cross_segments(const Shown& a, const Shown& b);
  void meet_discs(const Shown& a, const Shown& b, bool swapped);
  void clip(const Flat& from, const Flat& to, int side);
  bool is_inside(const Shown& s, const Flat& p) const;
  void add(bool swapped, Part on_cutting, Part on_subject, const Flat& place);
  Feature feature(const PlacedSolid& s, const Part& part, const Vec3& place) const;

  const PlacedSolid *from_ = nullptr, *to_ = nullptr;
  Vec3 n_, t1_, t2_, origin_;
  double lateral_ = 0;
  Shown a_, b_;
  std::vector<Corner> polygon_, next_;
  std::vector<Separation> ties_;
  std::vector<Flat> taken_;
  std::vector<Touching>* found_ = nullptr;
};

// How far the places of contact have left the parts that meet; not positive: they have not. A rim that has come to lie
// flat has left altogether.
double overrun(const PlacedSolid& a, const PlacedSolid& b, const Touching& touching, const Nearness<double>& near,
               double slack);

}  // namespace plumb
