// The run of a mechanism: its start, its contacts, and the loop.
//
//   Simulation simulation(model);      // compiles, makes the start consistent
//   simulation.watch(observer);
//   Outcome outcome = simulation.run();
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plumb/contact/contacts.h"
#include "plumb/formulation/formulation.h"
#include "plumb/simulation/loop.h"
#include "plumb/simulation/start.h"
#include "plumb/system/measurement.h"

namespace plumb {

class Simulation : public Loop {
 public:
  // Throws InputError for a model that cannot be compiled or settings that do not fit together. An
  // inconsistent start is an outcome, found in `outcome()`.
  explicit Simulation(const Model& model);

  void start_over();

  const System& system() const { return system_; }
  const StartReport& start() const { return start_; }
  Measurement& measurement() { return measurement_; }
  Gauge& gauge() override { return measurement_; }
  long evaluations() const override { return formulation_.evaluations() + probe_formulation_.evaluations(); }

 private:
  Simulation(const Model& model, System system, const Method& method);

  double longest_step() const override;
  void cut_step() override;
  void at_accepted() override;
  void after_step() override;
  bool settle(double t, double* y) override { return formulation_.settle(t, y).converged; }
  void fail_step(const ProjectionReport& report) override;

  void make_contacts();
  void begin_contacts();
  void stop_at_contact();  // shortens the step to the first contact that closes, opens, sticks or slips
  void meet_contacts();    // impacts, and the modes of what stays closed, at the end of a shortened step
  double first_contact();  // fraction of the step at which a gap closes; above 1: none
  double first_change_of_mode();
  void find_suspects();
  std::string first_non_finite(const double* y) const;
  std::string most_accelerated() const;

  Model model_;  // its own copy: contacts refer to it
  System system_;
  Stabilisation stabilisation_;

  Dynamics dynamics_;
  Formulation formulation_, probe_formulation_;
  std::unique_ptr<Contacts> contacts_;  // none: the model has no contacts
  Measurement measurement_;

  StartReport start_;
  std::vector<double> y_start_;

  bool at_contact_ = false;  // the current step ends at a contact
  double last_contact_ = -1;
  int standing_contacts_ = 0;  // such steps in a row in which time stood still
  std::vector<double> met_, apart_, gaps_;
  std::vector<std::uint8_t> near_, suspect_;
};

}  // namespace plumb
