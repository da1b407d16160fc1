// Moves a state onto the constraints, in the metric of the mass matrix.
//
// Positions: Gauss-Newton, dq = -M⁻¹ Gᵀ S⁻¹ g, repeated until g is at rounding level. Velocities:
// v <- v - M⁻¹ Gᵀ S⁻¹ (G v + g_t). After a step the factorisation of the last stage is close enough to be
// used again; it is renewed only when the residual does not fall fast.
#pragma once

#include <vector>

#include "plumb/system/dynamics.h"

namespace plumb {

// How far a projection has come.
struct ProjectionReport {
  bool converged = true;
  double residual = 0;  // largest remaining |g|
  int worst_row = -1;   // where it is
};

void normalise_quaternions(const System& system, double* y);
// x += dx, quaternion <- quaternion o exp(dtheta): a displacement given like a velocity.
void displace(const System& system, const double* displacement, double* y);

class Projection {
 public:
  explicit Projection(Dynamics& dynamics);

  // After a step: few iterations, reusing the dynamics' last factorisation.
  ProjectionReport apply(double t, double* y);

  // From far away (assembly of a start): every iteration linearises anew, long moves are shortened.
  ProjectionReport assemble(double t, double* y);
  // Velocities alone, where the dynamics is placed and linearised; its factorisation must be that of (nearly)
  // this place.
  void project_velocity(double* y);

 private:
  void correct(double* y);
  ProjectionReport report(double residual, double target);
  double noise(const double* y) const;

  Dynamics& dynamics_;
  std::vector<double> g_, rates_, move_;
};

}  // namespace plumb
