#include "plumb/expression/time_parts.h"

namespace plumb {
namespace {

using Op = Expression::Op;
using Instruction = Expression::Instruction;

// A value on the stack: the instructions that make it, and what it depends on.
struct Part {
  std::size_t first, last;
  bool time = false, others = false;
  bool is_time_alone() const { return time && !others; }
  bool is_mixed() const { return time && others; }
};

class Analysis {
 public:
  explicit Analysis(const Expression& e) : tape_(e.tape()) {
    for (std::size_t i = 0; i < tape_.size(); ++i) visit(i);
    if (stack_.back().is_time_alone()) add_input(stack_.back());
  }
  TimeParts take() { return std::move(parts_); }

 private:
  void visit(std::size_t i) {
    const Instruction& in = tape_[i];
    const std::size_t n = static_cast<std::size_t>(Expression::arguments_of(in.op));
    Part p{i, i};
    if (in.op == Op::slot) {
      p.time = in.slot == time_slot;
      p.others = !p.time;
    }
    const std::vector<Part> arguments(stack_.end() - static_cast<std::ptrdiff_t>(n), stack_.end());
    for (const Part& a : arguments) {
      p.first = std::min(p.first, a.first);
      p.time = p.time || a.time;
      p.others = p.others || a.others;
    }
    if (p.is_mixed())
      for (const Part& a : arguments) {
        if (a.is_time_alone()) add_input(a);
        if (a.is_mixed() && !is_plain(in.op)) parts_.is_hidden = true;
      }
    if (p.is_time_alone() && Expression::is_switch(in.op)) add_switch(in, arguments);
    stack_.resize(stack_.size() - n);
    stack_.push_back(p);
  }

  // Operations that make nothing narrow out of something wide. Switches are located when the state gets there.
  static bool is_plain(Op op) {
    switch (op) {
      case Op::add:
      case Op::subtract:
      case Op::multiply:
      case Op::negate:
      case Op::select:
      case Op::equal:
      case Op::not_equal:
      case Op::logical_and:
      case Op::logical_or:
      case Op::logical_not: return true;
      default: return Expression::is_switch(op);
    }
  }

  std::vector<Instruction> copy(const Part& p) const {
    return {tape_.begin() + static_cast<std::ptrdiff_t>(p.first),
            tape_.begin() + static_cast<std::ptrdiff_t>(p.last) + 1};
  }

  // Terms of a sum on their own: a small narrow one must not hide beside a large wide one.
  void add_input(const Part& p) {
    const Instruction& last = tape_[p.last];
    if (last.op == Op::add || last.op == Op::subtract) {
      const Part b = operand_ending_at(p.last - 1);
      add_input(operand_ending_at(b.first - 1));
      return add_input(b);
    }
    const auto is_time = [](const Instruction& i) { return i.op == Op::slot; };
    if (p.first == p.last || std::none_of(tape_.begin() + static_cast<std::ptrdiff_t>(p.first),
                                          tape_.begin() + static_cast<std::ptrdiff_t>(p.last) + 1, is_time))
      return;  // a constant, or t itself
    parts_.inputs.push_back(Expression::of(copy(p)));
  }

  // The instructions of the value that is complete after instruction `last`.
  Part operand_ending_at(std::size_t last) const {
    int wanted = 1;
    std::size_t i = last + 1;
    while (wanted > 0) {
      --i;
      wanted += Expression::arguments_of(tape_[i].op) - 1;
    }
    return {i, last};
  }

  void add_switch(const Instruction& in, const std::vector<Part>& arguments) {
    std::vector<Instruction> tape = copy(arguments[0]);
    const auto append = [&](const Part& p, Op op) {
      const std::vector<Instruction> more = copy(p);
      tape.insert(tape.end(), more.begin(), more.end());
      tape.push_back({op});
    };
    bool at_integers = false;
    switch (Expression::switch_of(in.op)) {
      case Switch::less:
      case Switch::less_equal:
      case Switch::min:
      case Switch::max: append(arguments[1], Op::subtract); break;
      case Switch::sign:
      case Switch::abs: break;
      case Switch::mod: append(arguments[1], Op::divide); [[fallthrough]];
      case Switch::floor:
      case Switch::ceil: at_integers = true; break;
    }
    parts_.switches.push_back({in.slot, Expression::of(std::move(tape)), at_integers});
  }

  const std::vector<Instruction>& tape_;
  std::vector<Part> stack_;
  TimeParts parts_;
};

}  // namespace

TimeParts time_parts(const Expression& expression) { return Analysis(expression).take(); }

}  // namespace plumb
