// Arithmetic written as text: "2 - cos(pi/3)", "30 deg", "-k*bob.x - c*bob.vx".
//
// Text is parsed once into a flat tape for a stack machine; evaluating walks the tape and allocates nothing.
// The same tape runs on plain numbers and on jets, which give the time derivatives a driven joint needs.
//
// Grammar, loosest first:  c ? a : b,  ||,  &&,  < <= > >= == !=,  + -,  * /,  unary - !,  ^ (to the right),
// the suffix deg, calls f(a, b), names with dots, numbers, parentheses. Names may end in primes (x'').
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/expression/jet.h"

namespace plumb {

// What a name stands for: a fixed number, or slot number `slot` of the values given at evaluation.
struct Meaning {
  std::optional<double> constant;
  int slot = -1;
};

// The names an expression may use. Names may hold letters, digits, '_', '.', and '-' where the longest
// text that is a known name wins ("a-b.x" is the channel of body "a-b" if there is one).
class Names {
 public:
  virtual ~Names() = default;
  virtual std::optional<Meaning> find(std::string_view name) const = 0;
  virtual std::vector<std::string> all() const = 0;
};

class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(const std::string& message, std::size_t at) : std::runtime_error(message), position(at) {}
  std::size_t position;  // offset into the text
};

class Expression {
 public:
  Expression() : Expression(0.0) {}
  explicit Expression(double constant);
  static Expression parse(std::string_view text, const Names& names);

  bool is_constant() const { return tape_.size() == 1 && tape_[0].op == Op::constant; }
  double constant() const { return tape_[0].value; }
  bool uses(int slot) const;

  double evaluate(const double* slots) const;
  // The value and its time derivatives when slot `time` is time and nothing else varies.
  Jet evaluate_in_time(double t) const;
  // The same when every slot varies with time in a known way.
  Jet evaluate_jets(const Jet* slots) const;

  enum class Op : std::uint8_t {
    constant,
    slot,
    add,
    subtract,
    multiply,
    divide,
    power,
    negate,
    less,
    less_equal,
    equal,
    not_equal,
    logical_and,
    logical_or,
    logical_not,
    select,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    sinh,
    cosh,
    tanh,
    exp,
    log,
    log10,
    sqrt,
    abs,
    sign,
    floor,
    ceil,
    atan2,
    hypot,
    min,
    max,
    mod
  };
  struct Instruction {
    Op op;
    int slot = 0;
    double value = 0;
  };
  static constexpr int max_depth = 64;  // of the evaluation stack, and of nesting in the text

 private:
  template <class T, class Load>
  T run(const Load& load) const;

  std::vector<Instruction> tape_;
  friend class ExpressionParser;

 public:
  // In the order of evaluation, for those who translate an expression into something else.
  const std::vector<Instruction>& tape() const { return tape_; }
};

// The slot that holds time in every expression of a model.
inline constexpr int time_slot = 0;

}  // namespace plumb
