#include "plumb/model/element_types.h"

namespace plumb {
namespace {

using Keys = std::vector<std::string>;

Keys operator+(Keys a, const Keys& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const Keys ends = {"from", "to"};
const Keys anchors = {"from_point", "to_point", "from_local", "to_local"};
const Keys pin = Keys{"point"} + anchors;

}  // namespace

const std::vector<ElementType>& joint_types() {
#define PLUMB_JOINT(name, builder, required, optional) {name, required, optional},
  static const std::vector<ElementType> types = {
#include "plumb/model/joint_types.def"
  };
#undef PLUMB_JOINT
  return types;
}

const std::vector<ElementType>& force_types() {
#define PLUMB_FORCE(name, builder, required, optional) {name, required, optional},
  static const std::vector<ElementType> types = {
#include "plumb/model/force_types.def"
  };
#undef PLUMB_FORCE
  return types;
}

std::vector<std::string> ElementType::keys() const { return Keys{"type"} + required + optional; }

const ElementType* find_type(const std::vector<ElementType>& types, std::string_view name) {
  for (const ElementType& t : types)
    if (t.name == name) return &t;
  return nullptr;
}

std::vector<std::string> type_names(const std::vector<ElementType>& types) {
  std::vector<std::string> names;
  for (const ElementType& t : types) names.emplace_back(t.name);
  return names;
}

}  // namespace plumb
