#include "text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace plumb::cli {

std::size_t display_width(const std::string& text) {
  // Continuation bytes of UTF-8 take no column of their own.
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string TextTable::str(const std::string& indent) const {
  std::vector<std::size_t> width(rows_[0].size());
  std::vector<bool> numeric(width.size(), true);
  for (std::size_t r = 0; r < rows_.size(); ++r)
    for (std::size_t c = 0; c < rows_[r].size(); ++c) {
      width[c] = std::max(width[c], display_width(rows_[r][c]));
      const std::string& cell = rows_[r][c];
      if (r > 0 && !cell.empty() && cell != "–" && std::string("0123456789+-.").find(cell[0]) == std::string::npos)
        numeric[c] = false;
    }
  std::string text;
  for (const auto& row : rows_) {
    std::string line = indent;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string pad(width[c] - display_width(row[c]), ' ');
      if (c > 0) line += "  ";
      line += numeric[c] && c > 0 ? pad + row[c] : row[c] + pad;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
    if (&row == rows_.data()) {
      std::size_t total = 2 * (width.size() - 1);
      for (std::size_t w : width) total += w;
      text += indent;
      for (std::size_t i = 0; i < total; ++i) text += "─";
      text += "\n";
    }
  }
  return text;
}

std::string seconds(double s) {
  if (s < 1e-3) return fmt::format("{:.3g} µs", s * 1e6);
  if (s < 1) return fmt::format("{:.3g} ms", s * 1e3);
  return fmt::format("{:.3g} s", s);
}

std::string length(double m) {
  if (m < 1e-4) return fmt::format("{:.3g} µm", m * 1e6);
  if (m < 0.1) return fmt::format("{:.3g} mm", m * 1e3);
  return fmt::format("{:.3g} m", m);
}

bool is_terminal(int file_descriptor) { return isatty(file_descriptor) == 1; }

std::string coloured(Colour colour, const std::string& text, int file_descriptor) {
  static constexpr const char* codes[] = {"32", "33", "31"};
  const char* const none = std::getenv("NO_COLOR");
  if (!is_terminal(file_descriptor) || (none && *none)) return text;
  return fmt::format("\033[1;{}m{}\033[0m", codes[static_cast<int>(colour)], text);
}

}  // namespace plumb::cli
