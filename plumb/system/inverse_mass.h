// M⁻¹, which is constant and diagonal: 1/m and 1/J of every body, in the order of System::bodies.
#pragma once

#include <vector>

#include "plumb/spatial/rotation.h"

namespace plumb {

class InverseMass {
 public:
  void add(double mass, const Vec3& moments) {  // moments 0: a point mass
    values_.push_back(1 / mass);
    for (double J : moments) values_.push_back(J > 0 ? 1 / J : 0);
  }

  double mass(int body) const { return values_[4 * body]; }                 // 1/m
  const double* moments(int body) const { return &values_[4 * body + 1]; }  // 1/Jx 1/Jy 1/Jz

  // Treats part of a body's motion as given: next to nothing accelerates it.
  void hold_position(int body) { values_[4 * body] *= held; }
  void hold_attitude(int body) {
    for (int k = 1; k < 4; ++k) values_[4 * body + k] *= held;
  }
  static constexpr double held = 1e-8;

 private:
  std::vector<double> values_;
};

}  // namespace plumb
