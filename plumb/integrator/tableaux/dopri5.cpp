// Dormand and Prince 5(4): J. Comput. Appl. Math. 6 (1980) 19-26; dense output of order 4 from E. Hairer,
// S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, II.6.
#include "plumb/integrator/tableau.h"

namespace plumb {

Tableau dopri5_tableau() {
  Tableau t;
  t.name = "dopri5";
  t.order = 5;
  t.stages = 6;
  t.c = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};
  t.a =
      sparse_rows(7, {
                         {1, 0, 1.0 / 5},        {2, 0, 3.0 / 40},     {2, 1, 9.0 / 40},        {3, 0, 44.0 / 45},
                         {3, 1, -56.0 / 15},     {3, 2, 32.0 / 9},     {4, 0, 19372.0 / 6561},  {4, 1, -25360.0 / 2187},
                         {4, 2, 64448.0 / 6561}, {4, 3, -212.0 / 729}, {5, 0, 9017.0 / 3168},   {5, 1, -355.0 / 33},
                         {5, 2, 46732.0 / 5247}, {5, 3, 49.0 / 176},   {5, 4, -5103.0 / 18656}, {6, 0, 35.0 / 384},
                         {6, 2, 500.0 / 1113},   {6, 3, 125.0 / 192},  {6, 4, -2187.0 / 6784},  {6, 5, 11.0 / 84},
                     });
  t.b = t.a[6];
  t.error = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
  t.error_order = 4;
  t.control = {0.9, 0.2 - 0.04 * 0.75, 0.04, 0.2, 10};

  const std::vector<double> d = {-12715105075.0 / 11282082432,  0,
                                 87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                 701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                 69997945.0 / 29380423};
  std::vector<std::vector<double>> r(4, std::vector<double>(7));
  for (std::size_t i = 0; i < 7; ++i) {
    const double b = i < 6 ? t.b[i] : 0, f0 = i == 0 ? 1 : 0, f1 = i == 6 ? 1 : 0;
    r[0][i] = b;
    r[1][i] = f0 - b;
    r[2][i] = 2 * b - f0 - f1;
    r[3][i] = d[i];
  }
  t.dense = nested_interpolant(r);
  return t;
}

}  // namespace plumb
