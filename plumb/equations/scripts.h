// Formulas as text, LaTeX, MathML and C.
#pragma once

#include <functional>
#include <string>

#include "plumb/equations/formula.h"

namespace plumb {

// x*u + 2*y', as a model file would write it.
const Script& text_script();
// \dot{x}, \frac{1}{2}, Greek letters by name.
const Script& latex_script();
// Presentation MathML, the inside of <math>.
const Script& mathml_script();

// C, with symbols written as `name` says.
class CScript : public Script {
 public:
  explicit CScript(std::function<std::string(const Formula&)> name) : name_(std::move(name)) {}

 protected:
  std::string number(const GiNaC::numeric& x) const override;
  std::string symbol(const Formula& f) const override { return name_(f); }
  std::string function(const std::string& name, const std::vector<std::string>& arguments) const override;
  std::string relation(const std::string& a, Relation r, const std::string& b) const override;
  std::string logic(bool is_and, const std::string& a, const std::string& b) const override;
  std::string choice(const std::string& condition, const std::string& yes, const std::string& no) const override;
  std::string power(const std::string& base, const std::string& exponent) const override;
  std::string root(const std::string& of) const override { return "sqrt(" + of + ")"; }
  std::string fraction(const std::vector<std::string>& above, const std::vector<std::string>& below) const override;
  std::string product(const std::vector<std::string>& factors) const override;
  std::string sum(const std::vector<Term>& terms) const override;
  std::string negative(const std::string& term) const override { return "-" + term; }
  std::string parentheses(const std::string& inside) const override { return "(" + inside + ")"; }
  int whole_powers() const override { return 4; }

 private:
  std::function<std::string(const Formula&)> name_;
};

// A name of the model in LaTeX or MathML, with its derivatives as dots.
std::string latex_name(std::string name);
std::string mathml_name(std::string name);

}  // namespace plumb
