#include "plumb/equations/equation_method.h"

#include <fmt/format.h>

#include "plumb/expression/nearest_name.h"

namespace plumb {

EquationMethod find_equation_method(const SimulationSettings& s) {
  if (s.method == "auto") {
    EquationMethod m;
    m.tableau = &usual_tableau();
    m.is_automatic = true;
    m.name = "auto";
    return m;
  }
  std::vector<std::string> known = {"auto"};
  for (const FormInfo& f : forms())
    for (const Tableau& t : tableaux()) {
      const std::string name = fmt::format("{}/{}", f.name, t.name);
      known.push_back(name);
      const bool alias = f.form == Form::index0 && s.method == "baumgarte/" + t.name;
      if (s.method != name && !alias && !(f.form == Form::projected && s.method == t.name)) continue;
      EquationMethod m;
      m.form = f.form;
      m.tableau = &t;
      const bool asked = s.omega || s.omega_auto;
      m.is_stabilised = f.form == Form::index0 || (f.form == Form::index1 && asked);
      if (s.alpha)
        throw InputError(
            s.source, "simulation",
            "alpha and beta belong to mechanisms; equations are damped as (d/dt + omega)^n g = 0, give omega");
      m.name = alias ? s.method : name;
      m.description = f.description;
      return m;
    }
  throw InputError(
      s.source, "method",
      fmt::format("unknown method '{}' for equations{} (forms: index0, index1, projected, ggl; integrators as "
                  "`plumb methods` lists them)",
                  s.method, did_you_mean(s.method, known)));
}

double choose_omega(const EquationMethod& m, const SimulationSettings& s) {
  if (!m.is_stabilised) return 0;
  if (s.omega) return *s.omega;
  // Without a fixed step: such that steps of a two-hundredth of the run are well inside the limit.
  return stable_omega(*m.tableau, s.step.value_or(s.duration.value_or(1) / 200));
}

}  // namespace plumb
