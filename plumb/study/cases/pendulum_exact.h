// The mathematical pendulum in closed form: released at rest from the angle theta0 against the vertical,
//   sin(theta/2) = k sn(K - w t, k),   k = sin(theta0/2),   w = sqrt(g/l),   T = 4 K(k)/w.
#pragma once

namespace plumb {

struct PendulumExact {
  double length = 1, gravity = 9.81, start_angle = 0;

  double period() const;
  double angle(double t) const;
};

// Jacobi's sn, cn, dn for the modulus k by the arithmetic-geometric mean (Abramowitz and Stegun 16.4).
struct JacobiFunctions {
  double sn, cn, dn;
};
JacobiFunctions jacobi(double u, double k);

}  // namespace plumb
