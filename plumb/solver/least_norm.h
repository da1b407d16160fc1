// A x = b where A may be singular and b may ask for what it cannot give: of the x that come nearest, the shortest.
#pragma once

namespace plumb {

// A is n x n, row-major. Pivots below `threshold` of the largest count as zero. Up to 96 rows nothing is allocated.
void solve_least_norm(int n, const double* A, const double* b, double* x, double threshold = 1e-10);

}  // namespace plumb
