#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "plumb/equations/tape.h"

namespace plumb {

using GiNaC::ex;
using Op = Tape::Op;
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
  if (is_constant(a) && is_constant(b)) {  // done now
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
    case Kind::function: {
      const int a = plain(build(f->parts[0])), b = f->parts.size() > 1 ? plain(build(f->parts[1])) : -1;
      result = {operation(Op::function, a, b, static_cast<int>(f->op)), false};
      break;
    }
  }
  built_[f.get()] = result;
  kept_.push_back(f);
  return result;
}

TapeBuilder::Scaled TapeBuilder::scaled(const FormulaPtr& f) {
  if (f->kind == Kind::product) return scaled_product(*f);
  const Signed s = build(f);
  const Node& n = nodes_[static_cast<std::size_t>(s.node)];
  if (n.kind != Node::Kind::constant) return {1, s.node, s.negative};
  return {std::abs(n.value), -1, s.negative != (n.value < 0)};
}

// Terms with the same factor share it; constants come last, and a positive term first.
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
  if (constant != 0 || terms.empty()) {
    // Among negative terms the constant takes its sign along and comes first.
    const bool alone = std::ranges::all_of(terms, [](const Signed& s) { return s.negative; });
    terms.push_back({constant_node(alone ? constant : std::abs(constant)), !alone && constant < 0});
  }
  return add_up(terms);
}

TapeBuilder::Signed TapeBuilder::add_up(std::vector<Signed> terms) {
  const auto first = std::ranges::find_if(terms, [](const Signed& s) { return !s.negative; });
  const bool all_negative = first == terms.end();
  if (!all_negative) std::rotate(terms.begin(), first, first + 1);
  int sum = terms[0].node;
  for (std::size_t i = 1; i < terms.size(); ++i)
    sum = operation(terms[i].negative && !all_negative ? Op::subtract : Op::add, sum, terms[i].node);
  return {sum, all_negative};
}

TapeBuilder::Scaled TapeBuilder::scaled_product(const Formula& f) {
  const double x = f.number.to_double();
  bool negative = x < 0;
  double constant = std::abs(x);
  int above = -1, below = -1;
  const std::size_t tops = f.parts.size() - f.below;
  for (std::size_t i = 0; i < f.parts.size(); ++i) {
    const Signed s = build(f.parts[i]);
    negative = negative != s.negative;
    const Node& n = nodes_[static_cast<std::size_t>(s.node)];
    if (n.kind == Node::Kind::constant) {
      constant = i < tops ? constant * n.value : constant / n.value;
      continue;
    }
    int& side = i < tops ? above : below;
    side = side < 0 ? s.node : operation(Op::multiply, side, s.node);
  }
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
  }
}

// Depth first, without recursion: operands before their users.
void TapeBuilder::emit(int start) {
  std::vector<std::pair<int, bool>> open = {{start, false}};
  const auto node = [&](int i) -> Node& { return nodes_[static_cast<std::size_t>(i)]; };
  const auto fused = [&](int i) {
    const Node& n = node(i);
    return n.kind == Node::Kind::operation && n.op == Op::multiply && n.uses == 1 && n.reg < 0;
  };
  while (!open.empty()) {
    const auto [index, ready] = open.back();
    open.pop_back();
    Node& n = node(index);
    if (n.reg >= 0) continue;
    if (n.kind == Node::Kind::unknown) {
      emit_system(n.system);
      continue;
    }
    const bool sum = n.op == Op::add || n.op == Op::subtract;
    const bool left = (sum || n.op == Op::negate) && fused(n.a), right = sum && !left && fused(n.b);
    const int product = left ? n.a : right ? n.b : -1, other = left ? n.b : n.a;
    std::vector<int> needs = {n.a};
    if (product >= 0) needs = {node(product).a, node(product).b};
    if (product >= 0 && sum) needs.push_back(other);
    if (product < 0 && n.b >= 0) needs.push_back(n.b);
    if (!ready) {
      open.emplace_back(index, true);
      for (auto i = needs.rbegin(); i != needs.rend(); ++i)
        if (node(*i).reg < 0) open.emplace_back(*i, false);
      continue;
    }
    const int to = n.reg = temporary();
    if (n.op == Op::negate && product >= 0) {
      tape_.instructions_.push_back({Op::negative_product, to, node(needs[0]).reg, node(needs[1]).reg, 0});
    } else if (product >= 0) {
      const Op op = n.op == Op::add ? Op::multiply_add : left ? Op::multiply_subtract : Op::subtract_product;
      tape_.instructions_.push_back({op, to, node(needs[0]).reg, node(needs[1]).reg, node(other).reg});
    } else {
      tape_.instructions_.push_back({n.op, to, node(n.a).reg, n.b >= 0 ? node(n.b).reg : -1, n.c});
    }
  }
}

void TapeBuilder::emit_system(int index) {
  Pending& p = systems_[static_cast<std::size_t>(index)];
  if (p.done) return;
  p.done = true;
  // A linear system's registers are written by its solution; a nonlinear one reads them before.
  for (int u : p.unknowns) nodes_[static_cast<std::size_t>(u)].reg = temporary();
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
  tape_.instructions_.push_back({p.is_linear ? Op::linear : Op::newton, 0, number, begin, 0});
}

Tape TapeBuilder::finish() {
  for (int o : outputs_) count_uses(o);
  for (const Pending& p : systems_) {
    for (int i : p.matrix) count_uses(i), ++nodes_[static_cast<std::size_t>(i)].uses;
    for (int i : p.right) count_uses(i), ++nodes_[static_cast<std::size_t>(i)].uses;
  }
  for (int o : outputs_) ++nodes_[static_cast<std::size_t>(o)].uses;  // an output is needed by itself
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
  tape_.instructions_.push_back({Op::end, 0, 0, 0, 0});
  tape_.registers_.assign(static_cast<std::size_t>(next_register_), 0);
  std::ranges::copy(values, tape_.registers_.begin());
  return std::move(tape_);
}

}  // namespace plumb
