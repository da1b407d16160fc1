#include "plumb/model/parameters.h"

#include <fmt/format.h>

#include <cmath>

namespace plumb {

std::optional<Meaning> ParameterNames::find(std::string_view name) const {
  if (with_time_ && name == "t") return Meaning{std::nullopt, time_slot};
  if (const auto it = values_.find(std::string(name)); it != values_.end()) return Meaning{it->second};
  return std::nullopt;
}

std::vector<std::string> ParameterNames::all() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : values_) names.push_back(name);
  if (with_time_) names.emplace_back("t");
  return names;
}

Expression parse_expression(const std::string& text, const Names& names, const Source& source,
                            const std::string& element) {
  try {
    return Expression::parse(text, names);
  } catch (const ExpressionError& e) {
    // A long text is shown around the fault only.
    const std::size_t from = e.position > 60 ? e.position - 60 : 0;
    throw InputError(
        source, element,
        fmt::format("{}\n    {}\n    {:>{}}", e.what(), text.substr(from, 120), '^', e.position - from + 1));
  }
}

namespace {

// Evaluates on demand: looking up a parameter that is not known yet evaluates that one first.
class Resolver : public Names {
 public:
  Resolver(const ParameterTexts& texts, const Source& source) : texts_(texts), source_(source) {}

  double value(const std::string& name) const {
    if (const auto known = values_.find(name); known != values_.end()) return known->second;
    const Quantity& q = texts_.at(name);
    const Source at{source_.file, q.line};
    const std::string element = fmt::format("parameter '{}'", name);
    if (!in_progress_.insert(name).second) throw InputError(at, element, "is defined by itself, in a circle");
    const double v = q.is_number() ? q.value : parse_expression(q.expression, *this, at, element).constant();
    if (!std::isfinite(v)) throw InputError(at, element, "is not a finite number");
    in_progress_.erase(name);
    return values_[name] = v;
  }

  std::optional<Meaning> find(std::string_view name) const override {
    if (!texts_.contains(std::string(name))) return std::nullopt;
    return Meaning{value(std::string(name))};
  }

  std::vector<std::string> all() const override {
    std::vector<std::string> names;
    for (const auto& [name, q] : texts_) names.push_back(name);
    return names;
  }

  std::map<std::string, double> take() { return std::move(values_); }

 private:
  const ParameterTexts& texts_;
  const Source& source_;
  mutable std::map<std::string, double> values_;
  mutable std::set<std::string> in_progress_;
};

}  // namespace

std::map<std::string, double> resolve_parameters(const ParameterTexts& texts, const Source& source) {
  Resolver resolver(texts, source);
  for (const auto& [name, q] : texts) resolver.value(name);
  return resolver.take();
}

}  // namespace plumb
