#include "plumb/equations/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plumb/equations/algebra_lock.h"
#include "plumb/equations/functions.h"

namespace plumb {
namespace {

using GiNaC::ex;
using Kind = Formula::Kind;

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

std::uint64_t hash_of(const std::string& s) {
  std::uint64_t h = 14695981039346656037u;
  for (unsigned char c : s) h = (h ^ c) * 1099511628211u;
  return h;
}

constexpr std::size_t key_length = 48;

void finish(Formula& f) {
  f.hash = mixed(static_cast<std::uint64_t>(f.kind) * 31 + hash_of(f.name) + f.below * 7);
  if (f.kind == Kind::number || f.kind == Kind::product) {
    const std::string digits = fmt::format("{:.17g}", f.number.to_double());
    f.hash = mixed(f.hash + hash_of(digits));
    if (f.kind == Kind::number) f.key = digits;
  }
  if (f.kind == Kind::symbol || f.kind == Kind::function) f.key = f.name;
  for (const FormulaPtr& p : f.parts) {
    f.hash = mixed(f.hash * 3 + p->hash);
    // Without a space in front: a term and its negative must come at the same place.
    if (f.key.size() < key_length) f.key += (f.key.empty() ? "" : " ") + p->key;
  }
  if (f.key.size() > key_length) f.key.resize(key_length);
}

bool comes_before(const FormulaPtr& a, const FormulaPtr& b) {
  if (a->key != b->key) return a->key < b->key;
  return a->hash < b->hash;
}

// Terms of a sum: those of high degree first.
bool term_before(const FormulaPtr& a, const FormulaPtr& b) {
  if (a->degree != b->degree) return a->degree > b->degree;
  return comes_before(a, b);
}

// Factors of a product: symbols and their powers, functions, sums.
bool factor_before(const FormulaPtr& a, const FormulaPtr& b) {
  const auto rank = [](const FormulaPtr& f) {
    const Formula& base = f->kind == Kind::power ? *f->parts[0] : *f;
    return base.kind == Kind::symbol ? 0 : base.kind == Kind::function ? 1 : 2;
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  return comes_before(a, b);
}

}  // namespace

bool Formula::is_negative() const {
  return (kind == Kind::number || kind == Kind::product) && number.is_real() && number < 0;
}

FormulaPtr Formulas::of(const ex& e) {
  if (const auto at = known_.find(e); at != known_.end()) return at->second;
  FormulaPtr f = make(e);
  known_[e] = f;
  return f;
}

FormulaPtr Formulas::make(const ex& e) {
  if (GiNaC::is_a<GiNaC::add>(e)) return make_sum(e);
  if (GiNaC::is_a<GiNaC::mul>(e) || GiNaC::is_a<GiNaC::power>(e)) return make_product(e);
  auto f = make_algebraic(Formula());
  if (GiNaC::is_a<GiNaC::numeric>(e)) {
    f->number = GiNaC::ex_to<GiNaC::numeric>(e);
    if (!f->number.is_real()) throw std::domain_error("complex numbers occur in the equations");
  } else if (GiNaC::is_a<GiNaC::symbol>(e) || GiNaC::is_a<GiNaC::constant>(e)) {
    f->kind = Kind::symbol;
    f->symbol = e;
    f->name = GiNaC::is_a<GiNaC::symbol>(e) ? GiNaC::ex_to<GiNaC::symbol>(e).get_name() : "pi";
    f->degree = 1;
  } else if (GiNaC::is_a<GiNaC::function>(e)) {
    f->kind = Kind::function;
    f->applied = applied_function(e);
    f->symbol = e;
    f->name = f->applied.name;
    for (std::size_t i = 0; i < e.nops(); ++i) f->parts.push_back(of(e.op(i)));
    if (f->applied.kind == AppliedFunction::Kind::split) f->side = of(*side_of(e));
    f->degree = 1;
  } else {
    throw std::logic_error("an expression of unexpected kind");
  }
  finish(*f);
  return f;
}

FormulaPtr Formulas::make_sum(const ex& e) {
  auto f = make_algebraic(Formula());
  f->kind = Kind::sum;
  for (std::size_t i = 0; i < e.nops(); ++i) f->parts.push_back(of(e.op(i)));
  std::ranges::sort(f->parts, term_before);
  for (const FormulaPtr& p : f->parts) f->degree = std::max(f->degree, p->degree);
  finish(*f);
  return f;
}

// Term by term: the sum itself must not be multiplied out.
static ex divided(const ex& sum, const GiNaC::numeric& by) {
  ex result = 0;
  for (std::size_t i = 0; i < sum.nops(); ++i) result += sum.op(i) / by;
  return result;
}

std::pair<GiNaC::numeric, ex> Formulas::primitive(const ex& sum) {
  GiNaC::numeric above = 0, below = 1;
  bool rational = true;
  for (std::size_t i = 0; i < sum.nops(); ++i) {
    const ex term = sum.op(i);
    GiNaC::numeric factor = 1;
    if (GiNaC::is_a<GiNaC::numeric>(term)) factor = GiNaC::ex_to<GiNaC::numeric>(term);
    if (GiNaC::is_a<GiNaC::mul>(term))
      for (std::size_t k = 0; k < term.nops(); ++k)
        if (GiNaC::is_a<GiNaC::numeric>(term.op(k))) factor = GiNaC::ex_to<GiNaC::numeric>(term.op(k));
    rational = rational && factor.is_rational();
    if (!rational) break;
    above = GiNaC::gcd(above, factor.numer());
    below = GiNaC::lcm(below, factor.denom());
  }
  GiNaC::numeric content = rational ? GiNaC::abs(above) / below : GiNaC::numeric(1);
  if (of(sum)->parts[0]->is_negative()) content = -content;
  return {content, content == 1 ? sum : divided(sum, content)};
}

FormulaPtr Formulas::make_product(const ex& e) {
  auto f = make_algebraic(Formula());
  f->kind = Kind::product;
  f->number = 1;
  std::vector<FormulaPtr> below;
  const std::size_t factors = GiNaC::is_a<GiNaC::mul>(e) ? e.nops() : 1;
  for (std::size_t i = 0; i < factors; ++i) {
    const ex factor = GiNaC::is_a<GiNaC::mul>(e) ? e.op(i) : e;
    if (GiNaC::is_a<GiNaC::numeric>(factor)) {
      f->number *= GiNaC::ex_to<GiNaC::numeric>(factor);
      continue;
    }
    const bool is_power = GiNaC::is_a<GiNaC::power>(factor);
    ex base = is_power ? factor.op(0) : factor, exponent = is_power ? factor.op(1) : ex(1);
    const bool has_number = GiNaC::is_a<GiNaC::numeric>(exponent);
    if (GiNaC::is_a<GiNaC::add>(base) && has_number && GiNaC::ex_to<GiNaC::numeric>(exponent).is_integer()) {
      const auto [content, rest] = primitive(base);
      f->number *= GiNaC::pow(content, GiNaC::ex_to<GiNaC::numeric>(exponent));
      base = rest;
    }
    const bool inverse = has_number && GiNaC::ex_to<GiNaC::numeric>(exponent).is_negative();
    if (inverse) exponent = -exponent;
    (inverse ? below : f->parts).push_back(exponent.is_equal(1) ? of(base) : power_of(base, exponent));
  }
  std::ranges::sort(f->parts, factor_before);
  std::ranges::sort(below, factor_before);
  for (const FormulaPtr& p : f->parts) f->degree += p->degree;
  for (const FormulaPtr& p : below) f->degree -= p->degree;
  f->below = below.size();
  f->parts.insert(f->parts.end(), below.begin(), below.end());
  // A lone factor without a number is no product.
  if (f->number == 1 && f->parts.size() == 1 && f->below == 0) return f->parts[0];
  finish(*f);
  return f;
}

FormulaPtr Formulas::power_of(const ex& base, const ex& exponent) {
  auto f = make_algebraic(Formula());
  f->kind = Kind::power;
  f->parts = {of(base), of(exponent)};
  f->degree = f->parts[0]->degree;
  if (GiNaC::is_a<GiNaC::numeric>(exponent) && GiNaC::ex_to<GiNaC::numeric>(exponent).is_integer() &&
      GiNaC::ex_to<GiNaC::numeric>(exponent) < 1000)
    f->degree *= GiNaC::ex_to<GiNaC::numeric>(exponent).to_int();
  finish(*f);
  return f;
}

// ---- putting it into characters

std::string Script::part(const FormulaPtr& f, Level allowed) const {
  if (f->is_negative() || f->kind == Kind::sum) {
    const std::string text = f->kind == Kind::sum ? whole_sum(*f) : [&] {
      Level level = Level::atom;
      return negative(unsigned_term(f, level));
    }();
    return allowed == Level::sum ? text : parentheses(text);
  }
  Level level = Level::atom;
  const std::string text = unsigned_term(f, level);
  return level >= allowed ? text : parentheses(text);
}

// Roughly the number of characters.
static std::size_t length_of(const Formula& f) {
  std::size_t n = f.kind == Formula::Kind::number ? 2 : f.name.size();
  if (f.kind == Formula::Kind::product && f.number != 1) n += 2;
  for (const FormulaPtr& p : f.parts) n += length_of(*p) + 1;
  return n;
}

std::string Script::whole_sum(const Formula& f) const {
  // A term with a plus sign comes first, if there is one.
  std::vector<FormulaPtr> parts = f.parts;
  const auto first = std::ranges::find_if(parts, [](const FormulaPtr& p) { return !p->is_negative(); });
  if (first != parts.end()) std::rotate(parts.begin(), first, first + 1);
  std::vector<Term> terms;
  for (const FormulaPtr& p : parts) {
    Level level = Level::atom;
    terms.push_back(
        {p->is_negative(), p->kind == Kind::sum ? parentheses(whole_sum(*p)) : unsigned_term(p, level), length_of(*p)});
  }
  return sum(terms);
}

std::string Script::unsigned_term(const FormulaPtr& f, Level& level) const {
  switch (f->kind) {
    case Kind::number: {
      const GiNaC::numeric x = GiNaC::abs(f->number);
      level = is_short_fraction(x) && !fraction_is_atom() ? Level::product : Level::atom;
      if (is_short_fraction(x)) return fraction({number(x.numer())}, {number(x.denom())});
      return number(x);
    }
    case Kind::symbol: return symbol(*f);
    case Kind::function: return applied(f);
    case Kind::power: {
      if (f->parts[1]->kind == Kind::number && f->parts[1]->number == GiNaC::numeric(1, 2))
        return root(part(f->parts[0], Level::sum));
      if (f->parts[1]->kind == Kind::number && f->parts[1]->number.is_integer() &&
          f->parts[1]->number <= GiNaC::numeric(whole_powers())) {
        level = Level::product;
        return product(std::vector<std::string>(static_cast<std::size_t>(f->parts[1]->number.to_int()),
                                                part(f->parts[0], Level::atom)));
      }
      level = Level::power;
      return power(part(f->parts[0], Level::atom), part(f->parts[1], exponent_is_free() ? Level::sum : Level::atom));
    }
    case Kind::product: return unsigned_product(*f, level);
    case Kind::sum: level = Level::sum; return whole_sum(*f);
  }
  return {};
}

std::string Script::applied(const FormulaPtr& term) const {
  const Formula& f = *term;
  using Applied = AppliedFunction::Kind;
  const auto argument = [&](std::size_t i) { return part(f.parts[i], Level::sum); };
  if (f.applied.kind == Applied::choice) return choice(condition(f.parts[0]), argument(1), argument(2));
  if (f.name == "side_abs") return function("sign", {argument(0)});
  if (f.name == "side_mod")
    return function("floor", {fraction({part(f.parts[0], Level::power)}, {part(f.parts[1], Level::power)})});
  const bool compares = f.applied.kind == Applied::side && f.parts.size() == 2;
  if (compares || f.applied.kind == Applied::logic) return choice(condition(term), "1", "0");
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < f.parts.size(); ++i) arguments.push_back(argument(i));
  return function(f.name, arguments);
}

std::string Script::condition(const FormulaPtr& f) const {
  const auto argument = [&](std::size_t i) { return part(f->parts[i], Level::sum); };
  const std::string& name = f->name;
  if (f->kind != Kind::function) return part(f, Level::sum);
  if (name == "less") return relation(argument(0), Relation::less, argument(1));
  if (name == "less_equal" || name == "side_max") return relation(argument(0), Relation::less_equal, argument(1));
  if (name == "side_min") return relation(argument(1), Relation::less_equal, argument(0));
  if (name == "and") return logic(true, condition(f->parts[0]), condition(f->parts[1]));
  if (name == "or") return logic(false, condition(f->parts[0]), condition(f->parts[1]));
  if (name == "select") return choice(condition(f->parts[0]), condition(f->parts[1]), condition(f->parts[2]));
  if (name != "not") return part(f, Level::sum);
  const Formula& denied = *f->parts[0];
  const auto deny = [&](Relation r) {
    return relation(part(denied.parts[0], Level::sum), r, part(denied.parts[1], Level::sum));
  };
  if (denied.name == "less") return deny(Relation::greater_equal);
  if (denied.name == "less_equal") return deny(Relation::greater);
  return choice(condition(f->parts[0]), "0", "1");
}

std::string Script::unsigned_product(const Formula& f, Level& level) const {
  const GiNaC::numeric x = GiNaC::abs(f.number);
  const bool split = is_short_fraction(x);
  std::vector<std::string> above, below;
  if (split ? x.numer() != 1 : x != 1) above.push_back(number(split ? x.numer() : x));
  if (split) below.push_back(number(x.denom()));
  const std::size_t tops = f.parts.size() - f.below;
  // A factor that stands alone under or over a fraction bar needs no parentheses there.
  const bool lone_top = fraction_is_atom() && tops == 1 && above.empty() && (f.below > 0 || split);
  const bool lone_bottom = fraction_is_atom() && f.below == 1 && !split;
  for (std::size_t i = 0; i < f.parts.size(); ++i) {
    const bool is_top = i < tops;
    const bool free = is_top ? lone_top : lone_bottom;
    (is_top ? above : below).push_back(part(f.parts[i], free ? Level::sum : Level::power));
  }
  if (below.empty()) {
    level = above.size() == 1 && f.parts.size() == 1 && f.parts[0]->kind != Kind::power ? Level::atom : Level::product;
    return product(above);
  }
  level = fraction_is_atom() ? Level::power : Level::product;
  return fraction(above, below);
}

bool is_short_fraction(const GiNaC::numeric& x) {
  if (!x.is_rational() || x.is_integer()) return false;
  if (GiNaC::abs(x.numer()) > 99999 || x.denom() > 99999) return false;
  // Decimals such as 9.81 are shown as such.
  const long d = x.denom().to_long();
  return !(d > 12 && 1000000 % d == 0);
}

std::string decimal(double x) {
  std::string s = fmt::format("{:.15g}", x);
  return std::stod(s) == x ? s : fmt::format("{:.17g}", x);
}

}  // namespace plumb
