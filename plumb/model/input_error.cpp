#include "plumb/model/input_error.h"

namespace plumb {
namespace {

std::string located(const Source& source, const std::string& element, const std::string& message) {
  std::string text;
  if (source.file) {
    text += *source.file + ":";
    if (source.line > 0) text += std::to_string(source.line) + ":";
    text += " ";
  }
  if (!element.empty()) text += element + ": ";
  return text + message;
}

}  // namespace

InputError::InputError(const Source& source, const std::string& element, const std::string& message)
    : std::runtime_error(located(source, element, message)) {}

}  // namespace plumb
