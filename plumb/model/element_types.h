// The joint and force types a model may name and the keys each understands, from joint_types.def and
// force_types.def. The builder of each type stands in system/joints/ or system/forces/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumb {

struct ElementType {
  std::string_view name;
  std::vector<std::string> required;
  std::vector<std::string> optional;

  std::vector<std::string> keys() const;  // all of them, with "type"
};

const std::vector<ElementType>& joint_types();
const std::vector<ElementType>& force_types();

const ElementType* find_type(const std::vector<ElementType>& types, std::string_view name);
std::vector<std::string> type_names(const std::vector<ElementType>& types);

}  // namespace plumb
