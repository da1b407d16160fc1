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

#include "plumb/expression/interval.h"
#include "plumb/expression/jet.h"
#include "plumb/expression/rounded.h"
#include "plumb/expression/switching.h"

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
  struct Instruction;
  // From instructions in the order of evaluation; its switches are numbered anew.
  static Expression of(std::vector<Instruction> tape);

  bool is_constant() const { return tape_.size() == 1 && tape_[0].op == Op::constant; }
  double constant() const { return tape_[0].value; }
  bool uses(int slot) const;

  // With `modes`, one for each of its switches, these are held (expression/switching.h); without, everything is as it
  // is.
  double evaluate(const double* slots, const double* modes = nullptr) const;
  // The value and its time derivatives when slot `time` is time and nothing else varies.
  Jet evaluate_in_time(double t, const double* modes = nullptr) const;
  // The same when every slot varies with time in a known way.
  Jet evaluate_jets(const Jet* slots, const double* modes = nullptr) const;
  // All values, first and second rates while time runs through an interval; of an expression of time alone.
  BasicJet<Interval> evaluate_over(const Interval& t, const double* modes) const;
  Interval values_over(const Interval& t) const;

  int switches() const { return switches_; }
  // The modes that are live at these values.
  void live_modes(const double* slots, double* modes) const;
  // The indicators of all switches, with modes held.
  void indicators(const double* slots, const double* modes, double* z) const;
  // Modes beyond the switches `passed`.
  void change_mode(const double* slots, int passed, double* modes) const;
  // The value with a bound of its rounding error, from slots with theirs.
  Rounded evaluate_rounded(const Rounded* slots) const;

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
    int slot = 0;  // of a value; of an operation that switches: its number among these
    double value = 0;
  };
  static int arguments_of(Op op);
  static bool is_switch(Op op);
  static Switch switch_of(Op op);
  static constexpr int max_depth = 64;  // of the evaluation stack, and of nesting in the text

 private:
  // `switched(instruction, a, b)` gives the value of an operation that switches.
  template <class T, class Load, class Switched>
  T run(const Load& load, const Switched& switched) const;

  std::vector<Instruction> tape_;
  int switches_ = 0;
  friend class ExpressionParser;

 public:
  // In the order of evaluation, for those who translate an expression into something else.
  const std::vector<Instruction>& tape() const { return tape_; }
};

// The slot that holds time in every expression of a model.
inline constexpr int time_slot = 0;

}  // namespace plumb
