#include "plumb/formulation/formulation.h"

namespace plumb {

const std::vector<FormulationInfo>& formulations() {
  static const std::vector<FormulationInfo> list = {
      {"index1", "bare: accelerations satisfy the constraints, positions and velocities drift"},
      {"baumgarte", "drift is damped: g'' + 2 alpha g' + beta² g = 0"},
      {"projected", "positions and velocities are projected onto the constraints after every step"}};
  return list;
}

ProjectionReport Formulation::settle(double t, double* y) {
  normalise_quaternions(dynamics_.system(), y);
  const bool project = kind_ == Kind::projected && dynamics_.system().rows > 0;
  if (!dynamics_.contacts()) return project ? projection_.apply(t, y) : ProjectionReport{};
  const ProjectionReport report = project ? projection_.apply(t, y) : ProjectionReport{};
  dynamics_.contacts()->settle(t, y);
  return report;
}

}  // namespace plumb
