// A recorded run: one row of channel values for each point of the output grid.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

class Trajectory {
 public:
  Trajectory() = default;
  explicit Trajectory(std::vector<std::string> columns) : columns_(std::move(columns)) {}

  const std::vector<std::string>& columns() const { return columns_; }
  std::size_t rows() const { return columns_.empty() ? 0 : values_.size() / columns_.size(); }
  std::span<const double> row(std::size_t i) const { return {values_.data() + i * columns_.size(), columns_.size()}; }

  // Index of a column; throws InputError with the nearest name.
  std::size_t column(std::string_view name) const;
  // All values of a column.
  std::vector<double> operator[](std::string_view name) const;
  double last(std::string_view name) const { return row(rows() - 1)[column(name)]; }

  void reserve(std::size_t rows) { values_.reserve(rows * columns_.size()); }
  void append(std::span<const double> row) { values_.insert(values_.end(), row.begin(), row.end()); }

 private:
  std::vector<std::string> columns_;
  std::vector<double> values_;
};

}  // namespace plumb
