// The integrator for a tableau, explicit or implicit.
#pragma once

#include <memory>

#include "plumb/integrator/integrator.h"
#include "plumb/integrator/tableau.h"

namespace plumb {

std::unique_ptr<Integrator> make_runge_kutta(const Tableau& tableau, Problem& problem);

}  // namespace plumb
