// Text for people: aligned tables and numbers with units.
#pragma once

#include <string>
#include <vector>

namespace plumb::cli {

// Columns as wide as their widest entry; the first is aligned left, the others right where they are numbers.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.size() < 2; }
  std::string str(const std::string& indent = "  ") const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// "1.6 ms", "12 s"
std::string seconds(double s);

// "12 mm", "0.4 µm"
std::string length(double metres);

// Number of columns a UTF-8 text takes on a terminal.
std::size_t display_width(const std::string& text);

bool is_terminal(int file_descriptor);

// The text in colour, if it goes to a terminal and the environment does not ask for none (NO_COLOR).
enum class Colour { green, yellow, red };
std::string coloured(Colour colour, const std::string& text, int file_descriptor);

}  // namespace plumb::cli
