#include "plumb/trajectory/trajectory.h"

#include <algorithm>

#include "plumb/expression/nearest_name.h"
#include "plumb/model/input_error.h"

namespace plumb {

std::size_t Trajectory::column(std::string_view name) const {
  const auto at = std::ranges::find(columns_, name);
  if (at == columns_.end())
    throw InputError("there is no channel '" + std::string(name) + "'" + did_you_mean(name, columns_));
  return static_cast<std::size_t>(at - columns_.begin());
}

std::vector<double> Trajectory::operator[](std::string_view name) const {
  const std::size_t c = column(name);
  std::vector<double> values(rows());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = row(i)[c];
  return values;
}

}  // namespace plumb
