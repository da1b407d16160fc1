// Contact impulses with Coulomb friction: p_i = (normal, two tangential) for k contacts with u = D p + b such that
//   0 <= p_n  perpendicular to  u_n >= 0,   |p_t| <= mu p_n,   p_t = -mu p_n u_t/|u_t| where u_t is not zero.
// Solved contact by contact (nonsmooth Gauss-Seidel; M. Jean, Comput. Methods Appl. Mech. Engrg. 177 (1999) 235-257),
// each contact exactly: it is open, sticks, or slips in a direction found from one equation of the angle.
#pragma once

#include <vector>

namespace plumb {

struct ConeProblem {
  int contacts = 0;
  const double* D = nullptr;   // 3k x 3k, row-major, symmetric positive semidefinite
  const double* b = nullptr;   // 3k
  const double* mu = nullptr;  // k
  // Normal impulse that acts besides p_n and widens the cone: |p_t| <= mu (p_n + offset). Null: none.
  const double* offset = nullptr;
  // Where given (not null, length 1) the contact slips already: friction is -mu p_n along it, whatever D p does.
  std::vector<const double*> slip{};
};

struct ConeSolution {
  bool converged = false;
  int sweeps = 0;
  double change = 0;  // of the last sweep, relative to the largest impulse

  double speed = 0;  // what that change does to the velocities

  // Slip with a speed that is small beside what makes it up is only as exact as that allows.
  bool is_usable() const { return converged || change < 1e-8 || speed < 1e-9; }
};

// `p` is the first guess and the result.
ConeSolution solve_cones(const ConeProblem& problem, double* p, double tolerance = 1e-15, int max_sweeps = 20000);

}  // namespace plumb
