// The grid of methods: formulation/integrator, e.g. projected/dop853; and those that stand alone, e.g. rattle.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plumb/formulation/formulation.h"
#include "plumb/integrator/integrator.h"
#include "plumb/integrator/tableau.h"
#include "plumb/model/input_error.h"
#include "plumb/model/model.h"

namespace plumb {

struct Method {
  std::string name;
  Formulation::Kind formulation = Formulation::Kind::projected;
  const Tableau* tableau = nullptr;  // null: rattle, moreau, trapezoidal
  int order = 0;
  bool is_adaptive = false;
  int dense_order = 3;
  std::string description;

  bool is_time_stepping = false;  // contacts are part of its step; with all others they are located
  bool is_automatic = false;      // goes on with `stiff_tableau` where the equations turn out to be stiff
};

const std::vector<Method>& methods();

// Throws InputError with the nearest name. An integrator alone means projected; `auto`, which is not in the list,
// begins with projected/dop853 and goes on with projected/radau5 where that is stiff.
const Method& find_method(const std::string& name, const Source& source = {});

std::unique_ptr<Integrator> make_integrator(const Method& method, Formulation& formulation, const Model& model);

}  // namespace plumb
