// How far two solids keep apart between two instants at which they are known.
//
// Along a fixed direction n every point x of two solids moves relative to the other with |d²(n.x)/dt²| <= A. Over a
// time w its height stays above the chord of its heights at both ends, less A w²/2 θ(1-θ) at the fraction θ. That holds
// for the lowest of them too, whichever it is: with s_n the distance of the solids along n,
//   gap(θ) >= s_n(0) (1-θ) + s_n(1) θ - A w²/2 θ(1-θ)        for every n.
// What this keeps above zero does not touch, however many corners take turns in being nearest.
#pragma once

#include <vector>

#include "plumb/contact/scene.h"

namespace plumb {

// The least of first (1-θ) + last θ - sag θ(1-θ) between 0 and 1.
double least_over_chord(double first, double last, double sag);

// s_n of two placed solids; a plane is only ever asked along its own normal.
double distance_along(const PlacedSolid& a, const PlacedSolid& b, const Vec3& n);

// How fast bodies move during a step, from velocities at even places in it.
class StepMotion {
 public:
  explicit StepMotion(const System& system);

  static constexpr int parts = 8;
  void note(int place, const double* y);  // 0 to `parts`

  // A for two solids over a step of this length: in the world, or as seen from `a`, which turns.
  double relative_acceleration(const PlacedSolid& a, const PlacedSolid& b, double length) const;
  double acceleration_seen_from(const PlacedSolid& a, const PlacedSolid& b, double length) const;

 private:
  // Of one solid: the most of its angular velocity and of its rate, and how far its points are from its mass centre.
  struct Turning {
    double speed = 0, rate = 0, arm = 0;
  };
  Turning turning(const PlacedSolid& s, double length) const;
  Vec3 velocity(const End& end, int place) const;
  double speed_apart(const PlacedSolid& a, const PlacedSolid& b) const;

  const System& system_;
  std::vector<double> v_;  // velocities at all places
};

}  // namespace plumb
