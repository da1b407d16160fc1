#include "plumb/equations/scripts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace plumb {
namespace {

struct Greek {
  const char* name;
  const char* letter;
};
constexpr std::array<Greek, 26> greek = {
    {{"alpha", "α"}, {"beta", "β"},  {"gamma", "γ"}, {"delta", "δ"},  {"epsilon", "ε"}, {"zeta", "ζ"}, {"eta", "η"},
     {"theta", "θ"}, {"iota", "ι"},  {"kappa", "κ"}, {"lambda", "λ"}, {"mu", "μ"},      {"nu", "ν"},   {"xi", "ξ"},
     {"pi", "π"},    {"rho", "ρ"},   {"sigma", "σ"}, {"tau", "τ"},    {"phi", "φ"},     {"chi", "χ"},  {"psi", "ψ"},
     {"omega", "ω"}, {"Omega", "Ω"}, {"Phi", "Φ"},   {"Theta", "Θ"},  {"Delta", "Δ"}}};

// x12'' -> stem x, index 12, two primes; bob_x -> stem bob, index x; phi and lambda3 likewise.
struct SplitName {
  std::string stem, index;
  int order = 0;
};
SplitName split(std::string name) {
  SplitName s;
  while (!name.empty() && name.back() == '\'') name.pop_back(), ++s.order;
  std::size_t at = name.find('_');
  if (at != std::string::npos && at > 0 && at + 1 < name.size()) {
    s.stem = name.substr(0, at);
    s.index = name.substr(at + 1);
  } else {
    at = name.find_last_not_of("0123456789");
    s.stem = name.substr(0, at + 1);
    s.index = name.substr(at + 1);
  }
  return s;
}

constexpr std::size_t line_length = 72;  // of a sum that is broken into lines

template <class Terms>
std::string in_one_line(const Terms& terms) {
  std::string text;
  for (const auto& t : terms) {
    if (text.empty())
      text = (t.is_negative ? "-" : "") + t.text;
    else
      text += (t.is_negative ? " - " : " + ") + t.text;
  }
  return text;
}

std::string written(const GiNaC::numeric& x) {
  return x.is_integer() ? fmt::format("{:.0f}", x.to_double()) : decimal(x.to_double());
}

// As model files and C write them.
std::string plain_relation(const std::string& a, int relation, const std::string& b) {
  constexpr const char* signs[] = {"<", "<=", ">", ">="};
  return fmt::format("{} {} {}", a, signs[relation], b);
}
std::string plain_logic(bool is_and, const std::string& a, const std::string& b) {
  return fmt::format("({} {} {})", a, is_and ? "&&" : "||", b);
}
std::string plain_choice(const std::string& condition, const std::string& yes, const std::string& no) {
  return fmt::format("({} ? {} : {})", condition, yes, no);
}

class TextScript : public Script {
 protected:
  std::string number(const GiNaC::numeric& x) const override { return written(x); }
  std::string symbol(const Formula& f) const override { return f.name; }
  std::string function(const std::string& name, const std::vector<std::string>& a) const override {
    return fmt::format("{}({})", name, fmt::join(a, ", "));
  }
  std::string relation(const std::string& a, Relation r, const std::string& b) const override {
    return plain_relation(a, static_cast<int>(r), b);
  }
  std::string logic(bool is_and, const std::string& a, const std::string& b) const override {
    return plain_logic(is_and, a, b);
  }
  std::string choice(const std::string& condition, const std::string& yes, const std::string& no) const override {
    return plain_choice(condition, yes, no);
  }
  std::string power(const std::string& base, const std::string& e) const override { return base + "^" + e; }
  std::string root(const std::string& of) const override { return "sqrt(" + of + ")"; }
  std::string fraction(const std::vector<std::string>& above, const std::vector<std::string>& below) const override {
    const std::string top = above.empty() ? "1" : product(above);
    return top + "/" + (below.size() == 1 ? below[0] : parentheses(product(below)));
  }
  std::string product(const std::vector<std::string>& f) const override { return fmt::format("{}", fmt::join(f, "*")); }
  std::string sum(const std::vector<Term>& terms) const override { return in_one_line(terms); }
  std::string negative(const std::string& term) const override { return "-" + term; }
  std::string parentheses(const std::string& inside) const override { return "(" + inside + ")"; }
};

class LatexScript : public Script {
 protected:
  std::string number(const GiNaC::numeric& x) const override {
    std::string s = written(x);
    if (const auto e = s.find('e'); e != std::string::npos)
      s = s.substr(0, e) + "\\cdot 10^{" + std::to_string(std::stoi(s.substr(e + 1))) + "}";
    return s;
  }
  std::string symbol(const Formula& f) const override { return latex_name(f.name); }
  std::string function(const std::string& name, const std::vector<std::string>& a) const override {
    if (name == "abs") return "\\left|" + a[0] + "\\right|";
    static const std::vector<std::string> own = {"sin",  "cos", "tan", "sinh", "cosh",
                                                 "tanh", "exp", "log", "min",  "max"};
    std::string head = std::ranges::count(own, name) ? "\\" + name : "\\operatorname{" + name + "}";
    if (name == "asin" || name == "acos" || name == "atan") head = "\\arc" + name.substr(1);
    return fmt::format("{}\\left({}\\right)", head, fmt::join(a, ", "));
  }
  std::string relation(const std::string& a, Relation r, const std::string& b) const override {
    constexpr const char* signs[] = {"<", "\\le", ">", "\\ge"};
    return fmt::format("{} {} {}", a, signs[static_cast<int>(r)], b);
  }
  std::string logic(bool is_and, const std::string& a, const std::string& b) const override {
    return fmt::format("\\left({} \\text{{ {} }} {}\\right)", a, is_and ? "and" : "or", b);
  }
  // Braces on both sides: what follows is no part of it.
  std::string choice(const std::string& condition, const std::string& yes, const std::string& no) const override {
    return fmt::format(
        "\\left\\{{\\begin{{array}}{{ll}} {} & \\text{{if }} {} \\\\ {} & \\text{{otherwise}} "
        "\\end{{array}}\\right\\}}",
        yes, condition, no);
  }
  std::string power(const std::string& base, const std::string& e) const override {
    return fmt::format("{{{}}}^{{{}}}", base, e);
  }
  std::string root(const std::string& of) const override { return "\\sqrt{" + of + "}"; }
  std::string fraction(const std::vector<std::string>& above, const std::vector<std::string>& below) const override {
    return fmt::format("\\frac{{{}}}{{{}}}", above.empty() ? "1" : product(above), product(below));
  }
  std::string product(const std::vector<std::string>& f) const override {
    return fmt::format("{}", fmt::join(f, " \\, "));
  }
  std::string sum(const std::vector<Term>& terms) const override {
    std::string text = "& ";
    std::size_t line = 0, lines = 1;
    for (const Term& t : terms) {
      if (line > 0 && line + t.length > line_length) text += " \\\\ & ", line = 0, ++lines;
      if (&t != &terms[0] || t.is_negative) text += t.is_negative ? (line > 0 ? " - " : "-") : line > 0 ? " + " : "+ ";
      text += t.text;
      line += t.length;
    }
    return lines == 1 ? text.substr(2) : "\\begin{aligned}[t] " + text + " \\end{aligned}";
  }
  std::string negative(const std::string& term) const override { return "-" + term; }
  std::string parentheses(const std::string& inside) const override { return "\\left(" + inside + "\\right)"; }
  bool fraction_is_atom() const override { return true; }
  bool exponent_is_free() const override { return true; }
};

class MathmlScript : public Script {
 protected:
  std::string number(const GiNaC::numeric& x) const override {
    std::string s = written(x);
    if (const auto e = s.find('e'); e != std::string::npos)
      return fmt::format("<mrow><mn>{}</mn><mo>·</mo><msup><mn>10</mn><mn>{}</mn></msup></mrow>", s.substr(0, e),
                         std::stoi(s.substr(e + 1)));
    return "<mn>" + s + "</mn>";
  }
  std::string symbol(const Formula& f) const override { return mathml_name(f.name); }
  std::string function(const std::string& name, const std::vector<std::string>& a) const override {
    if (name == "abs") return "<mrow><mo>|</mo>" + a[0] + "<mo>|</mo></mrow>";
    return fmt::format("<mrow><mi>{}</mi><mo>&#x2061;</mo><mo>(</mo>{}<mo>)</mo></mrow>", name,
                       fmt::join(a, "<mo>,</mo>"));
  }
  std::string relation(const std::string& a, Relation r, const std::string& b) const override {
    constexpr const char* signs[] = {"&lt;", "≤", "&gt;", "≥"};
    return fmt::format("<mrow>{}<mo>{}</mo>{}</mrow>", a, signs[static_cast<int>(r)], b);
  }
  std::string logic(bool is_and, const std::string& a, const std::string& b) const override {
    return parentheses(fmt::format("{}<mtext>&#xa0;{}&#xa0;</mtext>{}", a, is_and ? "and" : "or", b));
  }
  std::string choice(const std::string& condition, const std::string& yes, const std::string& no) const override {
    return fmt::format(
        "<mrow><mo>{{</mo><mtable columnalign='left left'><mtr><mtd>{}</mtd><mtd><mtext>if&#xa0;</mtext>{}</mtd></mtr>"
        "<mtr><mtd>{}</mtd><mtd><mtext>otherwise</mtext></mtd></mtr></mtable><mo>}}</mo></mrow>",
        yes, condition, no);
  }
  std::string power(const std::string& base, const std::string& e) const override {
    return fmt::format("<msup><mrow>{}</mrow><mrow>{}</mrow></msup>", base, e);
  }
  std::string root(const std::string& of) const override { return "<msqrt>" + of + "</msqrt>"; }
  std::string fraction(const std::vector<std::string>& above, const std::vector<std::string>& below) const override {
    return fmt::format("<mfrac><mrow>{}</mrow><mrow>{}</mrow></mfrac>", above.empty() ? "<mn>1</mn>" : product(above),
                       product(below));
  }
  std::string product(const std::vector<std::string>& f) const override {
    return fmt::format("<mrow>{}</mrow>", fmt::join(f, "<mspace width='0.17em'/>"));
  }
  std::string sum(const std::vector<Term>& terms) const override {
    std::string text;
    std::size_t line = 0, lines = 1;
    for (const Term& t : terms) {
      if (line > 0 && line + t.length > line_length) text += "</mtd></mtr><mtr><mtd>", line = 0, ++lines;
      if (&t != &terms[0] || t.is_negative)
        text += fmt::format("<mo{}>{}</mo>", line > 0 ? "" : " form='prefix'", t.is_negative ? "−" : "+");
      text += t.text;
      line += t.length;
    }
    if (lines == 1) return text;
    return "<mtable class='sum'><mtr><mtd>" + text + "</mtd></mtr></mtable>";
  }
  std::string negative(const std::string& term) const override { return "<mo form='prefix'>−</mo>" + term; }
  std::string parentheses(const std::string& inside) const override {
    return "<mrow><mo>(</mo>" + inside + "<mo>)</mo></mrow>";
  }
  bool fraction_is_atom() const override { return true; }
  bool exponent_is_free() const override { return true; }
};

}  // namespace

std::string latex_name(std::string name) {
  const SplitName s = split(std::move(name));
  const auto word = [](const std::string& w) {
    for (const Greek& g : greek)
      if (w == g.name) return "\\" + w;
    return w.size() > 1 && w.find_first_not_of("0123456789") != std::string::npos ? "\\mathrm{" + w + "}" : w;
  };
  std::string text = word(s.stem);
  const char* dots[] = {"", "\\dot", "\\ddot", "\\dddot"};
  if (s.order > 0 && s.order <= 3) text = fmt::format("{}{{{}}}", dots[s.order], text);
  if (!s.index.empty()) text += "_{" + word(s.index) + "}";
  if (s.order > 3) text = fmt::format("{{{}}}^{{({})}}", text, s.order);
  return text;
}

std::string mathml_name(std::string name) {
  const SplitName s = split(std::move(name));
  const auto word = [](const std::string& w) {
    for (const Greek& g : greek)
      if (w == g.name) return fmt::format("<mi>{}</mi>", g.letter);
    return fmt::format("<mi>{}</mi>", w);
  };
  std::string text = word(s.stem);
  const char* dots[] = {"", "˙", "¨", "⃛"};
  if (s.order > 0 && s.order <= 3)
    text = fmt::format("<mover accent='true'>{}<mo>{}</mo></mover>", text, dots[s.order]);
  if (!s.index.empty()) text = fmt::format("<msub>{}{}</msub>", text, word(s.index));
  if (s.order > 3) text = fmt::format("<msup>{}<mrow><mo>(</mo><mn>{}</mn><mo>)</mo></mrow></msup>", text, s.order);
  return text;
}

std::string CScript::number(const GiNaC::numeric& x) const {
  std::string s = fmt::format("{:.17g}", x.to_double());
  if (const std::string shorter = decimal(x.to_double()); shorter.size() < s.size()) s = shorter;
  return s.find_first_of(".e") == std::string::npos ? s + ".0" : s;
}

std::string CScript::function(const std::string& name, const std::vector<std::string>& a) const {
  if (name == "abs") return "fabs(" + a[0] + ")";
  if (name == "sign") return fmt::format("((double)(({0}) > 0) - (double)(({0}) < 0))", a[0]);
  if (name == "min") return fmt::format("(({0}) < ({1}) ? ({0}) : ({1}))", a[0], a[1]);
  if (name == "max") return fmt::format("(({0}) > ({1}) ? ({0}) : ({1}))", a[0], a[1]);
  if (name == "mod") return fmt::format("(({0}) - ({1})*floor(({0})/({1})))", a[0], a[1]);
  return fmt::format("{}({})", name, fmt::join(a, ", "));
}

std::string CScript::relation(const std::string& a, Relation r, const std::string& b) const {
  return plain_relation(a, static_cast<int>(r), b);
}
std::string CScript::logic(bool is_and, const std::string& a, const std::string& b) const {
  return plain_logic(is_and, a, b);
}
std::string CScript::choice(const std::string& condition, const std::string& yes, const std::string& no) const {
  return plain_choice(condition, yes, no);
}

std::string CScript::sum(const std::vector<Term>& terms) const { return in_one_line(terms); }

std::string CScript::power(const std::string& base, const std::string& e) const {
  return fmt::format("pow({}, {})", base, e);
}

std::string CScript::fraction(const std::vector<std::string>& above, const std::vector<std::string>& below) const {
  const std::string top = above.empty() ? "1.0" : product(above);
  return top + "/" +
         (below.size() == 1 && below[0].find('*') == std::string::npos ? below[0] : parentheses(product(below)));
}

std::string CScript::product(const std::vector<std::string>& f) const { return fmt::format("{}", fmt::join(f, "*")); }

const Script& text_script() {
  static const TextScript script;
  return script;
}
const Script& latex_script() {
  static const LatexScript script;
  return script;
}
const Script& mathml_script() {
  static const MathmlScript script;
  return script;
}

}  // namespace plumb
