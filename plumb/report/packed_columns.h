// Columns of numbers as compact text: what a result page carries. Every bit is kept.
//
// The bytes of each varying column are sorted by their place in the number (all first bytes, all second bytes, …),
// which puts what is alike together; the whole is deflated (zlib) and written in base64. Constant columns are one
// number.
#pragma once

#include <string>
#include <vector>
#include <nlohmann/json_fwd.hpp>

namespace plumb {

class PackedColumns {
 public:
  struct Extremes {
    double low, high;
  };

  // `range` is that of all values, of which `values` may be a selection.
  void add(const std::string& name, const std::string& unit, const std::vector<double>& values, const Extremes& range);
  std::size_t size() const { return columns_.size(); }
  // {"rows": n, "columns": [{"name", "unit", "min", "max", "constant"?}], "data": "base64"}
  nlohmann::ordered_json json() const;

 private:
  struct Column {
    std::string name, unit;
    Extremes range;
    bool is_constant;
    double first;
  };
  std::size_t rows_ = 0;
  std::vector<Column> columns_;
  std::vector<unsigned char> bytes_;
};

std::string base64(const std::vector<unsigned char>& bytes);

}  // namespace plumb
