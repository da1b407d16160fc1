// An entry of the ledger of impacts.
#pragma once

#include <utility>

#include "plumb/spatial/rotation.h"

namespace plumb {

struct Impact {
  enum class Kind {
    blow,
    jam,    // friction stops a contact that closes under its own friction, without a blow (Painlevé)
    window  // many at once, taken together (simulation/contact_window.h)
  };
  Kind kind = Kind::blow;
  int contact = 0;         // in System::contacts
  int from = -1, to = -1;  // bodies of the model, -1: a surface
  double time = 0;
  bool is_angular = false;  // the limit of an angle: velocities in rad/s, the impulse in N m s
  Vec3 point = Vec3::Zero(), normal = Vec3::UnitZ();
  double normal_before = 0, normal_after = 0;
  Vec3 tangential_before = Vec3::Zero(), tangential_after = Vec3::Zero();
  double normal_impulse = 0;
  Vec3 tangential_impulse = Vec3::Zero();
  double energy_before = 0, energy_after = 0, energy_lost = 0;  // of the whole system; lost at this contact
  double at_rest_from = -1;  // where an endless series of bounces ends, if this impact stands for it
  double until = -1;         // of a window: its end

  // The same seen from the other body.
  void exchange() {
    std::swap(from, to);
    for (Vec3* v : {&normal, &tangential_before, &tangential_after, &tangential_impulse}) *v = -*v;
  }
};

}  // namespace plumb
