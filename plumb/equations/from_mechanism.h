// The equations of a mechanism of point masses and rods: for each mass x' = vx, m vx' = forces, for each rod the square
// of its length, with a multiplier mu = tension / length. What does not move out of a plane gets two coordinates.
#pragma once

#include <string>

#include "plumb/model/model.h"

namespace plumb {

// Throws InputError naming the first element that is neither a point mass nor a rod.
Model equations_of_mechanism(const Model& mechanism);

// A model given as equations as the text of a model file.
std::string as_model_file(const Model& model);

}  // namespace plumb
