#include "plumb/equations/equation_check.h"

#include <fmt/format.h>

#include "plumb/equations/algebra_lock.h"
#include "plumb/equations/equation_simulation.h"
#include "plumb/equations/scripts.h"

namespace plumb {

EquationDiagnosis diagnose_equations(const Model& model) {
  const AlgebraLock lock;
  const EquationMethod method = find_equation_method(model.simulation);
  const Reduction r = reduce(model, method.form, method.is_stabilised);
  Flow flow(r, choose_omega(method, model.simulation));
  EquationDiagnosis d;
  d.method = method.name;
  const Symbols& symbols = r.dae.symbols;
  for (int j = 0; j < symbols.unknowns(); ++j) d.unknowns.push_back(symbols.name(j));
  d.orders = r.structure.d;
  d.index = r.structure.index;
  d.degrees_of_freedom = r.structure.degrees_of_freedom;
  for (std::size_t i = 0; i < r.dae.equations.size(); ++i) {
    d.equations.push_back({r.dae.equations[i].label, r.dae.equations[i].text, r.structure.c[i]});
    d.signature.emplace_back();
    for (int j = 0; j < symbols.unknowns(); ++j) d.signature.back().push_back(r.signature.at(static_cast<int>(i), j));
  }
  for (const StateVariable& s : r.states) d.states.push_back(symbols.name(s.place));
  for (const Symbols::Place& p : r.tops) d.solved.push_back(symbols.name(p));

  d.start = find_start(model, flow);
  std::vector<double> given;
  for (std::size_t i = 0; i < r.states.size(); ++i)
    given.push_back(d.start.values[i].origin == StartValue::Origin::moved ? d.start.values[i].given : d.start.y[i]);
  flow.constraints().evaluate(0, given.data());
  Formulas formulas;
  for (int i = 0; i < flow.constraints().rows(); ++i) {
    const Invariant& v = r.invariants[static_cast<std::size_t>(i)];
    std::string label = r.dae.equations[static_cast<std::size_t>(v.equation)].label;
    std::string text = r.dae.equations[static_cast<std::size_t>(v.equation)].text;
    if (v.order > 0) {
      label += v.order == 1 ? ", differentiated once" : fmt::format(", differentiated {} times", v.order);
      text = text_script().write(formulas.of(v.value)) + " = 0";
    }
    d.constraints.push_back({label, text, flow.constraints().value(i)});
  }
  if (!d.start.consistent)
    d.fault = InputError(d.start.source, "inconsistent start: " + d.start.equation, d.start.describe()).what();
  else if (!d.start.is_regular)
    d.fault = InputError(model.equations->source, "equations", irregular_start(d.start)).what();
  return d;
}

}  // namespace plumb
