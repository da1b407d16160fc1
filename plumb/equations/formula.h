// An expression in an order that depends on nothing but itself. GiNaC keeps sums and products in an order that differs
// from run to run; everything that is printed or evaluated goes through this form, so that the same model gives the
// same text and the same bits.
#pragma once

#include <ginac/ginac.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plumb/equations/functions.h"

namespace plumb {

struct Formula;
using FormulaPtr = std::shared_ptr<const Formula>;

struct Formula {
  enum class Kind {
    number,    // number
    symbol,    // symbol
    sum,       // of parts
    product,   // number times parts; `below` counts the last of them, which stand in the denominator
    power,     // parts[0] to the parts[1]
    function,  // `applied` to parts
  };
  Kind kind = Kind::number;
  GiNaC::numeric number = 1;
  GiNaC::ex symbol;  // of a function the call itself
  AppliedFunction applied{};
  std::string name;  // of the symbol or function
  FormulaPtr side;   // of a function that is split: what decides about it
  std::vector<FormulaPtr> parts;
  std::size_t below = 0;

  std::string key;         // decides the order among equals: the beginning of the text
  std::uint64_t hash = 0;  // and, where that is the same, a number made of the structure
  int degree = 0;

  bool is_negative() const;  // a number below zero, or a product with one
};

class Formulas {
 public:
  FormulaPtr of(const GiNaC::ex& e);

 private:
  FormulaPtr make(const GiNaC::ex& e);
  FormulaPtr make_sum(const GiNaC::ex& e);
  FormulaPtr make_product(const GiNaC::ex& e);
  FormulaPtr power_of(const GiNaC::ex& base, const GiNaC::ex& exponent);
  // A sum as a number times a sum without a common factor whose first term is positive: inside products GiNaC leaves
  // open where the sign goes.
  std::pair<GiNaC::numeric, GiNaC::ex> primitive(const GiNaC::ex& sum);
  std::map<GiNaC::ex, FormulaPtr, GiNaC::ex_is_less> known_;
};

// How formulas are put into characters: one each for text, LaTeX, MathML and C.
class Script {
 public:
  virtual ~Script() = default;
  std::string write(const FormulaPtr& f) const { return part(f, Level::sum); }

 protected:
  enum class Level { sum, product, power, atom };  // what may stand there without parentheses

  virtual std::string number(const GiNaC::numeric& x) const = 0;
  virtual std::string symbol(const Formula& f) const = 0;
  virtual std::string function(const std::string& name, const std::vector<std::string>& arguments) const = 0;
  enum class Relation { less, less_equal, greater, greater_equal };
  virtual std::string relation(const std::string& a, Relation r, const std::string& b) const = 0;
  virtual std::string logic(bool is_and, const std::string& a, const std::string& b) const = 0;
  virtual std::string choice(const std::string& condition, const std::string& yes, const std::string& no) const = 0;
  virtual std::string power(const std::string& base, const std::string& exponent) const = 0;
  virtual std::string root(const std::string& of) const = 0;
  virtual std::string fraction(const std::vector<std::string>& above, const std::vector<std::string>& below) const = 0;
  virtual std::string product(const std::vector<std::string>& factors) const = 0;
  virtual std::string negative(const std::string& term) const = 0;
  struct Term {
    bool is_negative;
    std::string text;
    std::size_t length;  // as people see it
  };
  virtual std::string sum(const std::vector<Term>& terms) const = 0;
  virtual std::string parentheses(const std::string& inside) const = 0;
  virtual bool fraction_is_atom() const { return false; }  // a fraction bar groups by itself
  virtual bool exponent_is_free() const { return false; }  // an exponent needs no parentheses
  virtual int whole_powers() const { return 0; }           // up to which powers are written as products

  std::string part(const FormulaPtr& f, Level allowed) const;

 private:
  std::string whole_sum(const Formula& f) const;
  std::string unsigned_product(const Formula& f, Level& level) const;
  std::string unsigned_term(const FormulaPtr& f, Level& level) const;
  std::string applied(const FormulaPtr& term) const;
  std::string condition(const FormulaPtr& f) const;
};

// Numbers as people write them: 2, 1/3, 9.81.
bool is_short_fraction(const GiNaC::numeric& x);
std::string decimal(double x);

}  // namespace plumb
