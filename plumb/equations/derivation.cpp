#include "plumb/equations/derivation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include "plumb/equations/algebra_lock.h"

namespace plumb {
namespace {

using GiNaC::ex;

std::string plural(int n, const std::string& what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

class Deriver {
 public:
  explicit Deriver(const Model& model)
      : model_(model),
        method_(find_equation_method(model.simulation)),
        r_(reduce(model, method_.form, method_.is_stabilised)) {}

  Derivation write() {
    out_.title = model_.title.empty() ? "Equations" : model_.title;
    given();
    structure();
    definitions();
    differentiation();
    stabilisation();
    solution();
    right_hand_side();
    step();
    return std::move(out_);
  }

 private:
  FormulaPtr f(const ex& e) { return formulas_.of(e); }
  FormulaPtr shown(const ex& e) { return f(short_form(e)); }
  const Symbols& symbols() const { return r_.dae.symbols; }
  ex symbol(const Symbols::Place& p) { return r_.dae.symbols.derivative(p.unknown, p.order); }
  DerivationSection& section(const std::string& title, const std::string& sentence) {
    return out_.sections.emplace_back(DerivationSection{title, sentence, {}, {}, {}});
  }

  // Multiplied out and over one denominator where that stays short.
  ex short_form(const ex& e) {
    for (const ex& s : symbols_in(e))
      if (!e.numer_denom().op(0).is_polynomial(s)) return e;
    if (expanded_terms(e) > 200) return e;
    const ex fraction = e.normal();
    const ex top = fraction.numer().expand(), bottom = fraction.denom();
    // GiNaC leaves it open where the sign goes; the first term below the bar is positive.
    const FormulaPtr below = f(bottom);
    const bool flip = below->is_negative() || (below->kind == Formula::Kind::sum && below->parts[0]->is_negative());
    return flip ? (-top).expand() / (-bottom).expand() : top / bottom;
  }

  void given() {
    DerivationSection& s = section(
        "Equations",
        fmt::format("{} for the unknowns {}.", plural(r_.signature.rows(), "equation"), fmt::join(names(), ", ")));
    for (const DaeEquation& e : r_.dae.equations) s.lines.push_back({e.label, f(e.left), f(e.right)});
    if (symbols().parameters().empty()) return;
    for (const auto& [name, parameter] : symbols().parameters())
      s.after.push_back({"parameter", f(parameter), f(GiNaC::numeric(symbols().value(parameter)))});
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (int j = 0; j < symbols().unknowns(); ++j) all.push_back(symbols().name(j));
    return all;
  }

  void structure() {
    const Structure& st = r_.structure;
    DerivationSection& s = section(
        "Structure",
        fmt::format("The signature matrix holds the highest order of each unknown in each equation; brackets mark the "
                    "assignment with the largest sum. Equation i is differentiated c times, and unknown j is then "
                    "determined in its derivative of order d. Structural index {}, {}.",
                    st.index,
                    st.degrees_of_freedom == 1 ? std::string("1 degree of freedom")
                                               : fmt::format("{} degrees of freedom", st.degrees_of_freedom)));
    const int n = r_.signature.rows();
    if (n > 24) {
      for (int i = 0; i < n; ++i)
        if (st.c[static_cast<std::size_t>(i)] > 0)
          s.lines.push_back({fmt::format("{}: c = {}", r_.dae.equations[static_cast<std::size_t>(i)].label,
                                         st.c[static_cast<std::size_t>(i)]),
                             {},
                             {}});
      return;
    }
    s.table.head = {""};
    for (const std::string& name : names()) s.table.head.push_back(name);
    s.table.head.emplace_back("c");
    for (int i = 0; i < n; ++i) {
      std::vector<std::string> row = {r_.dae.equations[static_cast<std::size_t>(i)].label};
      for (int j = 0; j < n; ++j) {
        const std::string order = r_.signature.has(i, j) ? std::to_string(r_.signature.at(i, j)) : "·";
        row.push_back(st.assignment[static_cast<std::size_t>(i)] == j ? "[" + order + "]" : order);
      }
      row.push_back(std::to_string(st.c[static_cast<std::size_t>(i)]));
      s.table.rows.push_back(row);
    }
    std::vector<std::string> last = {"d"};
    for (int d : st.d) last.push_back(std::to_string(d));
    last.emplace_back("");
    s.table.rows.push_back(last);
  }

  void definitions() {
    if (r_.definitions.empty()) return;
    DerivationSection& s = section("Definitions",
                                   "Equations that give a highest derivative by themselves; it is replaced "
                                   "wherever it turns up below.");
    for (const Definition& d : r_.definitions)
      s.lines.push_back({r_.dae.equations[static_cast<std::size_t>(d.equation)].label,
                         f(r_.dae.symbols.derivative(d.unknown, d.order)), f(d.value)});
  }

  void differentiation() {
    if (r_.rest.empty()) return;
    DerivationSection& s = section("Differentiation", "The other equations, written as f = 0, and their derivatives.");
    for (std::size_t k = 0; k < r_.rest.size(); ++k)
      for (std::size_t n = 0; n < r_.levels[k].size(); ++n) {
        const std::string& label = r_.dae.equations[static_cast<std::size_t>(r_.rest[k])].label;
        s.lines.push_back(
            {n == 0 ? label : fmt::format("{}, differentiated {}", label, times(n)), shown(r_.levels[k][n]), f(0)});
      }
  }

  static std::string times(std::size_t n) { return n == 1 ? "once" : n == 2 ? "twice" : fmt::format("{} times", n); }

  void stabilisation() {
    bool any = false;
    for (std::size_t k = 0; k < r_.rest.size(); ++k) any = any || r_.times(static_cast<int>(k)) > 0;
    if (!r_.is_stabilised || !any) return;
    DerivationSection& s = section("Stabilisation",
                                   "Each derivative f⁽ⁿ⁾ = 0 is replaced by (d/dt + ω)ⁿ f = 0, whose "
                                   "solutions decay as exp(−ω t).");
    for (std::size_t k = 0; k < r_.rest.size(); ++k) {
      const int n = r_.times(static_cast<int>(k));
      if (n == 0) continue;
      s.lines.push_back({fmt::format("{}, n = {}", r_.dae.equations[static_cast<std::size_t>(r_.rest[k])].label, n),
                         shown(r_.stabilised[k]), f(0)});
    }
  }

  // Closed form of every top, where every block has one unknown.
  bool is_explicit() const {
    for (const SolvedBlock& b : r_.blocks)
      if (b.unknowns.size() > 1 || !b.is_linear) return false;
    return true;
  }

  void solution() {
    if (r_.tops.empty()) return;
    DerivationSection& s = section("Solution", "What these equations determine, block by block.");
    for (const SolvedBlock& b : r_.blocks) {
      const BlockEquations e = equations_of(r_, b);
      if (b.is_linear && b.unknowns.size() == 1) {
        const ex value = short_form(e.right[0] / e.matrix[0][0]);
        solved_[e.unknowns[0]] = value;
        s.lines.push_back({"", f(e.unknowns[0]), f(value)});
        continue;
      }
      std::vector<std::string> unknowns;
      for (int j : b.unknowns) unknowns.push_back(symbols().name(r_.tops[static_cast<std::size_t>(j)]));
      s.lines.push_back({fmt::format("{} in {}: {}, solved at every evaluation by {}",
                                     plural(static_cast<int>(b.equations.size()), "equation"),
                                     fmt::join(unknowns, ", "), b.is_linear ? "linear" : "nonlinear",
                                     b.is_linear ? "elimination with pivoting" : "Newton's method"),
                         {},
                         {}});
      for (std::size_t i = 0; i < e.right.size(); ++i) {
        ex left = 0;
        for (std::size_t j = 0; j < e.unknowns.size() && b.is_linear; ++j) left += e.matrix[i][j] * e.unknowns[j];
        s.lines.push_back(
            {r_.dae.equations[static_cast<std::size_t>(r_.rest[static_cast<std::size_t>(b.equations[i])])].label,
             b.is_linear ? f(left) : shown(e.right[i]), b.is_linear ? shown(e.right[i]) : f(0)});
      }
    }
  }

  ex rate(const StateVariable& s) const { return s.rate.subs(solved_); }

  void right_hand_side() {
    DerivationSection& s =
        section("Right-hand side", fmt::format("The system as it is integrated, {} states.", r_.states.size()));
    for (const StateVariable& v : r_.states)
      s.lines.push_back({"", f(r_.dae.symbols.derivative(v.place.unknown, v.place.order + 1)),
                         is_explicit() && r_.states.size() <= 12 ? shown(rate(v)) : f(v.rate)});
    if (r_.form == Form::projected && !r_.invariants.empty())
      s.after.push_back({"After every step the state is moved, as little as possible, back onto", {}, {}});
    if (r_.form == Form::ggl && !r_.invariants.empty())
      s.after.push_back({"From the right-hand side its part that would change the following is taken out", {}, {}});
    if (r_.form == Form::projected || r_.form == Form::ggl)
      for (const Invariant& i : r_.invariants) s.after.push_back({"", shown(i.value), f(0)});
  }

  // The state with a letter: O at the start of the step, H at a stage, N at its end.
  GiNaC::exmap lettered(const std::string& letter) {
    GiNaC::exmap map;
    for (const StateVariable& v : r_.states) {
      std::string name = symbols().name(v.place.unknown);
      name += std::string(static_cast<std::size_t>(v.place.order), 'p') + "_" + letter;
      auto& known = letters_[name];
      if (known.is_zero()) known = GiNaC::symbol(name);
      map[v.symbol] = known;
    }
    return map;
  }

  void step() {
    const Tableau& t = *method_.tableau;
    DerivationSection& s =
        section("Step", fmt::format("One step of {} (order {}) from O to N with step h.", t.name, t.order));
    const bool direct = is_explicit() && r_.states.size() <= 12 && !r_.dae.signature().rows() == 0 && t.stages <= 2 &&
                        (t.stages == 1 || t.b[0] == 0);
    if (!direct || r_.form == Form::ggl) return general_step(s, t);
    const GiNaC::symbol h("h");
    const auto moved = [&](const GiNaC::exmap& at, double fraction, double time, const std::string& to,
                           const std::string& label) {
      const GiNaC::exmap start = lettered("O"), end = lettered(to);
      GiNaC::exmap place = at;
      place[symbols().time()] = symbols().time() + exact_fraction(time) * h;
      for (const StateVariable& v : r_.states)
        s.lines.push_back({label, f(v.symbol.subs(end)),
                           shown(v.symbol.subs(start) + exact_fraction(fraction) * h * rate(v).subs(place))});
    };
    if (t.stages == 1) return moved(lettered("O"), 1, 0, "N", "");
    moved(lettered("O"), t.a[1][0], 0, "H", fmt::format("first stage, {} step", t.a[1][0] == 1 ? "full" : "half"));
    moved(lettered("H"), 1, t.c[1], "N", "full step");
  }

  static ex exact_fraction(double x) { return GiNaC::numeric(std::lround(x * 2)) / GiNaC::numeric(2); }

  void general_step(DerivationSection& s, const Tableau& t) {
    const auto number = [](double x) {
      for (int q = 1; q <= 24; ++q)
        if (std::abs(x * q - std::round(x * q)) < 1e-13)
          return q == 1 ? fmt::format("{}", std::lround(x)) : fmt::format("{}/{}", std::lround(x * q), q);
      return fmt::format("{:.6g}", x);
    };
    const auto combination = [&](const std::vector<double>& w) {
      std::string sum;
      for (std::size_t j = 0; j < w.size(); ++j)
        if (w[j] != 0)
          sum += fmt::format("{}{}k{}", sum.empty() ? "" : " + ", w[j] == 1 ? "" : number(w[j]) + " ", j + 1);
      return sum;
    };
    for (int i = 0; i < t.stages; ++i) {
      const std::string sum = combination(t.a[static_cast<std::size_t>(i)]);
      const std::string y = sum.empty() ? "y" : fmt::format("y + h ({})", sum);
      const std::string time = t.c[static_cast<std::size_t>(i)] == 0
                                   ? "t"
                                   : fmt::format("t + {} h", number(t.c[static_cast<std::size_t>(i)]));
      s.lines.push_back({fmt::format("k{} = F({}, {})", i + 1, time, y), {}, {}});
    }
    s.lines.push_back({fmt::format("y_N = y + h ({})", combination(t.b)), {}, {}});
    if (r_.form == Form::projected && !r_.invariants.empty()) s.lines.push_back({"then y_N is projected", {}, {}});
  }

  const Model& model_;
  EquationMethod method_;
  Reduction r_;
  Formulas formulas_;
  Derivation out_;
  GiNaC::exmap solved_;
  std::map<std::string, ex> letters_;
};

}  // namespace

Derivation derive(const Model& model) {
  const AlgebraLock lock;
  return Deriver(model).write();
}

}  // namespace plumb
