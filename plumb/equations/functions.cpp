#include "plumb/equations/functions.h"

#include <array>
#include <cmath>

namespace plumb {
namespace {

using GiNaC::ex, GiNaC::symbol, GiNaC::function;
using Op = Expression::Op;
using Kind = AppliedFunction::Kind;

// Functions of our own, by number.
enum Own {
  abs_,
  min_,
  max_,
  mod_,  // split in two, …
  side_abs,
  side_min,
  side_max,
  side_mod,  // … and their sides
  sign_,
  floor_,
  ceil_,
  less_,
  less_equal_,  // sides by themselves
  select_,
  and_,
  or_,
  not_,
  count
};

template <class... Arguments>
ex call(Own f, const Arguments&... arguments);

ex constant_1(const ex&, const symbol&) { return 0; }
ex constant_2(const ex&, const ex&, const symbol&) { return 0; }
ex slope_of_abs(const ex& a, const symbol& s) { return call(side_abs, a) * a.diff(s); }
ex slope_of_mod(const ex& a, const ex& b, const symbol& s) { return a.diff(s) - call(side_mod, a, b) * b.diff(s); }

// Not c a' + (1 - c) b': what is not chosen may be infinite.
ex chosen(const ex& c, const ex& a, const ex& b) { return a.is_equal(b) ? a : call(select_, c, a, b); }
ex slope_of_select(const ex& c, const ex& a, const ex& b, const symbol& s) { return chosen(c, a.diff(s), b.diff(s)); }
ex slope_of_min(const ex& a, const ex& b, const symbol& s) {
  return chosen(call(side_min, a, b), b.diff(s), a.diff(s));
}
ex slope_of_max(const ex& a, const ex& b, const symbol& s) {
  return chosen(call(side_max, a, b), b.diff(s), a.diff(s));
}

struct OwnFunction {
  AppliedFunction applied;
  unsigned serial;
};

const std::array<OwnFunction, count>& own_functions() {
  const auto make = [](const char* name, Kind kind, Op op, Switch switching, unsigned arguments, auto slope) {
    GiNaC::function_options options(std::string("plumb_") + name, arguments);
    options.expl_derivative_func(slope);
    return OwnFunction{{name, kind, op, switching}, function::register_new(options)};
  };
  static const std::array<OwnFunction, count> list = {
      make("abs", Kind::split, Op::abs, Switch::abs, 1, slope_of_abs),
      make("min", Kind::split, Op::min, Switch::min, 2, slope_of_min),
      make("max", Kind::split, Op::max, Switch::max, 2, slope_of_max),
      make("mod", Kind::split, Op::mod, Switch::mod, 2, slope_of_mod),
      make("side_abs", Kind::side, Op::sign, Switch::abs, 1, constant_1),
      make("side_min", Kind::side, Op::less_equal, Switch::min, 2, constant_2),
      make("side_max", Kind::side, Op::less_equal, Switch::max, 2, constant_2),
      make("side_mod", Kind::side, Op::floor, Switch::mod, 2, constant_2),
      make("sign", Kind::side, Op::sign, Switch::sign, 1, constant_1),
      make("floor", Kind::side, Op::floor, Switch::floor, 1, constant_1),
      make("ceil", Kind::side, Op::ceil, Switch::ceil, 1, constant_1),
      make("less", Kind::side, Op::less, Switch::less, 2, constant_2),
      make("less_equal", Kind::side, Op::less_equal, Switch::less_equal, 2, constant_2),
      make("select", Kind::choice, Op::select, Switch::less, 3, slope_of_select),
      make("and", Kind::logic, Op::logical_and, Switch::less, 2, constant_2),
      make("or", Kind::logic, Op::logical_or, Switch::less, 2, constant_2),
      make("not", Kind::logic, Op::logical_not, Switch::less, 1, constant_1)};
  return list;
}

template <class... Arguments>
ex call(Own f, const Arguments&... arguments) {
  return function(own_functions()[f].serial, GiNaC::exvector{arguments...});
}

struct Smooth {
  const char* name;
  Op op;
};
constexpr Smooth smooth_functions[] = {{"sin", Op::sin},   {"cos", Op::cos},   {"tan", Op::tan},
                                       {"asin", Op::asin}, {"acos", Op::acos}, {"atan", Op::atan},
                                       {"sinh", Op::sinh}, {"cosh", Op::cosh}, {"tanh", Op::tanh},
                                       {"exp", Op::exp},   {"log", Op::log},   {"atan2", Op::atan2}};

ex applied(Op op, const ex& a) {
  switch (op) {
    case Op::negate: return -a;
    case Op::sin: return GiNaC::sin(a);
    case Op::cos: return GiNaC::cos(a);
    case Op::tan: return GiNaC::tan(a);
    case Op::asin: return GiNaC::asin(a);
    case Op::acos: return GiNaC::acos(a);
    case Op::atan: return GiNaC::atan(a);
    case Op::sinh: return GiNaC::sinh(a);
    case Op::cosh: return GiNaC::cosh(a);
    case Op::tanh: return GiNaC::tanh(a);
    case Op::exp: return GiNaC::exp(a);
    case Op::log: return GiNaC::log(a);
    case Op::log10: return GiNaC::log(a) / GiNaC::log(ex(10));
    case Op::sqrt: return GiNaC::sqrt(a);
    case Op::abs: return call(abs_, a);
    case Op::sign: return call(sign_, a);
    case Op::floor: return call(floor_, a);
    case Op::ceil: return call(ceil_, a);
    case Op::logical_not: return call(not_, a);
    default: throw std::logic_error("an operation on one number is missing");
  }
}

ex applied(Op op, const ex& a, const ex& b) {
  switch (op) {
    case Op::add: return a + b;
    case Op::subtract: return a - b;
    case Op::multiply: return a * b;
    case Op::divide: return a / b;
    case Op::power: return GiNaC::pow(a, b);
    case Op::atan2: return GiNaC::atan2(a, b);
    case Op::hypot: return GiNaC::sqrt(a * a + b * b);
    case Op::min: return call(min_, a, b);
    case Op::max: return call(max_, a, b);
    case Op::mod: return call(mod_, a, b);
    case Op::less: return call(less_, a, b);
    case Op::less_equal: return call(less_equal_, a, b);
    case Op::logical_and: return call(and_, a, b);
    case Op::logical_or: return call(or_, a, b);
    case Op::equal:
    case Op::not_equal:
      throw std::invalid_argument("== and != hold at single instants, which say nothing; use <= or >=");
    default: throw std::logic_error("an operation on two numbers is missing");
  }
}

bool is_truth(Op op) {
  switch (op) {
    case Op::less:
    case Op::less_equal:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not: return true;
    default: return false;
  }
}

bool wants_truth(Op op) { return op == Op::logical_and || op == Op::logical_or || op == Op::logical_not; }

}  // namespace

ex exact(double x) {
  if (!std::isfinite(x)) throw std::invalid_argument("a number in it is not finite");
  if (x == std::floor(x) && std::abs(x) < 1e15) return ex(static_cast<long>(x));
  for (long q = 2; q <= 100000; q = q < 1000 ? q + 1 : q * 10) {
    const double p = std::round(x * static_cast<double>(q));
    if (std::abs(p) < 1e12 && p / static_cast<double>(q) == x) return ex(static_cast<long>(p)) / q;
  }
  return GiNaC::numeric(x);
}

ex algebra_of(const Expression& expression, const std::vector<ex>& values, std::vector<ex>* switches) {
  struct Value {
    ex value;
    bool is_truth = false;
  };
  std::vector<Value> stack;
  const auto take = [&](bool as_truth) {
    const Value v = stack.back();
    stack.pop_back();
    if (as_truth && !v.is_truth && !GiNaC::is_a<GiNaC::numeric>(v.value))
      throw std::invalid_argument("a condition compares: write x > 0 ? a : b, with && and || between comparisons");
    return v;
  };
  for (const Expression::Instruction& i : expression.tape()) {
    if (i.op == Op::constant) {
      stack.push_back({exact(i.value)});
      continue;
    }
    if (i.op == Op::slot) {
      stack.push_back({values.at(static_cast<std::size_t>(i.slot))});
      continue;
    }
    Value result;
    result.is_truth = is_truth(i.op);
    if (i.op == Op::select) {
      const Value b = take(false), a = take(false), c = take(true);
      result = {call(select_, c.value, a.value, b.value), a.is_truth && b.is_truth};
    } else if (Expression::arguments_of(i.op) == 2) {
      const Value b = take(wants_truth(i.op)), a = take(wants_truth(i.op));
      result.value = applied(i.op, a.value, b.value);
    } else {
      result.value = applied(i.op, take(wants_truth(i.op)).value);
    }
    if (switches && Expression::is_switch(i.op)) switches->push_back(*side_of(result.value));
    stack.push_back(result);
  }
  return stack.at(0).value;
}

AppliedFunction applied_function(const ex& e) {
  const function& f = GiNaC::ex_to<function>(e);
  for (const OwnFunction& own : own_functions())
    if (own.serial == f.get_serial()) return own.applied;
  for (const Smooth& s : smooth_functions)
    if (f.get_name() == s.name) return {s.name, Kind::smooth, s.op};
  throw std::logic_error("no such function: " + f.get_name());
}

std::optional<ex> side_of(const ex& e) {
  const AppliedFunction f = applied_function(e);
  if (f.kind == Kind::side) return e;
  if (f.kind != Kind::split) return std::nullopt;
  switch (f.switching) {
    case Switch::abs: return call(side_abs, e.op(0));
    case Switch::min: return call(side_min, e.op(0), e.op(1));
    case Switch::max: return call(side_max, e.op(0), e.op(1));
    default: return call(side_mod, e.op(0), e.op(1));
  }
}

}  // namespace plumb
