// Runs read back from a directory of results (writers.h).
#pragma once

#include <filesystem>
#include <optional>
#include <nlohmann/json.hpp>

#include "plumb/model/model.h"
#include "plumb/trajectory/result.h"

namespace plumb {

// Everything the files of a run hold: what pages and plots are made from.
struct StoredRun {
  std::optional<Model> model;  // none: the model was built in C++ and has no text
  nlohmann::ordered_json summary;
  Trajectory trajectory;
};

// Throws InputError, naming the file and line, for a directory that is none of ours, another layout, files that were
// cut off or changed, and results that do not belong to the model beside them.
StoredRun read_results(const std::filesystem::path& directory);

// The same without the way through the files.
StoredRun stored(const Model& model, const Result& result);

}  // namespace plumb
