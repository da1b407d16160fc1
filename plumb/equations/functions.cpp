#include "plumb/equations/functions.h"

#include <cmath>

namespace plumb {
namespace {

using GiNaC::ex;
using Op = Expression::Op;

template <int Which>
ex refuse(const ex&, unsigned);
template <int Which>
ex refuse2(const ex&, const ex&, unsigned);

constexpr const char* rough_names[] = {"abs", "sign", "floor", "ceil", "min", "max", "mod"};

template <int Which>
ex refuse(const ex&, unsigned) {
  throw NotSmooth(rough_names[Which]);
}
template <int Which>
ex refuse2(const ex&, const ex&, unsigned) {
  throw NotSmooth(rough_names[Which]);
}

struct Rough {
  const char* name;
  Op op;
  unsigned serial;
};

const std::vector<Rough>& rough_functions() {
  using GiNaC::function, GiNaC::function_options;
  static const std::vector<Rough> list = {
      {"abs", Op::abs, function::register_new(function_options("plumb_abs", 1).derivative_func(refuse<0>))},
      {"sign", Op::sign, function::register_new(function_options("plumb_sign", 1).derivative_func(refuse<1>))},
      {"floor", Op::floor, function::register_new(function_options("plumb_floor", 1).derivative_func(refuse<2>))},
      {"ceil", Op::ceil, function::register_new(function_options("plumb_ceil", 1).derivative_func(refuse<3>))},
      {"min", Op::min, function::register_new(function_options("plumb_min", 2).derivative_func(refuse2<4>))},
      {"max", Op::max, function::register_new(function_options("plumb_max", 2).derivative_func(refuse2<5>))},
      {"mod", Op::mod, function::register_new(function_options("plumb_mod", 2).derivative_func(refuse2<6>))}};
  return list;
}

struct Smooth {
  const char* name;
  Op op;
};
constexpr Smooth smooth_functions[] = {{"sin", Op::sin},   {"cos", Op::cos},   {"tan", Op::tan},
                                       {"asin", Op::asin}, {"acos", Op::acos}, {"atan", Op::atan},
                                       {"sinh", Op::sinh}, {"cosh", Op::cosh}, {"tanh", Op::tanh},
                                       {"exp", Op::exp},   {"log", Op::log},   {"atan2", Op::atan2}};

ex rough(Op op, const std::vector<ex>& arguments) {
  for (const Rough& f : rough_functions())
    if (f.op == op) return GiNaC::function(f.serial, GiNaC::exvector(arguments.begin(), arguments.end()));
  throw NotSmooth("a comparison or condition");
}

ex smooth(Op op, const ex& a) {
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
    default: return rough(op, {a});
  }
}

ex smooth(Op op, const ex& a, const ex& b) {
  switch (op) {
    case Op::add: return a + b;
    case Op::subtract: return a - b;
    case Op::multiply: return a * b;
    case Op::divide: return a / b;
    case Op::power: return GiNaC::pow(a, b);
    case Op::atan2: return GiNaC::atan2(a, b);
    case Op::hypot: return GiNaC::sqrt(a * a + b * b);
    default: return rough(op, {a, b});
  }
}

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

ex algebra_of(const Expression& expression, const std::vector<ex>& values) {
  std::vector<ex> stack;
  for (const Expression::Instruction& i : expression.tape()) {
    if (i.op == Op::constant) {
      stack.push_back(exact(i.value));
      continue;
    }
    if (i.op == Op::slot) {
      stack.push_back(values.at(static_cast<std::size_t>(i.slot)));
      continue;
    }
    switch (i.op) {
      case Op::less:
      case Op::less_equal:
      case Op::equal:
      case Op::not_equal:
      case Op::logical_and:
      case Op::logical_or:
      case Op::logical_not:
      case Op::select: throw NotSmooth("a comparison or condition");
      default: break;
    }
    const ex last = stack.back();
    stack.pop_back();
    switch (i.op) {
      case Op::add:
      case Op::subtract:
      case Op::multiply:
      case Op::divide:
      case Op::power:
      case Op::atan2:
      case Op::hypot:
      case Op::min:
      case Op::max:
      case Op::mod: stack.back() = smooth(i.op, stack.back(), last); break;
      default: stack.push_back(smooth(i.op, last));
    }
  }
  return stack.at(0);
}

AppliedFunction applied_function(const ex& call) {
  const GiNaC::function& f = GiNaC::ex_to<GiNaC::function>(call);
  for (const Rough& r : rough_functions())
    if (r.serial == f.get_serial()) return {r.name, r.op};
  for (const Smooth& s : smooth_functions)
    if (f.get_name() == s.name) return {s.name, s.op};
  throw std::logic_error("no such function: " + f.get_name());
}

}  // namespace plumb
