// The loop: step control, dense output, events, outcome.
//
//   Simulation simulation(model);      // compiles, makes the start consistent
//   simulation.watch(observer);
//   Outcome outcome = simulation.run();
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plumb/contact/contacts.h"
#include "plumb/formulation/formulation.h"
#include "plumb/integrator/integrator.h"
#include "plumb/integrator/method.h"
#include "plumb/model/model.h"
#include "plumb/simulation/event_watch.h"
#include "plumb/simulation/observer.h"
#include "plumb/simulation/outcome.h"
#include "plumb/simulation/start.h"

namespace plumb {

class Simulation {
 public:
  // Throws InputError for a model that cannot be compiled or settings that do not fit together. An
  // inconsistent start is an outcome, found in `outcome()`.
  explicit Simulation(const Model& model);

  void watch(Observer& observer) { observers_.push_back(&observer); }

  Outcome run();
  bool step();  // one accepted step; false when the run has ended
  void start_over();

  const System& system() const { return system_; }
  const Method& method() const { return method_; }
  const StartReport& start() const { return start_; }
  const std::optional<Outcome>& outcome() const { return outcome_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  Measurement& measurement() { return measurement_; }
  double time() const { return integrator_->time(); }
  const double* state() const { return integrator_->state(); }
  double duration() const { return duration_; }
  double output_every() const { return output_every_; }
  std::optional<double> tolerance() const { return step_ ? std::nullopt : std::optional(tolerance_); }
  std::optional<double> fixed_step() const { return step_; }

  long steps() const { return steps_; }
  long rejected() const { return rejected_; }
  long evaluations() const { return formulation_.evaluations() + probe_formulation_.evaluations(); }

 private:
  void read_settings(const SimulationSettings& settings);
  // The parts of a step, in order.
  bool attempt();          // false: try again with the new h_, or the run has ended
  void stop_at_contact();  // shortens the step to the first contact that closes, opens, sticks or slips
  void handle_events();    // may shorten the step to a stopping event
  void emit_samples();     // output points within the step
  void accept();
  void make_contacts();
  void begin_contacts();
  void meet_contacts();  // impacts, and the modes of what stays closed, at the end of a shortened step

  void choose_end();  // of the step about to be tried
  bool judge_error(const ProjectionReport& report);
  void fail_step(const ProjectionReport& report);
  double locate(const StateFunction& value, double low,
                double high);  // time of a root between two fractions of the step
  // From a root on the dense output, between two fractions of the step.
  double refine(const StateFunction& value, double theta, double low, double high);
  double first_contact();  // fraction of the step at which a gap closes; above 1: none
  double first_change_of_mode();
  void find_suspects();
  double dense_root(const StepFunction& inside, double low, double high) const;
  void sample(double t, const double* y);
  void end(Outcome::Kind kind, const std::string& subject, const std::string& reason, const Source& source = {});
  bool is_finite(const double* y) const;
  std::string first_non_finite(const double* y) const;
  std::string most_accelerated() const;
  std::string stability_note() const;

  Model model_;  // its own copy: contacts refer to it
  Source model_source_;
  System system_;
  Method method_;
  Stabilisation stabilisation_;
  double duration_ = 0, output_every_ = 0, tolerance_ = 1e-10, max_step_ = 0;
  std::optional<double> step_;
  double max_steps_ = 1e8;

  Dynamics dynamics_;
  Formulation formulation_, probe_formulation_;
  std::unique_ptr<Integrator> integrator_, probe_;
  std::unique_ptr<Contacts> contacts_;  // none: the model has no contacts
  Measurement measurement_;
  std::vector<EventWatch> watches_;
  std::vector<Observer*> observers_;

  StartReport start_;
  std::vector<double> y_start_, sample_;
  std::vector<std::string> warnings_;
  std::optional<Outcome> outcome_;

  struct Found {
    int watch;
    double t;
    bool rising;
  };
  std::vector<EventWatch::Crossing> crossings_;
  std::vector<Found> found_;
  std::vector<double> event_values_;  // at the start of the step

  double h_ = 0;         // proposed step
  double step_end_ = 0;  // time the current attempt leads to
  double last_error_ = 1e-4;
  bool last_rejected_ = false;
  std::optional<int> stop_event_;
  bool at_contact_ = false;  // the current step ends at a contact
  double last_contact_ = -1;
  int standing_contacts_ = 0;  // such steps in a row in which time stood still
  std::vector<double> met_, apart_, gaps_;
  std::vector<std::uint8_t> near_, suspect_;
  long steps_ = 0, grid_steps_ = 0, rejected_ = 0, next_sample_ = 0;
};

}  // namespace plumb
