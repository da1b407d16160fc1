// The loop that mechanisms and equations share: step control, dense output, events, output grid, outcome. What is
// particular to either stands behind the hooks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plumb/integrator/integrator.h"
#include "plumb/integrator/method.h"
#include "plumb/model/model.h"
#include "plumb/simulation/event_watch.h"
#include "plumb/simulation/observer.h"
#include "plumb/simulation/outcome.h"

namespace plumb {

class Loop {
 public:
  virtual ~Loop() = default;
  Loop(const Loop&) = delete;

  void watch(Observer& observer) { observers_.push_back(&observer); }

  Outcome run();
  bool step();  // one accepted step; false when the run has ended

  virtual Gauge& gauge() = 0;
  virtual long evaluations() const = 0;

  const Method& method() const { return method_; }
  const std::optional<Outcome>& outcome() const { return outcome_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  double time() const { return integrator_->time(); }
  const double* state() const { return integrator_->state(); }
  double duration() const { return duration_; }
  double output_every() const { return output_every_; }
  std::optional<double> tolerance() const { return step_ ? std::nullopt : std::optional(tolerance_); }
  std::optional<double> fixed_step() const { return step_; }
  long steps() const { return steps_; }
  long rejected() const { return rejected_; }

 protected:
  Loop(const Model& model, const Method& method, int size)
      : model_source_(model.source), method_(method), size_(size), sample_(static_cast<std::size_t>(size)) {}

  // Hooks. Those that most runs do not need are called only if `is_interrupted_`.
  virtual double longest_step() const { return h_; }
  virtual void cut_step() {}                                   // may shorten the step just attempted
  virtual void at_accepted() {}                                // the step has become the state
  virtual void after_step() {}                                 // and has been shown
  virtual bool settle(double t, double* y) = 0;                // a state of the dense output; false: it could not be
  virtual void fail_step(const ProjectionReport& report) = 0;  // ends the run, saying why

  void read_settings(const SimulationSettings& settings);
  void watch_events(const std::vector<Event>& events);
  void begin(const double* y);  // at t = 0; the integrators must be there
  void choose_first_step();
  void restart_events(double t, const double* y);
  double locate(const StateFunction& value, double low,
                double high);  // time of a root between two fractions of the step
  // From a root on the dense output, between two fractions of the step.
  double refine(const StateFunction& value, double theta, double low, double high);
  void end(Outcome::Kind kind, const std::string& subject, const std::string& reason, const Source& source = {});
  bool is_finite(const double* y) const;
  // The limit of stability, where the damping of the constraints with `omega` exceeds it; else empty.
  std::string stability_note(double omega) const;

  Source model_source_;
  Method method_;
  double duration_ = 0, output_every_ = 0, tolerance_ = 1e-10, max_step_ = 0;
  std::optional<double> step_;
  double max_steps_ = 1e8;
  bool is_interrupted_ = false;

  std::unique_ptr<Integrator> integrator_, probe_;
  std::vector<EventWatch> watches_;
  std::vector<double> event_values_;  // at the start of the step
  std::vector<Observer*> observers_;
  std::vector<std::string> warnings_;
  std::optional<Outcome> outcome_;
  int size_;  // of the state
  std::vector<double> sample_;

  double h_ = 0;         // proposed step
  double step_end_ = 0;  // time the current attempt leads to

 private:
  // The parts of a step, in order.
  bool attempt();        // false: try again with the new h_, or the run has ended
  void handle_events();  // may shorten the step to a stopping event
  void emit_samples();   // output points within the step
  void accept();

  void choose_end();  // of the step about to be tried
  bool judge_error(const ProjectionReport& report);
  void sample(double t, const double* y);

  struct Found {
    int watch;
    double t;
    bool rising;
  };
  std::vector<EventWatch::Crossing> crossings_;
  std::vector<Found> found_;

  double last_error_ = 1e-4;
  bool last_rejected_ = false;
  std::optional<int> stop_event_;
  long steps_ = 0, grid_steps_ = 0, rejected_ = 0, next_sample_ = 0;
};

}  // namespace plumb
