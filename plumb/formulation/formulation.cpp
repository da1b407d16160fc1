#include "plumb/formulation/formulation.h"

#include "plumb/contact/contact_forces.h"

namespace plumb {

const std::vector<FormulationInfo>& formulations() {
  static const std::vector<FormulationInfo> list = {
      {"index1", "bare: accelerations satisfy the constraints, positions and velocities drift"},
      {"baumgarte", "drift is damped: g'' + 2 alpha g' + beta² g = 0"},
      {"projected", "positions and velocities are projected onto the constraints after every step"}};
  return list;
}

void Formulation::add_contacts(const double* y, double* rate) {
  if (!contacts_->any()) return;
  const ContactLoad& load = contacts_->find(y, rate + dynamics_.system().nq);
  dynamics_.add_load(load.acceleration.data(), load.multipliers.data(), load.rubbed, rate);
}

StepReport Formulation::settle(double t, double* y) {
  normalise_quaternions(dynamics_.system(), y);
  StepReport report;
  if (kind_ == Kind::projected && dynamics_.system().rows > 0) {
    const ProjectionReport p = projection_.apply(t, y);
    report = {p.converged ? StepReport::Kind::ok : StepReport::Kind::off_constraints, p.residual, p.worst_row};
  }
  if (contacts_) contacts_->settle(t, y);
  return report;
}

}  // namespace plumb
