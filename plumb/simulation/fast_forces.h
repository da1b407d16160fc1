// What may make a body fast: the forces on it, for telling the user.
#pragma once

#include <string>

#include "plumb/model/model.h"

namespace plumb {

struct FastForces {
  std::string names;   // "spring 'k', joint-friction 'f'"
  std::string advice;  // what could take their place; may be empty
};

FastForces forces_on(const Model& model, const std::string& body);

}  // namespace plumb
