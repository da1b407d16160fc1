// Radau IIA with three stages, order 5, for stiff equations: E. Hairer, G. Wanner, Solving Ordinary Differential
// Equations II, IV.8.
#include <cmath>

#include "plumb/integrator/tableau.h"

namespace plumb {

Tableau radau5_tableau() {
  const double s = std::sqrt(6.0);
  Tableau t;
  t.name = "radau5";
  t.order = 5;
  t.stages = 3;
  t.is_implicit = true;
  t.c = {(4 - s) / 10, (4 + s) / 10, 1};
  t.a = {{(88 - 7 * s) / 360, (296 - 169 * s) / 1800, (-2 + 3 * s) / 225},
         {(296 + 169 * s) / 1800, (88 + 7 * s) / 360, (-2 - 3 * s) / 225},
         {(16 - s) / 36, (16 + s) / 36, 1.0 / 9}};
  t.b = t.a[2];
  t.error = {(-13 - 7 * s) / 3, (-13 + 7 * s) / 3, -1.0 / 3};
  t.error_order = 3;
  t.control = {0.9, 0.25, 0, 0.2, 8};
  return t;
}

}  // namespace plumb
