#include "plumb/time_stepping/method.h"

#include <fmt/format.h>

#include "plumb/expression/nearest_name.h"
#include "plumb/integrator/make_runge_kutta.h"
#include "plumb/time_stepping/moreau.h"
#include "plumb/time_stepping/rattle.h"
#include "plumb/time_stepping/trapezoidal.h"

namespace plumb {

const std::vector<Method>& methods() {
  static const std::vector<Method> list = [] {
    std::vector<Method> all;
    for (std::size_t f = 0; f < formulations().size(); ++f)
      for (const Tableau& t : tableaux())
        all.push_back({fmt::format("{}/{}", formulations()[f].name, t.name), static_cast<Formulation::Kind>(f), &t,
                       t.order, t.is_adaptive(), t.dense_order(), std::string(formulations()[f].description)});
    // RATTLE keeps the constraints by itself; the formulation only supplies the equations.
    all.push_back({"rattle", Formulation::Kind::index1, nullptr, Rattle::order, false, 3,
                   "symplectic, keeps the constraints in positions and velocities by itself"});
    all.push_back({"moreau", Formulation::Kind::projected, nullptr, TimeStepping::order, false, 1,
                   "time stepping for many contacts: joints, contacts and friction in the mean over a step", true});
    all.push_back({"trapezoidal", Formulation::Kind::projected, nullptr, TimeStepping::order, false, 1,
                   "time stepping, linearly implicit: stable for stiff forces, with joints, contacts and friction",
                   true});
    return all;
  }();
  return list;
}

namespace {

const Method& automatic_method() {
  static const Method method = [] {
    Method m = find_method("projected/" + usual_tableau().name);
    m.name = "auto";
    m.is_automatic = true;
    return m;
  }();
  return method;
}

}  // namespace

const Method& find_method(const std::string& name, const Source& source) {
  if (name == "auto") return automatic_method();
  std::vector<std::string> known = {"auto"};
  for (const Method& m : methods()) {
    if (m.name == name || m.name == "projected/" + name) return m;
    known.push_back(m.name);
  }
  throw InputError(source, "method",
                   fmt::format("unknown method '{}'{} (plumb methods lists them)", name, did_you_mean(name, known)));
}

std::unique_ptr<Integrator> make_integrator(const Method& method, Formulation& formulation, const Model& model) {
  if (method.tableau) return make_runge_kutta(*method.tableau, formulation);
  if (method.name == "moreau") return std::make_unique<Moreau>(formulation, model);
  if (method.name == "trapezoidal") return std::make_unique<Trapezoidal>(formulation, model);
  const System& system = formulation.dynamics().system();
  if (!system.limits.empty()) {
    const SystemJoint& j = system.joints[system.limits[0].joint];
    throw InputError(j.source, fmt::format("joint '{}'", j.name),
                     "rattle cannot keep limits of joints and ropes; choose another method, e.g. projected/dop853");
  }
  for (const SystemJoint& j : system.joints)
    if (j.velocity_rows > 0)
      throw InputError(
          j.source, fmt::format("joint '{}'", j.name),
          "rattle keeps constraints of position; for rolling and driven rates choose a Runge-Kutta method, "
          "e.g. projected/dop853");
  return std::make_unique<Rattle>(formulation);
}

}  // namespace plumb
