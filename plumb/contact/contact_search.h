// Looks for places of contact at a state: how far pairs are apart, where they touch, and whether what touched has moved
// on to other parts of the solids. Owns its working memory.
#pragma once

#include <vector>

#include "plumb/contact/manifold.h"
#include "plumb/contact/scene.h"

namespace plumb {

// The side of each rectangle on which mass points are, by pair: the face towards them, 0 or 1; -1: not known yet. Part
// of the state of a run.
using Facing = std::vector<signed char>;

class ContactSearch {
 public:
  explicit ContactSearch(const Scene& scene);

  // Everything below is about this state, which must stay where it is.
  void place(const Placement& at);

  const Vec3& middle(int i) { return solid(i).middle; }
  const PlacedSolid& placed_now(int i) { return solid(i); }
  const PlacedSolid& placed(int i) const { return solids_[i]; }  // where it was placed last
  double ball_separation(int pair);
  Separation separation(int pair, const Facing& facing);
  // Gap of a pair or, for numbers after those of the pairs, of a limit.
  double gap(int candidate, const Facing& facing);
  int candidates() const;
  // The least gap of a contact of the model, over the pairs that are listed.
  double least_gap(int contact, const Facing& facing);

  // Appends the places where a pair or limit touches: at most `slack` farther apart than the nearest.
  void find(int candidate, const Facing& facing, double slack, std::vector<ContactPlace>& places);
  // The same for two solids that are no listed pair, up to a distance.
  void find_between(int contact, int from, int to, double slack, std::vector<ContactPlace>& places);
  // A further place on the rim of a disc that was found to lie flat, in a direction of the world.
  bool find_spot(int pair, const Facing& facing, const Vec3& direction, std::vector<ContactPlace>& places);
  // How far a place of contact has left the parts it was found on.
  double overrun(const ContactPlace& place, double slack);

  // How long a rim on something flat takes to come to lie flat, or to whirl around; infinite: nothing of the kind.
  double time_to_flat(const ContactPlace& place) { return tilt_of(place).time; }
  // How high the rim of a disc stands that whirls around in less than `soon`, too low to be seen; 0: it is no such
  // disc.
  double whirl(const ContactPlace& place, double soon);

  // Notes where on their circles the parts of a place touch now.
  void refresh(ContactPlace& place) const;

  // Notes the sides of rectangles on which mass points are now, unless they are on them.
  void note_sides(double close, Facing& facing);

 private:
  // Of a rim on something flat: how far its other side stands above it, and how long it takes to lie flat.
  struct Tilt {
    double height, time;
  };
  Tilt tilt_of(const ContactPlace& place);
  const PlacedSolid& solid(int i);
  int facing_of(int pair, const Facing& facing) const { return facing.empty() ? -1 : facing[pair]; }

  const Scene& scene_;
  Placement at_{};
  std::vector<PlacedSolid> solids_;
  std::vector<long> placed_;  // when each solid was placed
  long now_ = 0;
  ManifoldFinder manifold_;
  std::vector<Touching> found_;
  std::vector<double> slack_;    // with which places of each pair were found last
  std::vector<char> has_sides_;  // of pairs: a rectangle and a mass point
};

}  // namespace plumb
