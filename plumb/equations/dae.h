// The text of a model's [equations] as algebra: f_i(t, x, x', x'', …) = 0 with every derivative a symbol of its own.
// Names that are neither parameters nor t nor known constants are the unknowns.
#pragma once

#include <ginac/ginac.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plumb/equations/structure.h"
#include "plumb/expression/expression.h"
#include "plumb/model/model.h"

namespace plumb {

// Symbols by what they stand for.
class Symbols {
 public:
  struct Place {
    int unknown = -1;
    int order = 0;
  };

  int unknowns() const { return static_cast<int>(names_.size()); }
  const std::string& name(int unknown) const { return names_[static_cast<std::size_t>(unknown)]; }
  std::string name(const Place& p) const {
    return name(p.unknown) + std::string(static_cast<std::size_t>(p.order), '\'');
  }
  std::optional<int> find(const std::string& unknown) const;
  std::optional<Place> find_place(std::string name) const;  // x'' is unknown x, order 2
  int add(const std::string& unknown);

  const GiNaC::symbol& derivative(int unknown, int order);
  std::optional<Place> place(const GiNaC::ex& symbol) const;  // empty: not an unknown

  const GiNaC::symbol& time() const { return time_; }
  const GiNaC::symbol& parameter(const std::string& name, double value);
  // In the order in which the equations name them.
  const std::vector<std::pair<std::string, GiNaC::symbol>>& parameters() const { return parameters_; }
  double value(const GiNaC::ex& parameter) const { return values_.at(parameter); }
  bool is_parameter(const GiNaC::ex& s) const { return values_.contains(s); }

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<GiNaC::symbol>> derivatives_;
  std::map<GiNaC::ex, Place, GiNaC::ex_is_less> places_;
  GiNaC::symbol time_{"t"};
  std::vector<std::pair<std::string, GiNaC::symbol>> parameters_;
  std::map<GiNaC::ex, double, GiNaC::ex_is_less> values_;
};

struct DaeEquation {
  std::string text;
  std::string label;  // "equation 3", "constraint 1"
  GiNaC::ex left, right;
  Source source{};
  // Both sides in t (slot 0), numbers, and unknowns (any other slot), for seeing what depends on time alone; and the
  // sides (equations/functions.h) of their switches, by number.
  struct InTime {
    Expression expression;
    std::vector<GiNaC::ex> sides;
  };
  std::vector<InTime> in_time{};

  GiNaC::ex residual() const { return left - right; }
};

struct Dae {
  Symbols symbols;
  std::vector<DaeEquation> equations;

  Signature signature() const;
};

// Throws InputError: syntax (with a caret), primes in the wrong place, limits exceeded, numbers of equations and
// unknowns that differ, parts of the system that can never be solved.
Dae read_dae(const Model& model);

// Every symbol that occurs in an expression.
std::vector<GiNaC::ex> symbols_in(const GiNaC::ex& e);

inline constexpr int max_equations = 1000;
inline constexpr int max_operations = 20000;  // in one equation
inline constexpr int max_derivative = 9;      // primes on a name

}  // namespace plumb
