// The loop that mechanisms and equations share, composed of parts that know nothing of each other: the integrator tries
// a step, the step controller judges it, interruptions end it where the equations change, the event locator finds what
// the model asks for in it, the sampler shows the output grid.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "plumb/integrator/integrator.h"
#include "plumb/integrator/tableau.h"
#include "plumb/model/model.h"
#include "plumb/simulation/event_locator.h"
#include "plumb/simulation/interruption.h"
#include "plumb/simulation/observer.h"
#include "plumb/simulation/outcome.h"
#include "plumb/simulation/sampler.h"
#include "plumb/simulation/step_controller.h"
#include "plumb/simulation/stiffness_watch.h"

namespace plumb {

// How long, how fine, how often: the settings of a model with their defaults.
struct LoopSettings {
  double duration = 0, output_every = 0, tolerance = 1e-10, max_step = 0, max_steps = 1e8;
  std::optional<double> step{};  // fixed
  bool gives_up = true;          // a run that will take far too many steps, unless it is said how many it may take

  // Throws InputError for settings that do not fit together.
  LoopSettings(const SimulationSettings& settings, const std::string& method, bool is_adaptive);
};

// What the loop asks of the model it runs.
class Subject {
 public:
  virtual ~Subject() = default;
  // Moves a state of the dense output onto the constraints; false: it could not be.
  virtual bool settle(double t, double* y) = 0;
  // A step that is good otherwise may be refused, as if its error were so many times the tolerance. Fixed steps cannot.
  virtual double doubt(double t, const double* y) {
    static_cast<void>(t);
    static_cast<void>(y);
    return 0;
  }
  // Why no step can be taken any more.
  virtual Outcome explain(const StepReport& report, double h) = 0;

  // What makes steps short: what to say of it, if it is to be said; and integrators to go on with, if there are.
  struct Slowness {
    bool is_stiff = false;  // stability, not accuracy, limits the steps
    Quickness quickness;
    double step = 0;        // s
    double steps_left = 0;  // at this length
  };
  struct Relief {
    std::string notice;
    std::unique_ptr<Integrator> integrator, probe;  // the probe may be null
    StepControl control{};
  };
  virtual Relief relieve(const Slowness&) { return {}; }
  virtual bool is_next_to_singular() { return false; }
};

class Loop {
 public:
  Loop(const LoopSettings& settings, const StepControl& control, std::unique_ptr<Integrator> integrator,
       std::unique_ptr<Integrator> probe, int size, Subject& subject);

  // The parts that a run may have.
  void set_events(const std::vector<Event>& events, Gauge& gauge);
  void add(Interruption& interruption) { interruptions_.push_back(&interruption); }
  void watch(Observer& observer) { observers_.add(observer); }
  const Observers& observers() const { return observers_; }
  void set_stop(std::stop_token token) { stop_ = std::move(token); }
  void set_notice(std::function<void(const std::string&)> notice) { on_notice_ = std::move(notice); }

  void begin(const double* y);  // at t = 0
  void end(Outcome outcome) { outcome_ = std::move(outcome); }
  Outcome run();
  bool step();  // one accepted step; false when the run has ended

  const LoopSettings& settings() const { return settings_; }
  const std::optional<Outcome>& outcome() const { return outcome_; }
  double time() const { return integrator_->time(); }
  const double* state() const { return integrator_->state(); }
  const double* attempted() const { return integrator_->result(); }
  Integrator& integrator() { return *integrator_; }
  long steps() const { return steps_; }
  long rejected() const { return rejected_; }
  // What was said during the run.
  const std::vector<std::string>& notices() const { return notices_; }
  bool is_finite(const double* y) const;

 private:
  // The parts of a step, in order.
  bool attempt();    // false: try again with the length now proposed, or the run has ended
  bool interrupt();  // may cut the step; false: to be tried again, shorter
  void accept();
  void act();  // what was interrupted for
  void watch_pace();
  void give_up(double steps_left, bool is_stuck);

  void choose_end();  // of the step about to be tried
  bool judge(const StepReport& report);
  bool rescue();
  double shortest_step() const;
  void stop_by(int event);

  LoopSettings settings_;
  std::unique_ptr<Integrator> integrator_, probe_;
  int size_;
  Subject& subject_;
  Step step_;
  StepController controller_;
  StiffnessWatch stiffness_;
  Quickness quickness_;   // of the step just taken
  double pace_from_ = 0;  // when the steps began whose pace is looked at
  int hopeless_ = 0;      // times in a row that more steps were left than are allowed
  Sampler sampler_;
  Observers observers_;
  std::optional<EventLocator> events_;
  std::vector<Interruption*> interruptions_;
  std::vector<double> instants_, met_;  // when each interruption acts; the state there
  std::stop_token stop_;
  std::function<void(const std::string&)> on_notice_;
  std::vector<std::string> notices_;
  std::optional<Outcome> outcome_;

  double h_ = 0;  // of the attempt
  double earliest_ = never;
  std::optional<int> stop_event_;
  long steps_ = 0, grid_steps_ = 0, rejected_ = 0;
};

}  // namespace plumb
