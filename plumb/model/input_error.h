// A user's mistake: what is wrong, where it stands, and what would be right.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

namespace plumb {

// Where an element was written. Models built in C++ have no file and no line.
struct Source {
  std::shared_ptr<const std::string> file;
  int line = 0;
};

class InputError : public std::runtime_error {
 public:
  // Reads "file:line: element: message", leaving out what is unknown.
  InputError(const Source& source, const std::string& element, const std::string& message);
  explicit InputError(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace plumb
