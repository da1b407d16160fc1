// What can be moved while a model is looked at: its parameters and the start of its bodies.
#pragma once

#include <map>
#include <string>
#include <vector>
#include <nlohmann/json_fwd.hpp>

#include "plumb/model/model.h"

namespace plumb {

struct Slider {
  std::string name, label, unit;
  double value = 0, low = 0, high = 0;
};

// Parameters that the file gives as numbers, not as expressions of others.
std::vector<Slider> parameter_sliders(const Model& model);
// Position, velocity and angular velocity of the first bodies: "bob.x", "bob.vx", "bar.wz".
std::vector<Slider> start_sliders(const Model& model);

// The model with some of them moved. Throws InputError for a name that is no slider or a value that does not fit.
Model moved(const Model& model, const std::map<std::string, double>& values);

nlohmann::ordered_json json(const std::vector<Slider>& sliders);

}  // namespace plumb
