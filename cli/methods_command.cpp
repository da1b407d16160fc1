// plumb methods
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "plumb/time_stepping/method.h"
#ifdef PLUMB_EQUATIONS
#include "plumb/equations/reduction.h"
#endif
#include "commands.h"
#include "text.h"

namespace plumb::cli {

int methods(bool json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  TextTable table({"method", "order", "stages", "step", "dense output", "omega*step at most", "constraints"});
  for (const Method& m : plumb::methods()) {
    const bool damped = m.formulation == Formulation::Kind::baumgarte;
    const double limit = damped ? real_stability_limit(*m.tableau) : 0;
    const int stages = m.tableau ? m.tableau->stages : 1;
    table.add({m.name, fmt::format("{}", m.order), fmt::format("{}", stages),
               m.is_adaptive ? "fixed or adaptive" : "fixed", fmt::format("order {}", m.dense_order),
               !damped                ? "–"
               : std::isfinite(limit) ? fmt::format("{:.3g}", limit)
                                      : "any",
               m.description});
    nlohmann::ordered_json j = {{"name", m.name},
                                {"order", m.order},
                                {"stages", stages},
                                {"adaptive", m.is_adaptive},
                                {"dense_order", m.dense_order},
                                {"description", m.description}};
    if (damped && std::isfinite(limit)) j["omega_step_limit"] = limit;
    list.push_back(j);
  }
  if (json) {
    fmt::print("{}\n", list.dump(2));
    return done;
  }
  fmt::print("{}", table.str());
#ifdef PLUMB_EQUATIONS
  TextTable equations({"form of equations", "", ""});
  for (const FormInfo& f : forms()) equations.add({f.name, "/ any Runge–Kutta integrator above", f.description});
  fmt::print("\n{}", equations.str());
#endif
  return done;
}

}  // namespace plumb::cli
