#include "plumb/expression/expression.h"

#include <array>
#include <charconv>
#include <numbers>

#include "plumb/expression/nearest_name.h"

namespace plumb {

using Op = Expression::Op;

namespace {

struct Function {
  std::string_view name;
  Op op;
  int arguments;
};
constexpr Function functions[] = {
    {"sin", Op::sin, 1},     {"cos", Op::cos, 1},   {"tan", Op::tan, 1},     {"asin", Op::asin, 1},
    {"acos", Op::acos, 1},   {"atan", Op::atan, 1}, {"sinh", Op::sinh, 1},   {"cosh", Op::cosh, 1},
    {"tanh", Op::tanh, 1},   {"exp", Op::exp, 1},   {"log", Op::log, 1},     {"ln", Op::log, 1},
    {"log10", Op::log10, 1}, {"sqrt", Op::sqrt, 1}, {"abs", Op::abs, 1},     {"sign", Op::sign, 1},
    {"floor", Op::floor, 1}, {"ceil", Op::ceil, 1}, {"atan2", Op::atan2, 2}, {"hypot", Op::hypot, 2},
    {"min", Op::min, 2},     {"max", Op::max, 2},   {"mod", Op::mod, 2},     {"pow", Op::power, 2},
    {"if", Op::select, 3},
};

struct Constant {
  std::string_view name;
  double value;
};
constexpr Constant constants[] = {
    {"pi", std::numbers::pi}, {"e", std::numbers::e}, {"tau", 2 * std::numbers::pi}, {"deg", std::numbers::pi / 180}};

}  // namespace

int Expression::arguments_of(Op op) {
  switch (op) {
    case Op::constant:
    case Op::slot: return 0;
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::power:
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::logical_and:
    case Op::logical_or:
    case Op::atan2:
    case Op::hypot:
    case Op::min:
    case Op::max:
    case Op::mod: return 2;
    case Op::select: return 3;
    default: return 1;
  }
}

namespace {

double value_of(double x) { return x; }
double value_of(const Jet& x) { return x.value; }
double value_of(const Rounded& x) { return x.value; }

// A condition that chooses between two values.
template <class T>
T choose(const T& condition, const T& yes, const T& no) {
  return value_of(condition) != 0 ? yes : no;
}
Interval choose(const Interval& condition, const Interval& yes, const Interval& no) {
  return select(condition, yes, no);
}
BasicJet<Interval> choose(const BasicJet<Interval>& c, const BasicJet<Interval>& yes, const BasicJet<Interval>& no) {
  if (!c.value.contains(0)) return yes;
  if (c.value.width() == 0) return no;
  return {hull(yes.value, no.value), hull(yes.rate, no.rate), hull(yes.acceleration, no.acceleration)};
}

// Logical values: 0, 1, or for an interval both.
template <class T>
T truth(bool r) {
  return T(r ? 1.0 : 0.0);
}
template <class T>
T logical(Op op, const T& a, const T& b) {
  const bool p = value_of(a) != 0, q = value_of(b) != 0;
  switch (op) {
    case Op::equal: return truth<T>(value_of(a) == value_of(b));
    case Op::not_equal: return truth<T>(value_of(a) != value_of(b));
    case Op::logical_and: return truth<T>(p && q);
    case Op::logical_or: return truth<T>(p || q);
    default: return truth<T>(!p);
  }
}
Interval logical(Op op, const Interval& a, const Interval& b) {
  const auto is_true = [](const Interval& x) { return !x.contains(0); };
  const auto is_false = [](const Interval& x) { return x.width() == 0 && x.low == 0; };
  const auto known = [](bool yes, bool no) { return yes ? Interval(1) : no ? Interval(0) : Interval(0, 1); };
  const bool same = a.width() == 0 && b.width() == 0 && a.low == b.low, apart = a.high < b.low || b.high < a.low;
  switch (op) {
    case Op::equal: return known(same, apart);
    case Op::not_equal: return known(apart, same);
    case Op::logical_and: return known(is_true(a) && is_true(b), is_false(a) || is_false(b));
    case Op::logical_or: return known(is_true(a) || is_true(b), is_false(a) && is_false(b));
    default: return known(is_false(a), is_true(a));
  }
}
BasicJet<Interval> logical(Op op, const BasicJet<Interval>& a, const BasicJet<Interval>& b) {
  return {logical(op, a.value, b.value)};
}

template <class T>
T power(const T& a, const T& b) {
  using std::pow;
  return pow(a, b);
}
BasicJet<Interval> power(const BasicJet<Interval>& a, const BasicJet<Interval>& p) {
  const bool constant = p.rate.width() == 0 && p.rate.low == 0 && p.value.width() == 0;
  return constant ? constant_power(a, p.value.low) : exp(p * log(a));
}
template <class T>
T angle_of(const T& y, const T& x) {
  using std::atan2;
  return atan2(y, x);
}
BasicJet<Interval> angle_of(const BasicJet<Interval>& y, const BasicJet<Interval>& x) {
  const BasicJet<Interval> whole{Interval(-std::numbers::pi, std::numbers::pi)};
  if (x.value.contains(0)) return {whole.value, Interval::everything(), Interval::everything()};
  BasicJet<Interval> r = atan(y / x);
  r.value = atan2(y.value, x.value);
  return r;
}

// Values of switching operations as they are.
struct Live {
  template <class T>
  T operator()(const Expression::Instruction& i, const T& a, const T& b) const {
    const Switch s = Expression::switch_of(i.op);
    return held(s, live_mode(s, value_of(a), value_of(b)), a, b);
  }
  Interval operator()(const Expression::Instruction& i, const Interval& a, const Interval& b) const {
    const auto known = [](bool yes, bool no) { return yes ? Interval(1) : no ? Interval(0) : Interval(0, 1); };
    switch (Expression::switch_of(i.op)) {
      case Switch::less: return known(a.high < b.low, a.low >= b.high);
      case Switch::less_equal: return known(a.high <= b.low, a.low > b.high);
      case Switch::sign: return {double(a.low > 0) - double(a.low < 0), double(a.high > 0) - double(a.high < 0)};
      case Switch::abs: return abs(a);
      case Switch::floor: return floor(a);
      case Switch::ceil: return ceil(a);
      case Switch::min: return {std::min(a.low, b.low), std::min(a.high, b.high)};
      case Switch::max: return {std::max(a.low, b.low), std::max(a.high, b.high)};
      case Switch::mod: {
        const Interval whole = floor(a / b);
        return whole.width() == 0 ? a - b * whole : hull(Interval(0), b);
      }
    }
    return Interval::everything();
  }
};

struct Held {
  const double* modes;
  template <class T>
  T operator()(const Expression::Instruction& i, const T& a, const T& b) const {
    return held(Expression::switch_of(i.op), modes[i.slot], a, b);
  }
};

}  // namespace

bool Expression::is_switch(Op op) {
  switch (op) {
    case Op::less:
    case Op::less_equal:
    case Op::sign:
    case Op::abs:
    case Op::floor:
    case Op::ceil:
    case Op::min:
    case Op::max:
    case Op::mod: return true;
    default: return false;
  }
}

Switch Expression::switch_of(Op op) {
  switch (op) {
    case Op::less: return Switch::less;
    case Op::less_equal: return Switch::less_equal;
    case Op::sign: return Switch::sign;
    case Op::abs: return Switch::abs;
    case Op::floor: return Switch::floor;
    case Op::ceil: return Switch::ceil;
    case Op::min: return Switch::min;
    case Op::max: return Switch::max;
    default: return Switch::mod;
  }
}

template <class T, class Load, class Switched>
T Expression::run(const Load& load, const Switched& switched) const {
  using std::acos, std::asin, std::atan, std::cos, std::cosh, std::exp, std::log, std::sin, std::sinh, std::sqrt,
      std::tan, std::tanh;
  std::array<T, max_depth> stack;
  T* top = stack.data();  // one past the last value
  for (const Instruction& i : tape_) {
    T* const a = top - 1;  // the only or last argument
    T* const b = top - 2;  // the first of two
    const auto two = [&](const T& r) {
      *b = r;
      --top;
    };
    switch (i.op) {
      case Op::constant: *top++ = T(i.value); break;
      case Op::slot: *top++ = load(i.slot); break;
      case Op::add: two(*b + *a); break;
      case Op::subtract: two(*b - *a); break;
      case Op::multiply: two(*b * *a); break;
      case Op::divide: two(*b / *a); break;
      case Op::power: two(power(*b, *a)); break;
      case Op::negate: *a = -*a; break;
      case Op::equal:
      case Op::not_equal:
      case Op::logical_and:
      case Op::logical_or: two(logical(i.op, *b, *a)); break;
      case Op::logical_not: *a = logical(i.op, *a, *a); break;
      case Op::select:
        top[-3] = choose(top[-3], top[-2], top[-1]);
        top -= 2;
        break;
      case Op::sin: *a = sin(*a); break;
      case Op::cos: *a = cos(*a); break;
      case Op::tan: *a = tan(*a); break;
      case Op::asin: *a = asin(*a); break;
      case Op::acos: *a = acos(*a); break;
      case Op::atan: *a = atan(*a); break;
      case Op::sinh: *a = sinh(*a); break;
      case Op::cosh: *a = cosh(*a); break;
      case Op::tanh: *a = tanh(*a); break;
      case Op::exp: *a = exp(*a); break;
      case Op::log: *a = log(*a); break;
      case Op::log10: *a = log(*a) * T(1 / std::numbers::ln10); break;
      case Op::sqrt: *a = sqrt(*a); break;
      case Op::atan2: two(angle_of(*b, *a)); break;
      case Op::hypot: two(sqrt(*b * *b + *a * *a)); break;
      case Op::sign:
      case Op::abs:
      case Op::floor:
      case Op::ceil: *a = switched(i, *a, *a); break;
      case Op::less:
      case Op::less_equal:
      case Op::min:
      case Op::max:
      case Op::mod: two(switched(i, *b, *a)); break;
    }
  }
  return stack[0];
}

Expression::Expression(double constant) : tape_{{Op::constant, 0, constant}} {}

double Expression::evaluate(const double* slots, const double* modes) const {
  const auto load = [slots](int slot) { return slots[slot]; };
  return modes ? run<double>(load, Held{modes}) : run<double>(load, Live{});
}

Jet Expression::evaluate_in_time(double t, const double* modes) const {
  const auto load = [t](int slot) { return slot == time_slot ? Jet(t, 1) : Jet(); };
  return modes ? run<Jet>(load, Held{modes}) : run<Jet>(load, Live{});
}

Jet Expression::evaluate_jets(const Jet* slots, const double* modes) const {
  const auto load = [slots](int slot) { return slots[slot]; };
  return modes ? run<Jet>(load, Held{modes}) : run<Jet>(load, Live{});
}

Rounded Expression::evaluate_rounded(const Rounded* slots) const {
  return run<Rounded>([slots](int slot) { return slots[slot]; }, Live{});
}

BasicJet<Interval> Expression::evaluate_over(const Interval& t, const double* modes) const {
  return run<BasicJet<Interval>>([&](int) { return BasicJet<Interval>(t, Interval(1)); }, Held{modes});
}

Interval Expression::values_over(const Interval& t) const {
  return run<Interval>([&](int) { return t; }, Live{});
}

void Expression::live_modes(const double* slots, double* modes) const {
  run<double>([slots](int slot) { return slots[slot]; },
              [&](const Instruction& i, double a, double b) {
                modes[i.slot] = live_mode(switch_of(i.op), a, b);
                return held(switch_of(i.op), modes[i.slot], a, b);
              });
}

void Expression::indicators(const double* slots, const double* modes, double* z) const {
  run<double>([slots](int slot) { return slots[slot]; },
              [&](const Instruction& i, double a, double b) {
                z[i.slot] = indicator(switch_of(i.op), modes[i.slot], a, b);
                return held(switch_of(i.op), modes[i.slot], a, b);
              });
}

void Expression::change_mode(const double* slots, int passed, double* modes) const {
  const double before = modes[passed];
  double after = before;
  run<double>([slots](int slot) { return slots[slot]; },
              [&](const Instruction& i, double a, double b) {
                if (i.slot == passed) after = next_mode(switch_of(i.op), before, a, b);
                return held(switch_of(i.op), modes[i.slot], a, b);
              });
  modes[passed] = after;
}

Expression Expression::of(std::vector<Instruction> tape) {
  Expression e;
  e.tape_ = std::move(tape);
  for (Instruction& i : e.tape_)
    if (is_switch(i.op)) i.slot = e.switches_++;
  return e;
}

bool Expression::uses(int slot) const {
  for (const Instruction& i : tape_)
    if (i.op == Op::slot && i.slot == slot) return true;
  return false;
}

// Recursive descent straight to the tape; operations on constants are carried out while parsing.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const Names& names) : text_(text), names_(names) {}

  Expression parse() {
    skip_space();
    if (at_ == text_.size()) fail("an expression is expected, the text is empty");
    ternary();
    if (at_ < text_.size()) fail("unexpected '" + std::string(1, text_[at_]) + "'");
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw ExpressionError(what, at_); }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool take(std::string_view token) {
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    skip_space();
    return true;
  }

  void expect(std::string_view token) {
    if (!take(token)) fail("'" + std::string(token) + "' is expected here");
  }

  void emit(Op op, double value = 0, int slot = 0) {
    auto& tape = out_.tape_;
    const std::size_t n = static_cast<std::size_t>(Expression::arguments_of(op));
    tape.push_back({op, slot, value});
    if (op != Op::constant && op != Op::slot) {
      bool constant = true;
      for (std::size_t i = 0; i < n; ++i) constant = constant && tape[tape.size() - 2 - i].op == Op::constant;
      if (constant) {
        Expression part;
        part.tape_.assign(tape.end() - static_cast<std::ptrdiff_t>(n) - 1, tape.end());
        const double folded = part.evaluate(nullptr);
        tape.resize(tape.size() - n - 1);
        tape.push_back({Op::constant, 0, folded});
      } else if (Expression::is_switch(op)) {
        tape.back().slot = out_.switches_++;
      }
    }
    depth_ += 1 - static_cast<int>(n);
    if (depth_ > Expression::max_depth) fail("the expression is nested too deeply");
  }

  // Nesting in the text bounds the recursion, so that no text overflows the program's own stack.
  struct Nest {
    explicit Nest(ExpressionParser& p) : parser(p) {
      if (++parser.nesting_ > Expression::max_depth) parser.fail("the expression is nested too deeply");
    }
    ~Nest() { --parser.nesting_; }
    ExpressionParser& parser;
  };

  void ternary() {
    const Nest nest(*this);
    disjunction();
    if (!take("?")) return;
    ternary();
    expect(":");
    ternary();
    emit(Op::select);
  }

  void disjunction() {
    conjunction();
    while (take("||")) conjunction(), emit(Op::logical_or);
  }

  void conjunction() {
    comparison();
    while (take("&&")) comparison(), emit(Op::logical_and);
  }

  void comparison() {
    sum();
    if (take("<="))
      sum(), emit(Op::less_equal);
    else if (take("<"))
      sum(), emit(Op::less);
    else if (take(">="))
      sum(), emit(Op::less), emit(Op::logical_not);
    else if (take(">"))
      sum(), emit(Op::less_equal), emit(Op::logical_not);
    else if (take("=="))
      sum(), emit(Op::equal);
    else if (take("!="))
      sum(), emit(Op::not_equal);
  }

  void sum() {
    product();
    for (;;) {
      if (take("+"))
        product(), emit(Op::add);
      else if (take("-"))
        product(), emit(Op::subtract);
      else
        return;
    }
  }

  void product() {
    unary();
    for (;;) {
      if (take("*"))
        unary(), emit(Op::multiply);
      else if (take("/"))
        unary(), emit(Op::divide);
      else
        return;
    }
  }

  void unary() {
    const Nest nest(*this);
    if (take("-"))
      unary(), emit(Op::negate);
    else if (take("+"))
      unary();
    else if (text_.substr(at_, 2) != "!=" && take("!"))
      unary(), emit(Op::logical_not);
    else
      power();
  }

  void power() {
    suffixed();
    if (take("**") || take("^")) unary(), emit(Op::power);
  }

  void suffixed() {
    primary();
    const std::size_t start = at_;
    if (identifier() == "deg") {
      skip_space();
      emit(Op::constant, std::numbers::pi / 180);
      emit(Op::multiply);
    } else {
      at_ = start;
    }
  }

  void primary() {
    if (at_ == text_.size()) fail("the expression ends where a value is expected");
    if (take("(")) {
      ternary();
      expect(")");
      return;
    }
    const char c = text_[at_];
    if ((c >= '0' && c <= '9') || c == '.') return number();
    if (is_letter(c)) return name();
    fail("a value is expected here, not '" + std::string(1, c) + "'");
  }

  void number() {
    double value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) fail("this is not a number");
    at_ += static_cast<std::size_t>(end - begin);
    skip_space();
    emit(Op::constant, value);
  }

  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
  static bool is_name(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.'; }

  std::string_view identifier() {
    const std::size_t start = at_;
    if (at_ < text_.size() && is_letter(text_[at_])) {
      while (at_ < text_.size() && is_name(text_[at_])) ++at_;
      while (at_ < text_.size() && text_[at_] == '\'') ++at_;
    }
    return text_.substr(start, at_ - start);
  }

  void name() {
    const std::size_t start = at_;
    if (hyphenated_name()) return;
    const std::string_view word = identifier();
    if (at_ < text_.size() && text_[at_] == '(') return call(word, start);
    skip_space();
    if (at_ < text_.size() && text_[at_] == '(') return call(word, start);
    if (const auto meaning = names_.find(word)) return emit_meaning(*meaning);
    for (const Constant& k : constants)
      if (k.name == word) return emit(Op::constant, k.value);
    at_ = start;
    std::vector<std::string> known = names_.all();
    for (const Constant& k : constants) known.emplace_back(k.name);
    fail("unknown name '" + std::string(word) + "'" + did_you_mean(word, known));
  }

  void emit_meaning(const Meaning& m) {
    if (m.constant)
      emit(Op::constant, *m.constant);
    else
      emit(Op::slot, 0, m.slot);
  }

  // The longest run of name characters and hyphens that is a known name.
  bool hyphenated_name() {
    std::size_t end = at_;
    while (end < text_.size() && (is_name(text_[end]) || text_[end] == '-')) ++end;
    std::string_view word = text_.substr(at_, end - at_);
    for (std::size_t last = word.rfind('-'); last != std::string_view::npos; last = word.rfind('-')) {
      if (const auto meaning = names_.find(word)) {
        at_ += word.size();
        skip_space();
        emit_meaning(*meaning);
        return true;
      }
      word = word.substr(0, last);
    }
    return false;
  }

  void call(std::string_view word, std::size_t start) {
    for (const Function& f : functions) {
      if (f.name != word) continue;
      expect("(");
      for (int i = 0; i < f.arguments; ++i) {
        if (i > 0) expect(",");
        ternary();
      }
      expect(")");
      return emit(f.op);
    }
    at_ = start;
    std::vector<std::string> known;
    for (const Function& f : functions) known.emplace_back(f.name);
    fail("unknown function '" + std::string(word) + "'" + did_you_mean(word, known));
  }

  std::string_view text_;
  const Names& names_;
  std::size_t at_ = 0;
  int depth_ = 0, nesting_ = 0;
  Expression out_ = [] {
    Expression e;
    e.tape_.clear();
    return e;
  }();
};

Expression Expression::parse(std::string_view text, const Names& names) {
  return ExpressionParser(text, names).parse();
}

}  // namespace plumb
