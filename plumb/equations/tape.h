// Expressions compiled into a list of operations on registers, shared subexpressions computed once. Evaluating walks
// the list: no allocation, no tree. Linear and nonlinear systems of equations inside the expressions are solved where
// their solution is first needed, by elimination with pivoting, so that no choice of pivots made beforehand can become
// singular.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "plumb/equations/formula.h"
#include "plumb/equations/reduction.h"

namespace plumb {

class Tape {
 public:
  enum class Op : std::uint8_t {
    products,  // a run of `b` products, the first is number `a`
    divide,
    square_root,
    power,
    function,  // `c` is the Expression::Op
    mode,      // of switch `c`, with arguments a and b
    select,    // a decides between b and c
    linear,    // solve system `a`
    newton,    // a step of Newton's method for system `a`; back to instruction `b` until it stands still
    end
  };
  struct Instruction {
    Op op;
    std::int32_t to, a, b, c;
  };
  // a b + sign c d: sums, differences and products in one, so that a run of them needs no decisions. What is absent is
  // a factor 1 or a product 0 0, which change no digit.
  struct Product {
    std::int32_t to, a, b, c, d;
    double sign;
  };
  // sum_j matrix_ij x_j = right_i, or a step x -= matrix^-1 right of Newton's method
  struct System {
    int n = 0;
    bool is_linear = true;
    std::vector<int> matrix, right, unknowns;  // registers
    std::vector<double> work, x;
    int iterations = 0;
    double last_change = 0;
  };

  // Registers of the inputs follow each other from `first_input()`, in the order in which they were declared.
  double* inputs() { return registers_.data() + first_input_; }
  void run();
  double output(std::size_t i) const { return registers_[static_cast<std::size_t>(outputs_[i])]; }
  std::size_t outputs() const { return outputs_.size(); }
  double register_value(int r) const { return registers_[static_cast<std::size_t>(r)]; }
  void set_register(int r, double value) { registers_[static_cast<std::size_t>(r)] = value; }

  // The modes of switches, by the numbers they were declared with, are held if they are given, else as they are live.
  void hold(const double* modes) { held_ = modes; }
  Switch switch_kind(int number) const { return kinds_[static_cast<std::size_t>(number)]; }

  std::size_t operations() const;
  const std::vector<System>& systems() const { return systems_; }

  // Since the last call of `forget_faults`: the system that could not be solved, or -1; and in it the unknown.
  int singular_system() const { return singular_system_; }
  int singular_unknown() const { return singular_unknown_; }
  void forget_faults() { singular_system_ = -1; }
  double smallest_pivot() const { return smallest_pivot_; }  // of the last run, relative to its row

 private:
  friend class TapeBuilder;
  static double apply(std::int32_t function, double a, double b);
  void solve(System& s);
  bool iterate(System& s);  // true: once more

  std::vector<double> registers_;
  std::vector<Instruction> instructions_;  // the last is `end`
  std::vector<Product> products_;
  std::vector<System> systems_;
  std::vector<int> outputs_;
  std::vector<Switch> kinds_;  // of switches
  const double* held_ = nullptr;
  int first_input_ = 0;
  int singular_system_ = -1, singular_unknown_ = -1;
  double smallest_pivot_ = 1;
};

class TapeBuilder {
 public:
  // Everything that switches; to be called first.
  void declare_switches(const std::vector<SwitchPoint>& switches);
  // A symbol whose value is given at each evaluation, or once and for all.
  void input(const GiNaC::ex& symbol);
  void constant(const GiNaC::ex& symbol, double value);
  // From now on `symbol` stands for an expression.
  void bind(const GiNaC::ex& symbol, const GiNaC::ex& value);
  // From now on `unknowns` stand for the solution of matrix x = right (linear), or of right(x) = 0 with Jacobian
  // matrix.
  void system(const std::vector<GiNaC::ex>& unknowns, const std::vector<std::vector<GiNaC::ex>>& matrix,
              const std::vector<GiNaC::ex>& right, bool is_linear);
  void output(const GiNaC::ex& e);
  void output_up_to_sign(const GiNaC::ex& e);

  Tape finish();

 private:
  enum class Op : std::uint8_t {
    add,
    subtract,
    multiply,
    negate,
    divide,
    square_root,
    power,
    function,  // `c` says which
    mode,      // of switch `c`
    select     // a decides between b and c
  };
  struct Node {
    enum class Kind : std::uint8_t { constant, input, unknown, operation } kind = Kind::constant;
    Op op = Op::add;
    int a = -1, b = -1, c = -1;
    double value = 0;
    int system = -1;  // of an unknown
    int uses = 0;
    int reg = -1;
    int depth = 0;  // operations that must be done before, one after the other
  };
  struct Signed {
    int node;
    bool negative;
  };
  struct Pending {
    std::vector<int> matrix, right, unknowns;
    bool is_linear = true;
    bool done = false;
  };

  int node_of(const GiNaC::ex& e);  // with its sign
  Signed build(const FormulaPtr& f);
  Signed build_sum(const Formula& f);
  Signed build_product(const Formula& f);
  // A term as a constant above zero times the rest.
  struct Scaled {
    double factor;
    int node;  // -1: nothing but the factor
    bool negative;
  };
  Scaled scaled(const FormulaPtr& f);
  Scaled scaled_product(const Formula& f);
  Signed build_power(const Formula& f);
  Signed add_up(std::vector<Signed> terms);
  int multiply(std::vector<int> factors);  // -1: there are none
  int depth(int node) const { return node < 0 ? 0 : nodes_[static_cast<std::size_t>(node)].depth; }
  int whole_power(int base, int exponent);
  Signed build_function(const Formula& f);
  int build_mode(const FormulaPtr& side);
  int plain(Signed s);  // negated if need be
  int make(Node n);
  int constant_node(double value);
  int operation(Op op, int a, int b = -1, int c = -1);
  void count_uses(int node);
  void emit(int node);
  void emit_system(int system);
  // A node as a product of two, of which the second may be 1; products needed nowhere else are taken apart.
  std::pair<int, int> factors(int node) const;
  void add_product(Tape::Product p);
  int temporary() { return next_register_++; }

  Formulas formulas_;
  std::vector<Node> nodes_;
  std::map<std::vector<std::int64_t>, int> known_;
  std::map<GiNaC::ex, int, GiNaC::ex_is_less> symbols_;
  std::map<const Formula*, Signed> built_;
  std::map<const Formula*, int> switch_numbers_;
  std::vector<FormulaPtr> kept_;
  std::vector<Pending> systems_;
  std::vector<int> inputs_, outputs_;
  Tape tape_;
  int next_register_ = 0;
  int zero_ = -1, one_ = -1;
  bool run_is_open_ = false;  // of products
};

}  // namespace plumb
