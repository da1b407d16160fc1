// How a model given as equations is integrated: its form and its Runge-Kutta method.
#pragma once

#include <string>

#include "plumb/equations/reduction.h"
#include "plumb/integrator/tableau.h"

namespace plumb {

// form/integrator, as `method` in the model says. An integrator alone means projected; baumgarte means index0.
struct EquationMethod {
  Form form = Form::projected;
  const Tableau* tableau = nullptr;
  bool is_stabilised = false;
  bool is_automatic = false;  // goes on with an implicit method where the equations turn out to be stiff
  std::string name, description;
};
// Throws InputError with the nearest name.
EquationMethod find_equation_method(const SimulationSettings& settings);

// The damping omega of a model: as given, or chosen from the step.
double choose_omega(const EquationMethod& method, const SimulationSettings& settings);

}  // namespace plumb
