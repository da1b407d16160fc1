// Small motions about a state: eigenvalues and shapes with the constraints eliminated.
//
// Displacements d (of the mass centres, and rotation vectors in the axes of the bodies at the state) that keep the
// joints, to first order, are d = P p; velocities that do are Z u plus what the displacement asks for. Both bases are
// orthonormal in the mass metric. The perturbed states are moved onto the constraints, and
//   p' = Pᵀ M (dv, dw + w x d_theta),   u' = Zᵀ M (da, d_alpha)
// are differentiated centrally, extrapolated to zero (Romberg). For constraints at velocity level only (rolling) there
// are fewer u than p.
//
// The state may be an equilibrium or a steady straight motion, such as a rolling vehicle: rotations are measured in
// axes that do not turn, so that wheels with equal moments across the axle see constant equations.
#pragma once

#include <complex>
#include <string>
#include <vector>
#include <Eigen/Dense>

#include "plumb/system/dynamics.h"

namespace plumb {

// What a mode does to one body: world axes, scaled so that the largest component of all bodies is 1.
struct ModeShape {
  int body = 0;
  Eigen::Vector3cd translation, rotation;
};

struct Mode {
  std::complex<double> eigenvalue;
  std::vector<ModeShape> shape;

  double frequency() const;      // Hz
  double damping_ratio() const;  // -Re/|.|; 1 for real decay
};

struct Linearisation {
  Eigen::MatrixXd A;  // of (p, u)
  int positions = 0, velocities = 0;
  int neutral = 0;          // zero eigenvalues taken out exactly: coordinates nothing depends on, and their rates
  double residual = 0;      // acceleration at the state itself: 0 at an equilibrium or in steady motion
  std::vector<Mode> modes;  // of the rest, Im >= 0, by frequency, then by real part
};

// The state y must be on the constraints at t = 0. `shapes` costs a little more.
Linearisation linearise_about(const System& system, const std::vector<double>& y, bool shapes = true);

// A basis, orthonormal in the mass metric, of the velocities that satisfy the rows `wanted` of the placed constraints.
Eigen::MatrixXd free_directions(const System& system, const Constraints& constraints, const std::vector<bool>& wanted);

// A state displaced by d, moved back onto the constraints; world velocities are kept and then projected.
class Displacer {
 public:
  explicit Displacer(const System& system);
  std::vector<double> displaced(const std::vector<double>& y, const Eigen::VectorXd& d, const Eigen::VectorXd& dv);
  Dynamics& dynamics() { return dynamics_; }
  // Velocities and accelerations of y in the body axes of `base`: (v, w) and (a, alpha) of every body.
  void rates(const std::vector<double>& base, const std::vector<double>& y, Eigen::VectorXd& v, Eigen::VectorXd& a);

 private:
  const System& system_;
  Dynamics dynamics_;
};

}  // namespace plumb
