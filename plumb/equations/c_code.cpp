#include "plumb/equations/c_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plumb/equations/algebra_lock.h"
#include "plumb/equations/equation_simulation.h"
#include "plumb/equations/scripts.h"

namespace plumb {
namespace {

using GiNaC::ex;

// a x = b by elimination with row pivoting; b becomes x.
constexpr const char* solver_text = R"(
static void plumb_solve(int n, double *a, double *b)
{
  int i, j, k, p;
  double s;
  for (k = 0; k < n; ++k) {
    p = k;
    for (i = k + 1; i < n; ++i)
      if (fabs(a[i*n + k]) > fabs(a[p*n + k])) p = i;
    for (j = 0; j < n; ++j) { s = a[k*n + j]; a[k*n + j] = a[p*n + j]; a[p*n + j] = s; }
    s = b[k]; b[k] = b[p]; b[p] = s;
    for (i = k + 1; i < n; ++i) {
      s = a[i*n + k]/a[k*n + k];
      for (j = k; j < n; ++j) a[i*n + j] -= s*a[k*n + j];
      b[i] -= s*b[k];
    }
  }
  for (i = n - 1; i >= 0; --i) {
    for (j = i + 1; j < n; ++j) b[i] -= a[i*n + j]*b[j];
    b[i] /= a[i*n + i];
  }
}
)";

// x = H' (H H')^-1 r over rows and columns of one stage (stage 1: all of them).
constexpr const char* projection_text = R"(
/* x becomes the smallest vector with H x = r over the rows and columns of a stage (0: all of them). */
static void plumb_least_norm(const double *H, const double *r, int stage, double *x)
{
  double S[PLUMB_M*PLUMB_M], b[PLUMB_M];
  int row[PLUMB_M], m = 0, i, j, k;
  for (i = 0; i < PLUMB_M; ++i)
    if (stage == 0 || plumb_row_stage[i] == stage) row[m++] = i;
  for (k = 0; k < PLUMB_N; ++k) x[k] = 0;
  if (m == 0) return;
  for (i = 0; i < m; ++i) {
    b[i] = r[row[i]];
    for (j = 0; j < m; ++j) {
      S[i*m + j] = 0;
      for (k = 0; k < PLUMB_N; ++k)
        if (stage == 0 || plumb_state_stage[k] == stage)
          S[i*m + j] += H[row[i]*PLUMB_N + k]*H[row[j]*PLUMB_N + k];
    }
  }
  plumb_solve(m, S, b);
  for (k = 0; k < PLUMB_N; ++k)
    if (stage == 0 || plumb_state_stage[k] == stage)
      for (i = 0; i < m; ++i) x[k] += H[row[i]*PLUMB_N + k]*b[i];
}
)";

constexpr const char* project_text = R"(
/* Moves y back onto the constraints and their derivatives, stage by stage. */
static void plumb_project(double t, double *y)
{
  double c[PLUMB_M], H[PLUMB_M*PLUMB_N], x[PLUMB_N], change;
  int stage, i, n;
  for (stage = PLUMB_FIRST_STAGE; stage < 0; ++stage)
    for (n = 0; n < 10; ++n) {
      plumb_constraints(t, y, c, H);
      plumb_least_norm(H, c, stage, x);
      change = 0;
      for (i = 0; i < PLUMB_N; ++i) {
        y[i] -= x[i];
        if (fabs(x[i])/(1 + fabs(y[i])) > change) change = fabs(x[i])/(1 + fabs(y[i]));
      }
      if (change < 1e-15) break;
    }
}
)";

class CWriter {
 public:
  explicit CWriter(const Model& model)
      : model_(model),
        method_(find_equation_method(model.simulation)),
        r_(reduce(model, method_.form, method_.is_stabilised)),
        omega_(choose_omega(method_, model.simulation)),
        script_([this](const Formula& f) { return name(f); }) {}

  std::string write() {
    head();
    const bool constrained = (r_.form == Form::projected || r_.form == Form::ggl) && !r_.invariants.empty();
    bool solves = constrained;
    for (const SolvedBlock& b : r_.blocks) solves = solves || b.unknowns.size() > 1 || !b.is_linear;
    if (solves) out_ += solver_text;
    if (constrained) {
      constraints();
      out_ += projection_text;
      if (r_.form == Form::projected) out_ += project_text;
    }
    right_hand_side(constrained && r_.form == Form::ggl);
    step(constrained && r_.form == Form::projected);
    return out_;
  }

 private:
  static std::string identifier(std::string name) {
    int order = 0;
    while (!name.empty() && name.back() == '\'') name.pop_back(), ++order;
    for (char& c : name)
      if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return order ? fmt::format("{}_{}", name, order) : name;
  }

  std::string name(const Formula& f) const {
    if (GiNaC::is_a<GiNaC::constant>(f.symbol)) return "3.14159265358979323846";
    const bool is_parameter = r_.dae.symbols.is_parameter(f.symbol) || f.symbol.is_equal(r_.omega);
    if (f.symbol.is_equal(r_.dae.symbols.time())) return "t";
    return (is_parameter ? "p_" : "v_") + identifier(f.name);
  }
  std::string c(const ex& e) { return script_.write(formulas_.of(e)); }

  void head() {
    const auto comment = [](std::string text) {
      for (std::size_t at = 0; (at = text.find("*/", at)) != std::string::npos;) text.replace(at, 2, "* /");
      return text;
    };
    out_ += fmt::format("/* {}\n   Method {}. State y, {} numbers:\n", comment(model_.title), method_.name,
                        r_.states.size());
    for (std::size_t i = 0; i < r_.states.size(); ++i)
      out_ += fmt::format("     y[{}]  {}\n", i, r_.dae.symbols.name(r_.states[i].place));
    out_ += "   From the equations\n";
    for (const DaeEquation& e : r_.dae.equations) out_ += fmt::format("     {}\n", comment(e.text));
    out_ += fmt::format("*/\n#include <math.h>\n\n#define PLUMB_N {}\n", r_.states.size());
    for (const auto& [parameter, symbol] : r_.dae.symbols.parameters())
      out_ += fmt::format("#define p_{} ({:.17g})\n", identifier(parameter), r_.dae.symbols.value(symbol));
    if (r_.is_stabilised) out_ += fmt::format("#define p_{} ({:.17g})\n", identifier(r_.omega.get_name()), omega_);
  }

  void unpack() {
    for (std::size_t i = 0; i < r_.states.size(); ++i)
      out_ += fmt::format("  const double v_{} = y[{}];\n", identifier(r_.dae.symbols.name(r_.states[i].place)), i);
  }

  void use(const std::string& indent = "  ") {
    out_ += indent + "(void)t;\n";
    for (const StateVariable& s : r_.states)
      out_ += fmt::format("{}(void)v_{};\n", indent, identifier(r_.dae.symbols.name(s.place)));
  }

  void constraints() {
    std::vector<int> rows, columns;
    int first = 0;
    for (const Invariant& i : r_.invariants) rows.push_back(i.stage), first = std::min(first, i.stage);
    for (const StateVariable& s : r_.states) columns.push_back(s.stage);
    out_ += fmt::format(
        "#define PLUMB_M {}\n#define PLUMB_FIRST_STAGE ({})\nstatic const int plumb_row_stage[PLUMB_M] = {{{}}};\n"
        "static const int plumb_state_stage[PLUMB_N] = {{{}}};\n",
        rows.size(), first, fmt::join(rows, ", "), fmt::join(columns, ", "));
    out_ +=
        "\n/* The constraints with their derivatives, and their Jacobian by rows. */\n"
        "static void plumb_constraints(double t, const double *y, double *c, double *H)\n{\n";
    unpack();
    out_ += "  int k;\n";
    use();
    out_ += "  for (k = 0; k < PLUMB_M*PLUMB_N; ++k) H[k] = 0;\n";
    for (std::size_t i = 0; i < r_.invariants.size(); ++i) {
      out_ += fmt::format("  c[{}] = {};\n", i, c(r_.invariants[i].value));
      for (std::size_t j = 0; j < r_.states.size(); ++j) {
        const ex e = r_.invariants[i].value.diff(GiNaC::ex_to<GiNaC::symbol>(r_.states[j].symbol));
        if (!e.is_zero()) out_ += fmt::format("  H[{}] = {};\n", i * r_.states.size() + j, c(e));
      }
    }
    out_ += "}\n";
  }

  void right_hand_side(bool holds) {
    out_ += "\n/* f = y' at (t, y). */\nvoid plumb_rhs(double t, const double *y, double *f)\n{\n";
    unpack();
    for (const Symbols::Place& p : r_.tops)
      out_ += fmt::format("  double v_{} = 0;\n", identifier(r_.dae.symbols.name(p)));
    std::size_t largest = 0;
    bool nonlinear = false;
    for (const SolvedBlock& b : r_.blocks) {
      if (b.unknowns.size() > 1 || !b.is_linear) largest = std::max(largest, b.unknowns.size());
      nonlinear = nonlinear || !b.is_linear;
    }
    if (largest) out_ += fmt::format("  double A[{}], b[{}];\n", largest * largest, largest);
    if (nonlinear) out_ += "  int n;\n  double change;\n";
    if (holds) out_ += "  double c[PLUMB_M], H[PLUMB_M*PLUMB_N], x[PLUMB_N], r[PLUMB_M];\n  int k;\n";
    use();
    for (const Symbols::Place& p : r_.tops) out_ += fmt::format("  (void)v_{};\n", identifier(r_.dae.symbols.name(p)));
    for (const SolvedBlock& b : r_.blocks) block(b);
    for (std::size_t i = 0; i < r_.states.size(); ++i) out_ += fmt::format("  f[{}] = {};\n", i, c(r_.states[i].rate));
    if (holds) {
      out_ += "  plumb_constraints(t, y, c, H);\n";
      for (std::size_t i = 0; i < r_.invariants.size(); ++i) {
        std::string next = "0";
        for (std::size_t k = 0; k < r_.invariants.size(); ++k)
          if (r_.invariants[k].equation == r_.invariants[i].equation &&
              r_.invariants[k].order == r_.invariants[i].order + 1)
            next = fmt::format("c[{}]", k);
        out_ += fmt::format("  r[{}] = {};\n", i, next);
      }
      out_ += "  plumb_least_norm(H, r, 0, x);\n  for (k = 0; k < PLUMB_N; ++k) f[k] -= x[k];\n";
    }
    out_ += "}\n";
  }

  void block(const SolvedBlock& b) {
    const BlockEquations e = equations_of(r_, b);
    const std::size_t n = b.unknowns.size();
    const auto unknown = [&](std::size_t j) {
      return "v_" + identifier(r_.dae.symbols.name(r_.tops[static_cast<std::size_t>(b.unknowns[j])]));
    };
    if (b.is_linear && n == 1) {
      out_ += fmt::format("  {} = {};\n", unknown(0), c(solution_of(r_, b)));
      return;
    }
    const std::string indent = b.is_linear ? "  " : "    ";
    if (!b.is_linear) out_ += "  for (n = 0; n < 60; ++n) {\n";
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) out_ += fmt::format("{}A[{}] = {};\n", indent, i * n + j, c(e.matrix[i][j]));
      out_ += fmt::format("{}b[{}] = {};\n", indent, i, c(e.right[i]));
    }
    out_ += fmt::format("{}plumb_solve({}, A, b);\n", indent, n);
    for (std::size_t j = 0; j < n; ++j)
      out_ += fmt::format("{}{} {} b[{}];\n", indent, unknown(j), b.is_linear ? "=" : "-=", j);
    if (b.is_linear) return;
    out_ += "    change = 0;\n";
    for (std::size_t j = 0; j < n; ++j)
      out_ += fmt::format("    if (fabs(b[{0}])/(1 + fabs({1})) > change) change = fabs(b[{0}])/(1 + fabs({1}));\n", j,
                          unknown(j));
    out_ += "    if (change < 4e-16) break;\n  }\n";
  }

  void step(bool projects) {
    const Tableau& t = *method_.tableau;
    if (t.is_implicit)
      throw InputError(model_.simulation.source, "method",
                       fmt::format("{} solves for its stages, which `derive --c` does not write; choose an explicit "
                                   "method, e.g. dopri5",
                                   t.name));
    out_ += fmt::format("\n/* One step of {} (order {}) from t to t + h; y is overwritten. */\n", t.name, t.order);
    out_ += fmt::format(
        "void plumb_step(double t, double h, double *y)\n{{\n  double k[{0}][PLUMB_N], s[PLUMB_N];\n  int i;\n",
        t.stages);
    const auto sum = [](const std::vector<double>& w) {
      std::string text;
      for (std::size_t j = 0; j < w.size(); ++j)
        if (w[j] != 0) text += fmt::format("{}{:.17g}*k[{}][i]", text.empty() ? "" : " + ", w[j], j);
      return text;
    };
    for (int i = 0; i < t.stages; ++i) {
      const std::string terms = sum(t.a[static_cast<std::size_t>(i)]);
      out_ += terms.empty() ? "  for (i = 0; i < PLUMB_N; ++i) s[i] = y[i];\n"
                            : fmt::format("  for (i = 0; i < PLUMB_N; ++i) s[i] = y[i] + h*({});\n", terms);
      out_ += fmt::format("  plumb_rhs(t + {:.17g}*h, s, k[{}]);\n", t.c[static_cast<std::size_t>(i)], i);
    }
    out_ += fmt::format("  for (i = 0; i < PLUMB_N; ++i) y[i] += h*({});\n", sum(t.b));
    if (projects) out_ += "  plumb_project(t + h, y);\n";
    out_ += "}\n";
  }

  const Model& model_;
  EquationMethod method_;
  Reduction r_;
  double omega_;
  Formulas formulas_;
  CScript script_;
  std::string out_;
};

}  // namespace

std::string c_code(const Model& model) {
  const AlgebraLock lock;
  return CWriter(model).write();
}

}  // namespace plumb
