#include "plumb/report/packed_columns.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <nlohmann/json.hpp>

namespace plumb {
namespace {

std::vector<unsigned char> deflated(const std::vector<unsigned char>& bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::vector<unsigned char> out(size);
  if (compress2(out.data(), &size, bytes.data(), static_cast<uLong>(bytes.size()), 9) != Z_OK)
    throw std::runtime_error("the data of the page cannot be compressed");
  out.resize(size);
  return out;
}

// JSON has no words for them.
nlohmann::ordered_json number(double x) {
  return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json(nullptr);
}

}  // namespace

std::string base64(const std::vector<unsigned char>& bytes) {
  static const char* const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) three = three << 8 | (i + k < bytes.size() ? bytes[i + k] : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? letters[three >> (6 * (3 - k)) & 63u] : '=';
  }
  return text;
}

void PackedColumns::add(const std::string& name, const std::string& unit, const std::vector<double>& values,
                        const Extremes& range) {
  rows_ = values.size();
  const double first = values.empty() ? 0 : values[0];
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  const bool same =
      std::isfinite(first) && std::ranges::all_of(values, [&](double v) { return bits(v) == bits(first); });
  columns_.push_back({name, unit, range, same, first});
  if (same) return;
  for (int byte = 0; byte < 8; ++byte)
    for (const double v : values) bytes_.push_back(static_cast<unsigned char>(bits(v) >> (8 * byte)));
}

nlohmann::ordered_json PackedColumns::json() const {
  nlohmann::ordered_json columns = nlohmann::ordered_json::array();
  for (const Column& c : columns_) {
    nlohmann::ordered_json j = {
        {"name", c.name}, {"unit", c.unit}, {"min", number(c.range.low)}, {"max", number(c.range.high)}};
    if (c.is_constant) j["constant"] = c.first;
    columns.push_back(std::move(j));
  }
  return {{"rows", rows_}, {"columns", std::move(columns)}, {"data", base64(deflated(bytes_))}};
}

}  // namespace plumb
