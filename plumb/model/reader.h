// Model files (TOML, see docs/model-format.md) to a Model.
#pragma once

#include <string>

#include "plumb/model/model.h"

namespace plumb {

// Both throw InputError with file, line and element. The returned model has passed `check`.
Model read_model(const std::string& path, const Overrides& overrides = {});
Model parse_model(const std::string& text, const std::string& file_name, const Overrides& overrides = {});

// Larger files are refused before they are read.
inline constexpr std::size_t max_model_bytes = std::size_t{32} << 20;

}  // namespace plumb
