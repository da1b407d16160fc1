#pragma once

#include "plumb/model/reader.h"
#include "commands.h"

namespace plumb::cli {

// Reads the model with its --set parameters; throws InputError.
inline Model read(const ModelArguments& arguments) {
  Overrides overrides;
  for (const std::string& s : arguments.set) {
    const std::size_t equals = s.find('=');
    if (equals == std::string::npos || equals == 0) throw InputError("--set " + s + ": write --set name=value");
    overrides.emplace_back(s.substr(0, equals), s.substr(equals + 1));
  }
  return read_model(arguments.path, overrides);
}

}  // namespace plumb::cli
