// Contacts without friction: p with 0 <= p perpendicular to u = D p + b >= 0, D symmetric positive semidefinite. The
// same as the least ½ p.D p + b.p over p >= 0, found by letting in, one after the other, the contact that approaches
// fastest and letting go those that would have to pull (C. L. Lawson, R. J. Hanson, Solving Least Squares Problems,
// 1974, 23.3): exact, in finitely many steps, however many contacts share a load.
#pragma once

#include <vector>

#include "plumb/solver/pivoted_elimination.h"

namespace plumb {

class PressingContacts {
 public:
  // D is n x n, row-major, `b` has n; `p` is the result. Approaching slower than `still` is none. False: no end was
  // found.
  bool solve(int n, const double* D, const double* b, double still, double* p);

 private:
  double approach(int i, const double* p) const;
  bool let_go(double* p);

  int n_ = 0;
  const double *D_ = nullptr, *b_ = nullptr;
  PivotedElimination elimination_;
  std::vector<int> pressing_;
  std::vector<double> matrix_, right_, asked_;
};

}  // namespace plumb
