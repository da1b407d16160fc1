#include "plumb/equations/reduction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "plumb/equations/algebra_lock.h"
#include "plumb/equations/formula.h"

namespace plumb {

using GiNaC::ex;

const std::vector<FormInfo>& forms() {
  static const std::vector<FormInfo> list = {
      {Form::index0, "index0",
       "constraints differentiated until all unknowns are states, damped: (d/dt + omega)^n g = 0"},
      {Form::index1, "index1", "algebraic unknowns solved for at every evaluation; bare, or damped if omega is given"},
      {Form::projected, "projected", "as index1, the constraints and all hidden ones restored after every step"},
      {Form::ggl, "ggl", "as index1, with velocities corrected so that every hidden constraint stays constant"}};
  return list;
}

namespace {

class Reducer {
 public:
  Reducer(const Model& model, Dae dae, Form form, bool is_stabilised) : model_(model) {
    r_.dae = std::move(dae);
    r_.form = form;
    r_.is_stabilised = is_stabilised;
    std::string name = "omega";
    while (model.parameters.contains(name) || r_.dae.symbols.find(name)) name += "_B";
    r_.omega = GiNaC::symbol(name);
  }

  Reduction reduce() {
    r_.signature = r_.dae.signature();
    r_.structure = analyse(r_.signature);
    for (int j = 0; j < symbols().unknowns(); ++j) {
      int highest = 0;
      for (int i = 0; i < r_.signature.rows(); ++i) highest = std::max(highest, r_.signature.at(i, j));
      highest_.push_back(highest);
    }
    find_definitions();
    differentiate();
    name_tops();
    name_states();
    stabilise();
    find_blocks();
    find_switches();
    return std::move(r_);
  }

 private:
  Symbols& symbols() { return r_.dae.symbols; }
  int c(int equation) const { return r_.structure.c[static_cast<std::size_t>(equation)]; }
  int d(int unknown) const { return r_.structure.d[static_cast<std::size_t>(unknown)]; }

  [[noreturn]] void fail(int equation, const std::string& message) const {
    const DaeEquation& e = r_.dae.equations[static_cast<std::size_t>(equation)];
    throw InputError(e.source, e.label, message + "\n    " + e.text);
  }

  void find_definitions() {
    definition_of_.assign(static_cast<std::size_t>(symbols().unknowns()), -1);
    for (int i = 0; i < r_.signature.rows(); ++i) {
      if (auto definition = definition_in(i)) {
        definition_of_[static_cast<std::size_t>(definition->unknown)] = static_cast<int>(r_.definitions.size());
        r_.definitions.push_back(*definition);
      } else {
        r_.rest.push_back(i);
      }
    }
  }

  // The one highest derivative in the equation, if its factor is a constant and the structure assigns it there.
  std::optional<Definition> definition_in(int equation) {
    const ex f = r_.dae.equations[static_cast<std::size_t>(equation)].residual();
    std::optional<Symbols::Place> only;
    for (const ex& s : symbols_in(f)) {
      const auto p = symbols().place(s);
      if (!p || p->order == 0 || p->order < highest_[static_cast<std::size_t>(p->unknown)]) continue;
      if (only) return std::nullopt;
      only = p;
    }
    if (!only || definition_of_[static_cast<std::size_t>(only->unknown)] >= 0) return std::nullopt;
    if (d(only->unknown) - c(equation) != only->order) return std::nullopt;
    const ex x = symbols().derivative(only->unknown, only->order);
    const ex factor = f.diff(GiNaC::ex_to<GiNaC::symbol>(x));
    for (const ex& s : symbols_in(factor))
      if (!symbols().is_parameter(s)) return std::nullopt;
    if (factor.is_zero() || switches_with(f, x)) return std::nullopt;
    return Definition{equation, only->unknown, only->order, -f.subs(x == 0) / factor};
  }

  // sign(x) has the derivative 0 and is not linear in x.
  static bool switches_with(const ex& e, const ex& x) {
    for (auto i = e.preorder_begin(); i != e.preorder_end(); ++i)
      if (GiNaC::is_a<GiNaC::function>(*i) && side_of(*i) && i->has(x)) return true;
    return false;
  }

  ex rate(const Symbols::Place& p) {
    const int number = definition_of_[static_cast<std::size_t>(p.unknown)];
    if (number >= 0 && r_.definitions[static_cast<std::size_t>(number)].order == p.order + 1)
      return r_.definitions[static_cast<std::size_t>(number)].value;
    return symbols().derivative(p.unknown, p.order + 1);
  }

  // d/dt along the solution, definitions put in.
  ex total_derivative(const ex& e) {
    ex sum = 0;
    for (const ex& s : symbols_in(e)) {
      const auto& symbol = GiNaC::ex_to<GiNaC::symbol>(s);
      if (s.is_equal(symbols().time()))
        sum += e.diff(symbol);
      else if (const auto p = symbols().place(s))
        sum += e.diff(symbol) * rate(*p);
    }
    return sum;
  }

  void differentiate() {
    GiNaC::exmap put_in;
    for (const Definition& def : r_.definitions) put_in[symbols().derivative(def.unknown, def.order)] = def.value;
    for (std::size_t k = 0; k < r_.rest.size(); ++k) {
      std::vector<ex> level = {r_.dae.equations[static_cast<std::size_t>(r_.rest[k])].residual().subs(put_in)};
      for (int n = 0; n < r_.times(static_cast<int>(k)); ++n) level.push_back(tidy(total_derivative(level.back())));
      r_.levels.push_back(level);
    }
  }

  // Multiplied out where that stays short: easier to read, and to see that something vanishes.
  static ex tidy(const ex& e) {
    if (expanded_terms(e) > 500) return e;
    for (const ex& s : symbols_in(e))
      if (!e.is_polynomial(s)) return e;
    const ex expanded = e.expand();
    return expanded.nops() <= 60 ? expanded : e;
  }

  void name_tops() {
    for (int j = 0; j < symbols().unknowns(); ++j) {
      if (definition_of_[static_cast<std::size_t>(j)] >= 0) continue;
      const int order = d(j) + (r_.form == Form::index0);
      r_.tops.push_back({j, order});
      r_.top_symbols.push_back(symbols().derivative(j, order));
    }
  }

  // Every derivative below the tops and the definitions; low orders first.
  void name_states() {
    for (int order = 0;; ++order) {
      bool any = false;
      for (int j = 0; j < symbols().unknowns(); ++j) {
        const int number = definition_of_[static_cast<std::size_t>(j)];
        const int top =
            number >= 0 ? r_.definitions[static_cast<std::size_t>(number)].order : d(j) + (r_.form == Form::index0);
        if (order >= top) continue;
        any = true;
        const Symbols::Place p{j, order};
        r_.states.push_back({p, order - d(j), symbols().derivative(j, order), rate(p)});
      }
      if (!any) break;
    }
    for (std::size_t k = 0; k < r_.rest.size(); ++k)
      for (int order = 0; order < r_.times(static_cast<int>(k)); ++order)
        r_.invariants.push_back(
            {r_.rest[k], order, order - c(r_.rest[k]), r_.levels[k][static_cast<std::size_t>(order)]});
  }

  void stabilise() {
    for (std::size_t k = 0; k < r_.rest.size(); ++k) {
      const int n = r_.times(static_cast<int>(k));
      ex sum = r_.levels[k][static_cast<std::size_t>(n)];
      long binomial = 1;
      for (int i = n - 1; i >= 0 && r_.is_stabilised; --i) {
        binomial = binomial * (i + 1) / (n - i);
        sum += binomial * GiNaC::pow(r_.omega, n - i) * r_.levels[k][static_cast<std::size_t>(i)];
      }
      r_.stabilised.push_back(sum);
    }
  }

  void find_blocks() {
    const int n = static_cast<int>(r_.rest.size());
    Signature pattern(n, n);
    std::vector<std::vector<ex>> jacobian(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const ex e = r_.jacobian(i, j);
        jacobian[static_cast<std::size_t>(i)].push_back(e);
        if (!e.is_zero()) pattern.set(i, j, 0);
      }
    const Matching m = match(pattern);
    if (m.size < n) misled(pattern, m);
    for (const Block& b : triangular_blocks(pattern)) {
      SolvedBlock block{b.rows, b.columns, true};
      for (int i : b.rows)
        for (int j : b.columns)
          for (int k : b.columns)
            if (jacobian[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)].has(
                    r_.top_symbols[static_cast<std::size_t>(k)]) ||
                switches_with(r_.stabilised[static_cast<std::size_t>(i)], r_.top_symbols[static_cast<std::size_t>(k)]))
              block.is_linear = false;
      r_.blocks.push_back(block);
    }
  }

  // The signature promised derivatives that cancel.
  [[noreturn]] void misled(const Signature& pattern, const Matching& m) {
    const Imbalance part = too_many_equations(pattern, m);
    std::vector<std::string> names;
    for (int j : part.columns) names.push_back(symbols().name(r_.tops[static_cast<std::size_t>(j)]));
    std::string text;
    for (int i : part.rows) {
      const DaeEquation& e = r_.dae.equations[static_cast<std::size_t>(r_.rest[static_cast<std::size_t>(i)])];
      text += fmt::format("\n    {}: {}", e.label, e.text);
    }
    throw InputError(
        model_.equations->source, "equations",
        fmt::format("the structure misleads: after the differentiations it asks for, these {} equations "
                    "determine {}; terms cancel that the signature counts. Rewrite them so that no "
                    "combination of them holds fewer derivatives:{}",
                    part.rows.size(),
                    names.empty() ? "none of the highest derivatives" : fmt::format("only {}", fmt::join(names, ", ")),
                    text));
  }

  void find_switches() {
    for (const Definition& d : r_.definitions) collect(d.value, d.equation);
    for (std::size_t k = 0; k < r_.rest.size(); ++k)
      for (const ex& level : r_.levels[k]) collect(level, r_.rest[k]);
  }

  // In the order of formulas: GiNaC's own differs from run to run.
  void collect(const ex& e, int equation) {
    if (!has_functions(e)) return;
    visit(formulas_.of(e), equation);
  }
  void visit(const FormulaPtr& f, int equation) {
    for (const FormulaPtr& p : f->parts) visit(p, equation);
    const FormulaPtr side = f->kind != Formula::Kind::function               ? nullptr
                            : f->applied.kind == AppliedFunction::Kind::side ? f
                                                                             : f->side;
    if (!side || !seen_.insert(side.get()).second) return;
    r_.switches.push_back({side->symbol, equation});
  }
  static bool has_functions(const ex& e) {
    for (auto i = e.preorder_begin(); i != e.preorder_end(); ++i)
      if (GiNaC::is_a<GiNaC::function>(*i)) return true;
    return false;
  }

  const Model& model_;
  Reduction r_;
  Formulas formulas_;
  std::set<const Formula*> seen_;
  std::vector<int> highest_;
  std::vector<int> definition_of_;
};

}  // namespace

double expanded_terms(const ex& e) {
  constexpr double many = 1e9;
  double n = 1;
  if (GiNaC::is_a<GiNaC::add>(e)) {
    n = 0;
    for (std::size_t i = 0; i < e.nops() && n < many; ++i) n += expanded_terms(e.op(i));
  } else if (GiNaC::is_a<GiNaC::mul>(e)) {
    for (std::size_t i = 0; i < e.nops() && n < many; ++i) n *= expanded_terms(e.op(i));
  } else if (GiNaC::is_a<GiNaC::power>(e)) {
    const double base = expanded_terms(e.op(0));
    n = base == 1 ? 1
        : GiNaC::is_a<GiNaC::numeric>(e.op(1))
            ? std::pow(base, std::abs(GiNaC::ex_to<GiNaC::numeric>(e.op(1)).to_double()))
            : many;
  }
  return std::min(n, many);
}

ex Reduction::jacobian(int equation, int top) const {
  return stabilised[static_cast<std::size_t>(equation)].diff(
      GiNaC::ex_to<GiNaC::symbol>(top_symbols[static_cast<std::size_t>(top)]));
}

ex Reduction::without(int equation, const SolvedBlock& block) const {
  GiNaC::exmap zero;
  for (int j : block.unknowns) zero[top_symbols[static_cast<std::size_t>(j)]] = 0;
  return stabilised[static_cast<std::size_t>(equation)].subs(zero);
}

Reduction reduce(const Model& model, Dae dae, Form form, bool is_stabilised) {
  const AlgebraLock lock;
  return Reducer(model, std::move(dae), form, is_stabilised).reduce();
}

Reduction reduce(const Model& model, Form form, bool is_stabilised) {
  const AlgebraLock lock;
  return reduce(model, read_dae(model), form, is_stabilised);
}

}  // namespace plumb
