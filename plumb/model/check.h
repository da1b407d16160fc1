// Finds mistakes in a model that need no numerics: names, types, missing or meaningless keys, impossible values.
#pragma once

#include <string>
#include <unordered_map>

#include "plumb/model/model.h"

namespace plumb {

// Throws InputError for the first mistake found.
void check(const Model& model);

// Finds bodies by name.
class BodyLookup {
 public:
  explicit BodyLookup(const Model& model);
  // Index of the body, -1 for the ground; throws InputError naming `element`, `key` and the nearest known name.
  int index(const std::string& name, const Source& source, const std::string& element, const std::string& key) const;

 private:
  std::unordered_map<std::string, int> index_;
};

// True when `name` may be used: letters, digits, '_' and '-', beginning with a letter or '_'.
bool is_valid_name(const std::string& name);

}  // namespace plumb
