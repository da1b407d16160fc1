#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "plumb/equations/tape.h"

namespace plumb {

using GiNaC::ex;
using Kind = Formula::Kind;

int TapeBuilder::make(Node n) {
  const std::vector<std::int64_t> key = {
      static_cast<std::int64_t>(n.kind),   static_cast<std::int64_t>(n.op), n.a, n.b, n.c,
      std::bit_cast<std::int64_t>(n.value)};
  // Inputs and unknowns are different from everything, also from each other.
  if (n.kind == Node::Kind::constant || n.kind == Node::Kind::operation)
    if (const auto at = known_.find(key); at != known_.end()) return at->second;
  nodes_.push_back(n);
  const int index = static_cast<int>(nodes_.size()) - 1;
  if (n.kind == Node::Kind::constant || n.kind == Node::Kind::operation) known_[key] = index;
  return index;
}

int TapeBuilder::constant_node(double value) {
  Node n;
  n.value = value;
  return make(n);
}

int TapeBuilder::operation(Op op, int a, int b, int c) {
  const auto is_constant = [&](int i) {
    return i < 0 || nodes_[static_cast<std::size_t>(i)].kind == Node::Kind::constant;
  };
  const auto value = [&](int i) { return i < 0 ? 0 : nodes_[static_cast<std::size_t>(i)].value; };
  if (op == Op::select && is_constant(a)) return value(a) != 0 ? b : c;
  if (is_constant(a) && is_constant(b) && op != Op::select && op != Op::mode) {  // done now
    const double x = value(a), y = value(b);
    switch (op) {
      case Op::add: return constant_node(x + y);
      case Op::subtract: return constant_node(x - y);
      case Op::multiply: return constant_node(x * y);
      case Op::divide: return constant_node(x / y);
      case Op::negate: return constant_node(-x);
      case Op::square_root: return constant_node(std::sqrt(x));
      case Op::power: return constant_node(std::pow(x, y));
      case Op::function: return constant_node(Tape::apply(c, x, y));
      default: break;
    }
  }
  if (op == Op::multiply && is_constant(a) && value(a) == 1) return b;
  if (op == Op::multiply && is_constant(b) && value(b) == 1) return a;
  if (op == Op::divide && is_constant(b)) return operation(Op::multiply, constant_node(1 / value(b)), a);
  if ((op == Op::add || op == Op::subtract) && is_constant(b) && value(b) == 0) return a;
  if (op == Op::add && is_constant(a) && value(a) == 0) return b;
  if ((op == Op::add || op == Op::multiply) && a > b) std::swap(a, b);
  Node n;
  n.kind = Node::Kind::operation;
  n.op = op;
  n.a = a, n.b = b, n.c = c;
  n.depth = 1 + std::max({depth(a), depth(b), op == Op::select ? depth(c) : 0});
  return make(n);
}

void TapeBuilder::input(const ex& symbol) {
  Node n;
  n.kind = Node::Kind::input;
  n.value = static_cast<double>(inputs_.size());
  inputs_.push_back(make(n));
  symbols_[symbol] = inputs_.back();
}

void TapeBuilder::constant(const ex& symbol, double value) { symbols_[symbol] = constant_node(value); }

void TapeBuilder::bind(const ex& symbol, const ex& value) { symbols_[symbol] = node_of(value); }

int TapeBuilder::plain(Signed s) { return s.negative ? operation(Op::negate, s.node) : s.node; }

int TapeBuilder::node_of(const ex& e) { return plain(build(formulas_.of(e))); }

TapeBuilder::Signed TapeBuilder::build(const FormulaPtr& f) {
  if (const auto at = built_.find(f.get()); at != built_.end()) return at->second;
  Signed result{-1, false};
  switch (f->kind) {
    case Kind::number: {
      const double x = f->number.to_double();
      result = {constant_node(std::abs(x)), x < 0};
      break;
    }
    case Kind::symbol:
      if (f->name == "pi" && GiNaC::is_a<GiNaC::constant>(f->symbol))
        result = {constant_node(std::numbers::pi), false};
      else
        result = {symbols_.at(f->symbol), false};
      break;
    case Kind::sum: result = build_sum(*f); break;
    case Kind::product: result = build_product(*f); break;
    case Kind::power: result = build_power(*f); break;
    case Kind::function:
      result = f->applied.kind == AppliedFunction::Kind::side ? Signed{build_mode(f), false} : build_function(*f);
      break;
  }
  built_[f.get()] = result;
  kept_.push_back(f);
  return result;
}

TapeBuilder::Signed TapeBuilder::build_function(const Formula& f) {
  using Applied = AppliedFunction::Kind;
  const auto argument = [&](std::size_t i) { return i < f.parts.size() ? plain(build(f.parts[i])) : -1; };
  const int a = argument(0), b = argument(1);
  switch (f.applied.kind) {
    case Applied::choice: return {operation(Op::select, a, b, argument(2)), false};
    case Applied::logic:  // zeros and ones
      if (f.name == "and") return {operation(Op::multiply, a, b), false};
      if (f.name == "not") return {operation(Op::subtract, constant_node(1), a), false};
      return {operation(Op::select, a, constant_node(1), b), false};
    case Applied::split: {
      const int mode = build_mode(f.side);
      switch (f.applied.switching) {
        case Switch::abs: return {operation(Op::multiply, mode, a), false};
        case Switch::mod: return {operation(Op::subtract, a, operation(Op::multiply, mode, b)), false};
        default: return {operation(Op::select, mode, b, a), false};
      }
    }
    default: return {operation(Op::function, a, b, static_cast<int>(f.applied.op)), false};
  }
}

void TapeBuilder::declare_switches(const std::vector<SwitchPoint>& switches) {
  for (const SwitchPoint& s : switches) {
    const FormulaPtr side = formulas_.of(s.side);
    switch_numbers_[side.get()] = static_cast<int>(tape_.kinds_.size());
    tape_.kinds_.push_back(side->applied.switching);
    kept_.push_back(side);
  }
}

int TapeBuilder::build_mode(const FormulaPtr& side) {
  const int a = plain(build(side->parts[0])), b = side->parts.size() > 1 ? plain(build(side->parts[1])) : -1;
  return operation(Op::mode, a, b, switch_numbers_.at(side.get()));
}

TapeBuilder::Scaled TapeBuilder::scaled(const FormulaPtr& f) {
  if (f->kind == Kind::product) return scaled_product(*f);
  const Signed s = build(f);
  const Node& n = nodes_[static_cast<std::size_t>(s.node)];
  if (n.kind != Node::Kind::constant) return {1, s.node, s.negative};
  return {std::abs(n.value), -1, s.negative != (n.value < 0)};
}

// Terms with the same factor share it.
TapeBuilder::Signed TapeBuilder::build_sum(const Formula& f) {
  double constant = 0;
  std::vector<std::pair<double, std::vector<Signed>>> groups;
  for (const FormulaPtr& p : f.parts) {
    const Scaled s = scaled(p);
    if (s.node < 0) {
      constant += s.negative ? -s.factor : s.factor;
      continue;
    }
    auto group = std::ranges::find(groups, s.factor, &std::pair<double, std::vector<Signed>>::first);
    if (group == groups.end()) group = groups.insert(groups.end(), {s.factor, {}});
    group->second.push_back({s.node, s.negative});
  }
  std::vector<Signed> terms;
  for (const auto& [factor, members] : groups) {
    if (factor == 1) {
      terms.insert(terms.end(), members.begin(), members.end());
      continue;
    }
    const Signed sum = add_up(members);
    terms.push_back({operation(Op::multiply, constant_node(factor), sum.node), sum.negative});
  }
  if (constant != 0 || terms.empty()) terms.push_back({constant_node(std::abs(constant)), constant < 0});
  return add_up(terms);
}

// What is ready first is added first, so that what comes late is waited for once.
TapeBuilder::Signed TapeBuilder::add_up(std::vector<Signed> terms) {
  std::ranges::stable_sort(terms, {}, [&](const Signed& s) { return depth(s.node); });
  Signed sum = terms[0];
  for (std::size_t i = 1; i < terms.size(); ++i) {
    const Signed& t = terms[i];
    if (t.negative == sum.negative)
      sum.node = operation(Op::add, sum.node, t.node);
    else
      sum = {t.negative ? operation(Op::subtract, sum.node, t.node) : operation(Op::subtract, t.node, sum.node), false};
  }
  return sum;
}

int TapeBuilder::multiply(std::vector<int> factors) {
  std::ranges::stable_sort(factors, {}, [&](int i) { return depth(i); });
  int product = -1;
  for (int f : factors) product = product < 0 ? f : operation(Op::multiply, product, f);
  return product;
}

TapeBuilder::Scaled TapeBuilder::scaled_product(const Formula& f) {
  const double x = f.number.to_double();
  bool negative = x < 0;
  double constant = std::abs(x);
  std::vector<int> sides[2];
  const std::size_t tops = f.parts.size() - f.below;
  for (std::size_t i = 0; i < f.parts.size(); ++i) {
    const Signed s = build(f.parts[i]);
    negative = negative != s.negative;
    const Node& n = nodes_[static_cast<std::size_t>(s.node)];
    if (n.kind == Node::Kind::constant) {
      constant = i < tops ? constant * n.value : constant / n.value;
      continue;
    }
    sides[i < tops ? 0 : 1].push_back(s.node);
  }
  const int above = multiply(sides[0]), below = multiply(sides[1]);
  if (constant < 0) negative = !negative, constant = -constant;
  if (below < 0) return {constant, above, negative};
  // A number above a fraction bar is divided with the rest.
  if (above < 0) return {1, operation(Op::divide, constant_node(constant), below), negative};
  return {constant, operation(Op::divide, above, below), negative};
}

TapeBuilder::Signed TapeBuilder::build_product(const Formula& f) {
  const Scaled s = scaled_product(f);
  if (s.node < 0) return {constant_node(s.factor), s.negative};
  return {s.factor == 1 ? s.node : operation(Op::multiply, constant_node(s.factor), s.node), s.negative};
}

int TapeBuilder::whole_power(int base, int exponent) {
  if (exponent == 1) return base;
  const int half = whole_power(base, exponent / 2);
  const int square = operation(Op::multiply, half, half);
  return exponent % 2 == 0 ? square : operation(Op::multiply, square, base);
}

TapeBuilder::Signed TapeBuilder::build_power(const Formula& f) {
  const int base = plain(build(f.parts[0]));
  if (f.parts[1]->kind == Kind::number) {
    const GiNaC::numeric e = f.parts[1]->number;
    if (e.is_integer() && e > 0 && e <= 64) return {whole_power(base, e.to_int()), false};
    if (e == GiNaC::numeric(1, 2)) return {operation(Op::square_root, base), false};
    if (e == GiNaC::numeric(3, 2)) return {operation(Op::multiply, base, operation(Op::square_root, base)), false};
  }
  return {operation(Op::power, base, plain(build(f.parts[1]))), false};
}

void TapeBuilder::system(const std::vector<ex>& unknowns, const std::vector<std::vector<ex>>& matrix,
                         const std::vector<ex>& right, bool is_linear) {
  Pending p;
  p.is_linear = is_linear;
  const auto declare = [&] {
    for (const ex& u : unknowns) {
      Node n;
      n.kind = Node::Kind::unknown;
      n.system = static_cast<int>(systems_.size());
      p.unknowns.push_back(make(n));
      symbols_[u] = p.unknowns.back();
    }
  };
  if (!is_linear) declare();  // their equations contain them
  for (const auto& row : matrix)
    for (const ex& e : row) p.matrix.push_back(node_of(e));
  for (const ex& e : right) p.right.push_back(node_of(e));
  if (is_linear) declare();
  systems_.push_back(p);
}

void TapeBuilder::output(const ex& e) { outputs_.push_back(node_of(e)); }

void TapeBuilder::output_up_to_sign(const ex& e) { outputs_.push_back(build(formulas_.of(e)).node); }

// How often a result is needed: what is needed once may be fused with its user.
void TapeBuilder::count_uses(int start) {
  std::vector<int> open = {start};
  while (!open.empty()) {
    Node& n = nodes_[static_cast<std::size_t>(open.back())];
    open.pop_back();
    if (n.uses++ > 0 || n.kind != Node::Kind::operation) continue;
    open.push_back(n.a);
    if (n.b >= 0) open.push_back(n.b);
    if (n.op == Op::select) open.push_back(n.c);
  }
}

std::pair<int, int> TapeBuilder::factors(int index) const {
  const Node& n = nodes_[static_cast<std::size_t>(index)];
  const bool is_apart = n.kind == Node::Kind::operation && n.op == Op::multiply && n.uses == 1 && n.reg < 0;
  return is_apart ? std::pair(n.a, n.b) : std::pair(index, one_);
}

// To the run of products at the end of the list, if there is one.
void TapeBuilder::add_product(Tape::Product p) {
  std::vector<Tape::Instruction>& list = tape_.instructions_;
  if (!run_is_open_) list.push_back({Tape::Op::products, 0, static_cast<int>(tape_.products_.size()), 0, 0});
  run_is_open_ = true;
  ++list.back().b;
  tape_.products_.push_back(p);
}

// Depth first, without recursion: operands before their users.
void TapeBuilder::emit(int start) {
  std::vector<std::pair<int, bool>> open = {{start, false}};
  const auto node = [&](int i) -> Node& { return nodes_[static_cast<std::size_t>(i)]; };
  while (!open.empty()) {
    const auto [index, ready] = open.back();
    open.pop_back();
    Node& n = node(index);
    if (n.reg >= 0) continue;
    if (n.kind == Node::Kind::unknown) {
      emit_system(n.system);
      continue;
    }
    // What is computed here: a b + sign c d, or an operation on a and b.
    std::array<int, 4> needs = {n.a, n.b, n.op == Op::select ? n.c : -1, -1};
    double sign = 1;
    const bool is_product = n.op == Op::add || n.op == Op::subtract || n.op == Op::multiply || n.op == Op::negate;
    if (is_product) {
      const std::pair<int, int> nothing = {zero_, zero_};
      const std::pair<int, int> first = n.op == Op::negate     ? nothing
                                        : n.op == Op::multiply ? std::pair(n.a, n.b)
                                                               : factors(n.a);
      std::pair<int, int> second = n.op == Op::multiply ? nothing : factors(n.op == Op::negate ? n.a : n.b);
      // The sign goes to the factor that is ready first.
      if (depth(second.first) > depth(second.second) || second.second == one_) std::swap(second.first, second.second);
      if (n.op == Op::subtract || n.op == Op::negate) sign = -1;
      needs = {first.first, first.second, second.first, second.second};
    }
    if (!ready) {
      open.emplace_back(index, true);
      for (auto i = needs.rbegin(); i != needs.rend(); ++i)
        if (*i >= 0 && node(*i).reg < 0) open.emplace_back(*i, false);
      continue;
    }
    const auto reg = [&](int i) { return i >= 0 ? node(i).reg : -1; };
    n.reg = temporary();
    if (is_product) {
      add_product({n.reg, reg(needs[0]), reg(needs[1]), reg(needs[2]), reg(needs[3]), sign});
      continue;
    }
    const Tape::Op op = n.op == Op::divide        ? Tape::Op::divide
                        : n.op == Op::square_root ? Tape::Op::square_root
                        : n.op == Op::power       ? Tape::Op::power
                        : n.op == Op::mode        ? Tape::Op::mode
                        : n.op == Op::select      ? Tape::Op::select
                                                  : Tape::Op::function;
    tape_.instructions_.push_back({op, n.reg, reg(n.a), reg(n.b), n.op == Op::select ? reg(n.c) : n.c});
    run_is_open_ = false;
  }
}

void TapeBuilder::emit_system(int index) {
  Pending& p = systems_[static_cast<std::size_t>(index)];
  if (p.done) return;
  p.done = true;
  // A linear system's registers are written by its solution; a nonlinear one reads them before.
  for (int u : p.unknowns) nodes_[static_cast<std::size_t>(u)].reg = temporary();
  run_is_open_ = false;
  const int begin = static_cast<int>(tape_.instructions_.size());
  Tape::System s;
  s.n = static_cast<int>(p.right.size());
  s.is_linear = p.is_linear;
  for (int i : p.matrix) emit(i), s.matrix.push_back(nodes_[static_cast<std::size_t>(i)].reg);
  for (int i : p.right) emit(i), s.right.push_back(nodes_[static_cast<std::size_t>(i)].reg);
  for (int u : p.unknowns) s.unknowns.push_back(nodes_[static_cast<std::size_t>(u)].reg);
  s.work.resize(static_cast<std::size_t>(s.n * s.n));
  s.x.resize(static_cast<std::size_t>(s.n));
  tape_.systems_.push_back(s);
  const int number = static_cast<int>(tape_.systems_.size()) - 1;
  tape_.instructions_.push_back({p.is_linear ? Tape::Op::linear : Tape::Op::newton, 0, number, begin, 0});
  run_is_open_ = false;
}

Tape TapeBuilder::finish() {
  for (int o : outputs_) count_uses(o);
  for (const Pending& p : systems_) {
    for (int i : p.matrix) count_uses(i), ++nodes_[static_cast<std::size_t>(i)].uses;
    for (int i : p.right) count_uses(i), ++nodes_[static_cast<std::size_t>(i)].uses;
  }
  for (int o : outputs_) ++nodes_[static_cast<std::size_t>(o)].uses;  // an output is needed by itself
  zero_ = constant_node(0), one_ = constant_node(1);
  for (int i : {zero_, one_}) ++nodes_[static_cast<std::size_t>(i)].uses;
  std::vector<double> values;
  for (Node& n : nodes_)
    if (n.kind == Node::Kind::constant && n.uses > 0) n.reg = temporary(), values.push_back(n.value);
  tape_.first_input_ = next_register_;
  for (int i : inputs_) nodes_[static_cast<std::size_t>(i)].reg = temporary();
  for (std::size_t i = 0; i < systems_.size(); ++i) emit_system(static_cast<int>(i));
  for (int o : outputs_) {
    emit(o);
    tape_.outputs_.push_back(nodes_[static_cast<std::size_t>(o)].reg);
  }
  tape_.instructions_.push_back({Tape::Op::end, 0, 0, 0, 0});
  tape_.registers_.assign(static_cast<std::size_t>(next_register_), 0);
  std::ranges::copy(values, tape_.registers_.begin());
  return std::move(tape_);
}

}  // namespace plumb
