// The [parameters] table: numbers that may be expressions of each other, in any order.
#pragma once

#include <map>
#include <set>
#include <string>

#include "plumb/expression/expression.h"
#include "plumb/model/model.h"

namespace plumb {

// The names an expression in a model may use before anything moves: parameters, and t where it is allowed.
class ParameterNames : public Names {
 public:
  ParameterNames(const std::map<std::string, double>& values, bool with_time)
      : values_(values), with_time_(with_time) {}
  std::optional<Meaning> find(std::string_view name) const override;
  std::vector<std::string> all() const override;

 private:
  const std::map<std::string, double>& values_;
  bool with_time_;
};

// As written: the number or text of each parameter and its line.
using ParameterTexts = std::map<std::string, Quantity>;

// Values of all parameters; throws InputError for unknown names and circles.
std::map<std::string, double> resolve_parameters(const ParameterTexts& texts, const Source& source);

// Parses `text` where `source` says it stands; turns an ExpressionError into an InputError with a caret.
Expression parse_expression(const std::string& text, const Names& names, const Source& source,
                            const std::string& element);

}  // namespace plumb
