#include "plumb/integrator/make_runge_kutta.h"

#include "plumb/integrator/implicit_runge_kutta.h"
#include "plumb/integrator/runge_kutta.h"

namespace plumb {

std::unique_ptr<Integrator> make_runge_kutta(const Tableau& tableau, Problem& problem) {
  if (tableau.is_implicit) return std::make_unique<ImplicitRungeKutta>(problem, tableau);
  return std::make_unique<RungeKutta>(problem, tableau);
}

}  // namespace plumb
