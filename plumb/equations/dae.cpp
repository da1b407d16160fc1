#include "plumb/equations/dae.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <numbers>

#include "plumb/equations/functions.h"
#include "plumb/expression/expression.h"
#include "plumb/expression/nearest_name.h"
#include "plumb/model/check.h"
#include "plumb/model/parameters.h"

namespace plumb {

using GiNaC::ex;

std::optional<int> Symbols::find(const std::string& unknown) const {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (names_[i] == unknown) return static_cast<int>(i);
  return std::nullopt;
}

std::optional<Symbols::Place> Symbols::find_place(std::string name) const {
  int order = 0;
  while (!name.empty() && name.back() == '\'') name.pop_back(), ++order;
  if (const auto u = find(name)) return Place{*u, order};
  return std::nullopt;
}

int Symbols::add(const std::string& unknown) {
  if (const auto known = find(unknown)) return *known;
  names_.push_back(unknown);
  derivatives_.emplace_back();
  return unknowns() - 1;
}

const GiNaC::symbol& Symbols::derivative(int unknown, int order) {
  auto& all = derivatives_[static_cast<std::size_t>(unknown)];
  while (static_cast<int>(all.size()) <= order) {
    const Place p{unknown, static_cast<int>(all.size())};
    all.emplace_back(name(p));
    places_[all.back()] = p;
  }
  return all[static_cast<std::size_t>(order)];
}

std::optional<Symbols::Place> Symbols::place(const ex& symbol) const {
  if (const auto at = places_.find(symbol); at != places_.end()) return at->second;
  return std::nullopt;
}

const GiNaC::symbol& Symbols::parameter(const std::string& name, double value) {
  for (const auto& [known, symbol] : parameters_)
    if (known == name) return symbol;
  parameters_.emplace_back(name, GiNaC::symbol(name));
  values_[parameters_.back().second] = value;
  return parameters_.back().second;
}

std::vector<ex> symbols_in(const ex& e) {
  std::vector<ex> found;
  std::set<ex, GiNaC::ex_is_less> seen;
  for (auto i = e.preorder_begin(); i != e.preorder_end(); ++i)
    if (GiNaC::is_a<GiNaC::symbol>(*i) && seen.insert(*i).second) found.push_back(*i);
  return found;
}

Signature Dae::signature() const {
  Signature s(static_cast<int>(equations.size()), symbols.unknowns());
  for (std::size_t i = 0; i < equations.size(); ++i)
    for (const ex& symbol : symbols_in(equations[i].residual()))
      if (const auto p = symbols.place(symbol)) {
        const int row = static_cast<int>(i);
        s.set(row, p->unknown, std::max(s.at(row, p->unknown), p->order));
      }
  return s;
}

namespace {

// Names as the parser of expressions meets them; a name nobody knows is a new unknown.
class EquationNames : public Names {
 public:
  EquationNames(const Model& model, Symbols& symbols) : model_(model), symbols_(symbols) {}

  std::optional<Meaning> find(std::string_view word) const override {
    if (word.find_first_of("-.") != std::string_view::npos) return std::nullopt;
    std::string name(word);
    int order = 0;
    while (name.back() == '\'') name.pop_back(), ++order;
    const auto parameter = model_.parameters.find(name);
    const bool is_constant = name == "e" || name == "tau" || name == "deg";
    if (order > 0 && (parameter != model_.parameters.end() || is_constant || name == "pi" || name == "t"))
      throw std::invalid_argument(
          fmt::format("'{}' is {} and has no derivative", name, name == "t" ? "time" : "a constant"));
    if (order > max_derivative)
      throw std::invalid_argument(fmt::format("derivatives are taken up to order {}", max_derivative));
    if (parameter != model_.parameters.end()) return slot(symbols_.parameter(name, parameter->second));
    if (name == "t") return slot(symbols_.time());
    if (name == "pi") return slot(GiNaC::Pi);
    if (is_constant) return std::nullopt;
    return slot(symbols_.derivative(symbols_.add(name), order));
  }
  std::vector<std::string> all() const override { return {}; }

  std::vector<ex>& values() const { return values_; }

 private:
  std::optional<Meaning> slot(const ex& e) const {
    values_.push_back(e);
    return Meaning{std::nullopt, static_cast<int>(values_.size()) - 1};
  }
  const Model& model_;
  Symbols& symbols_;
  mutable std::vector<ex> values_;
};

// Where the text is at fault, shown with a caret.
[[noreturn]] void complain(const EquationText& e, const std::string& label, const std::string& what, std::size_t at) {
  const std::size_t from = at > 60 ? at - 60 : 0;
  throw InputError(e.source, label,
                   fmt::format("{}\n    {}\n    {:>{}}", what, e.text.substr(from, 120), '^', at - from + 1));
}

class EquationReader {
 public:
  explicit EquationReader(const Model& model) : model_(model) {}

  Dae read() {
    const EquationSet& set = *model_.equations;
    if (set.equations.size() > max_equations)
      throw InputError(
          set.source, "equations",
          fmt::format("{} equations are too many; at most {} are taken", set.equations.size(), max_equations));
    // Left sides first, so that the unknowns come in the order in which the equations define them.
    for (const EquationText& e : set.equations)
      if (const auto name = lone_name(e.text); !name.empty() && !model_.parameters.contains(name) && name != "t" &&
                                               name != "e" && name != "tau" && name != "pi" && name != "deg")
        dae_.symbols.add(name);
    int counts[2] = {};
    for (const EquationText& e : set.equations)
      dae_.equations.push_back(
          read(e, fmt::format("{} {}", e.is_algebraic ? "constraint" : "equation", ++counts[e.is_algebraic])));
    for (std::size_t i = 0; i < set.equations.size(); ++i)
      if (set.equations[i].is_algebraic) refuse_derivatives(set.equations[i], dae_.equations[i]);
    return std::move(dae_);
  }

 private:
  DaeEquation read(const EquationText& e, const std::string& label) {
    std::size_t equals = std::string::npos;
    for (std::size_t i = 0; i < e.text.size(); ++i) {
      if (e.text[i] != '=') continue;
      const char before = i > 0 ? e.text[i - 1] : ' ', after = i + 1 < e.text.size() ? e.text[i + 1] : ' ';
      if (before == '<' || before == '>') continue;
      if (before == '!' || before == '=' || after == '=')
        complain(e, label, "== and != hold at single instants, which say nothing; use <= or >=, and one '='", i);
      if (equals != std::string::npos) complain(e, label, "a second '='; an equation has one", i);
      equals = i;
    }
    if (equals == std::string::npos) complain(e, label, "'=' is missing: write left = right", e.text.size());
    DaeEquation result{e.text, label, {}, {}, e.source};
    result.left = side(e, label, 0, equals, result.in_time);
    result.right = side(e, label, equals + 1, e.text.size(), result.in_time);
    if (result.residual().is_zero()) complain(e, label, "both sides are the same; this says nothing", equals);
    return result;
  }

  // The name of "x'' = …", without its primes.
  static std::string lone_name(const std::string& text) {
    const std::string left = text.substr(0, text.find('='));
    const std::size_t from = left.find_first_not_of(" \t"), to = left.find_last_not_of(" \t'");
    if (from == std::string::npos || to == std::string::npos || to < from) return {};
    const std::string name = left.substr(from, to + 1 - from);
    return is_valid_name(name) && name.find('-') == std::string::npos ? name : std::string();
  }

  ex side(const EquationText& e, const std::string& label, std::size_t from, std::size_t to,
          std::vector<DaeEquation::InTime>& in_time) {
    const EquationNames names(model_, dae_.symbols);
    try {
      const Expression parsed = Expression::parse(std::string_view(e.text).substr(from, to - from), names);
      if (parsed.tape().size() > max_operations)
        complain(e, label, fmt::format("more than {} operations in one equation", max_operations), from);
      DaeEquation::InTime& timed = in_time.emplace_back();
      timed.expression = in_time_alone(parsed, names.values());
      return algebra_of(parsed, names.values(), &timed.sides);
    } catch (const ExpressionError& error) {
      complain(e, label, error.what(), from + error.position);
    } catch (const InputError&) {
      throw;
    } catch (const std::exception& error) {  // from names, from GiNaC (1/0)
      complain(e, label, error.what(), from);
    }
  }

  Expression in_time_alone(const Expression& parsed, const std::vector<ex>& values) const {
    std::vector<Expression::Instruction> tape = parsed.tape();
    for (Expression::Instruction& i : tape) {
      if (i.op != Expression::Op::slot) continue;
      const ex& value = values[static_cast<std::size_t>(i.slot)];
      const bool is_number = value.is_equal(GiNaC::Pi) || dae_.symbols.is_parameter(value);
      if (is_number)
        i = {Expression::Op::constant, 0, value.is_equal(GiNaC::Pi) ? std::numbers::pi : dae_.symbols.value(value)};
      else
        i.slot = value.is_equal(dae_.symbols.time()) ? time_slot : time_slot + 1;
    }
    return Expression::of(std::move(tape));
  }

  void refuse_derivatives(const EquationText& text, const DaeEquation& e) const {
    for (const ex& s : symbols_in(e.residual()))
      if (const auto p = dae_.symbols.place(s); p && p->order > 0)
        complain(text, e.label,
                 fmt::format("{} is a derivative; equations with derivatives belong to differential = […]",
                             dae_.symbols.name(*p)),
                 std::max<std::size_t>(text.text.find('\''), 1) - 1);
  }

  const Model& model_;
  Dae dae_;
};

std::string listed(const Dae& dae, const std::vector<int>& rows) {
  std::string text;
  for (int i : rows)
    text += fmt::format("\n    {}: {}", dae.equations[static_cast<std::size_t>(i)].label,
                        dae.equations[static_cast<std::size_t>(i)].text);
  return text;
}

std::string names_of(const Dae& dae, const std::vector<int>& columns) {
  std::vector<std::string> names;
  for (int j : columns) names.push_back(dae.symbols.name(j));
  return names.empty() ? std::string("none") : fmt::format("{}", fmt::join(names, ", "));
}

// A name that occurs in one equation only and resembles another may be a slip.
std::string slips(const Dae& dae, const Model& model, const Signature& s, const std::vector<int>& columns) {
  std::string text;
  for (int j : columns) {
    int occurrences = 0, order = 0;
    for (int i = 0; i < s.rows(); ++i) occurrences += s.has(i, j), order = std::max(order, s.at(i, j));
    std::vector<std::string> others;
    for (int k = 0; k < s.columns(); ++k)
      if (k != j) others.push_back(dae.symbols.name(k));
    for (const auto& [name, value] : model.parameters) others.push_back(name);
    const std::string hint = did_you_mean(dae.symbols.name(j), others);
    if (occurrences <= 1 && order == 0 && dae.symbols.name(j).size() > 2 && !hint.empty())
      text += fmt::format("\n  '{}' is taken for an unknown because it is no parameter{}", dae.symbols.name(j), hint);
  }
  return text;
}

void check_balance(const Dae& dae, const Model& model) {
  const Signature s = dae.signature();
  const Matching m = match(s);
  const Source& at = model.equations->source;
  const int equations = s.rows(), unknowns = s.columns();
  if (unknowns == 0) throw InputError(at, "equations", "there are no unknowns in the equations");
  const std::string counts = fmt::format("{} equation{} for {} unknown{} ({})", equations, equations == 1 ? "" : "s",
                                         unknowns, unknowns == 1 ? "" : "s",
                                         dae.symbols.unknowns() <= 30 ? names_of(dae,
                                                                                 [&] {
                                                                                   std::vector<int> all;
                                                                                   for (int j = 0; j < unknowns; ++j)
                                                                                     all.push_back(j);
                                                                                   return all;
                                                                                 }())
                                                                      : "…");
  if (m.size < unknowns && unknowns >= equations) {
    const Imbalance part = too_many_unknowns(s, m);
    throw InputError(
        at, "equations",
        fmt::format("{}: {}. The unknowns {} occur in {} equation{} only, {} too few:{}{}",
                    equations == unknowns ? "structurally singular" : "underdetermined", counts,
                    names_of(dae, part.columns), part.rows.size(), part.rows.size() == 1 ? "" : "s",
                    part.columns.size() - part.rows.size(), listed(dae, part.rows), slips(dae, model, s, part.columns)) +
            (equations == unknowns ? [&] {
              const Imbalance other = too_many_equations(s, m);
              return fmt::format("\n  while these {} equations contain only the unknowns {}:{}", other.rows.size(),
                                 names_of(dae, other.columns), listed(dae, other.rows));
            }()
                                   : std::string()));
  }
  if (m.size < equations) {
    const Imbalance part = too_many_equations(s, m);
    throw InputError(
        at, "equations",
        fmt::format("overdetermined: {}. These {} equations contain only {} unknown{} ({}); {} must go:{}", counts,
                    part.rows.size(), part.columns.size(), part.columns.size() == 1 ? "" : "s",
                    names_of(dae, part.columns), part.rows.size() - part.columns.size(), listed(dae, part.rows)));
  }
}

}  // namespace

Dae read_dae(const Model& model) {
  if (!model.equations) throw InputError(model.source, "", "the model has no [equations]");
  Dae dae = EquationReader(model).read();
  check_balance(dae, model);
  return dae;
}

}  // namespace plumb
