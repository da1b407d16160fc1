// The account of energy at an instant.
#pragma once

namespace plumb {

struct Energy {
  double kinetic = 0, potential = 0, work = 0, dissipated = 0;
  double total() const { return kinetic + potential; }
  // What an exact run keeps constant.
  double balance() const { return kinetic + potential - work + dissipated; }
};

}  // namespace plumb
