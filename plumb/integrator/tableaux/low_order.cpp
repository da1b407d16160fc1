// The classical methods of orders 1, 2 and 4.
#include "plumb/integrator/tableau.h"

namespace plumb {

Tableau euler_tableau() {
  Tableau t;
  t.name = "euler";
  t.order = 1;
  t.stages = 1;
  t.c = {0};
  t.a = sparse_rows(1, {});
  t.b = {1};
  return t;
}

// Collatz: half a step, then a full step with the slope found there.
Tableau midpoint_tableau() {
  Tableau t;
  t.name = "midpoint";
  t.order = 2;
  t.stages = 2;
  t.c = {0, 0.5};
  t.a = sparse_rows(2, {{1, 0, 0.5}});
  t.b = {0, 1};
  return t;
}

// Collatz's rule with a full step where half a step is meant, as a worksheet prints it: first order only, and stable
// up to omega h = 1. For reproducing that worksheet.
Tableau collatz_printed_tableau() {
  Tableau t;
  t.name = "collatz-printed";
  t.order = 1;
  t.stages = 2;
  t.c = {0, 1};
  t.a = sparse_rows(2, {{1, 0, 1}});
  t.b = {0, 1};
  return t;
}

Tableau heun_tableau() {
  Tableau t;
  t.name = "heun";
  t.order = 2;
  t.stages = 2;
  t.c = {0, 1};
  t.a = sparse_rows(2, {{1, 0, 1}});
  t.b = {0.5, 0.5};
  return t;
}

Tableau rk4_tableau() {
  Tableau t;
  t.name = "rk4";
  t.order = 4;
  t.stages = 4;
  t.c = {0, 0.5, 0.5, 1};
  t.a = sparse_rows(4, {{1, 0, 0.5}, {2, 1, 0.5}, {3, 2, 1}});
  t.b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  return t;
}

}  // namespace plumb
