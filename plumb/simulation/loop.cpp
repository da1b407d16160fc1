#include "plumb/simulation/loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumb {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// Steps after which a run is asked how many more it will take; so many that it is worth a word; how often in a row they
// have to be more than are allowed for it to end.
constexpr long pace_looked_at = 20000;
constexpr double many_left = 1e6, many_stiff_left = 2e4;
constexpr int often_hopeless = 3;

}  // namespace

LoopSettings::LoopSettings(const SimulationSettings& s, const std::string& method, bool is_adaptive) {
  const auto fail = [&](const std::string& message) { throw InputError(s.source, "simulation", message); };
  if (!s.duration) fail("give duration, in seconds");
  duration = *s.duration;
  step = s.step;
  tolerance = s.tolerance.value_or(tolerance);
  max_step = s.max_step.value_or(duration);
  max_steps = s.max_steps.value_or(max_steps);
  gives_up = !s.max_steps;
  output_every = s.output_every.value_or(duration / 1000);
  if (duration / output_every > 1e8)
    fail(fmt::format("output_every = {:g} asks for more than 1e8 samples", output_every));
  if (!step && !is_adaptive)
    fail(fmt::format("{} has no error estimate and needs a fixed step; give step, or choose dopri5 or dop853", method));
  if (step && *step > duration) step = duration;
  if (step && duration / *step > max_steps)
    fail(fmt::format("step = {:g} means more than {:g} steps; raise max_steps if that is meant", *step, max_steps));
}

Loop::Loop(const LoopSettings& settings, const StepControl& control, std::unique_ptr<Integrator> integrator,
           std::unique_ptr<Integrator> probe, int size, Subject& subject)
    : settings_(settings),
      integrator_(std::move(integrator)),
      probe_(std::move(probe)),
      size_(size),
      subject_(subject),
      step_(*integrator_, probe_.get(), size),
      controller_(control),
      sampler_(settings.output_every, settings.duration, size),
      met_(static_cast<std::size_t>(size)) {}

void Loop::set_events(const std::vector<Event>& events, Gauge& gauge) {
  if (!events.empty()) events_.emplace(events, gauge, settings_.output_every);
}

void Loop::begin(const double* y) {
  outcome_.reset();
  stop_event_.reset();
  steps_ = grid_steps_ = rejected_ = 0;
  stiffness_ = {};
  pace_from_ = 0;
  hopeless_ = 0;
  notices_.clear();
  sampler_.begin();
  instants_.assign(interruptions_.size(), never);
  std::copy_n(y, size_, met_.begin());
  // What touches, and what is switched on, at the start.
  for (Interruption* i : interruptions_) {
    const Interruption::Change change = i->act(0, met_.data());
    if (!change.outcome) continue;
    integrator_->begin(0, met_.data());
    outcome_ = change.outcome;
    return;
  }
  integrator_->begin(0, met_.data());
  if (events_) events_->begin(0, met_.data());
  const double first =
      settings_.step
          ? *settings_.step
          : std::min({integrator_->initial_step(settings_.tolerance), settings_.max_step, settings_.duration});
  controller_.begin(first);
}

Outcome Loop::run() {
  if (!outcome_) {
    for (Interruption* i : interruptions_) i->show_start(observers_);
    observers_.step({0, state()});
    observers_.sample({0, state()});
  }
  while (step()) {
  }
  return *outcome_;
}

bool Loop::step() {
  if (outcome_) return false;
  do {
    while (!attempt())
      if (outcome_) return false;
    integrator_->complete();
    quickness_ = integrator_->quickness();
  } while (!interrupt());
  if (events_) stop_event_ = events_->find(step_, observers_);
  const bool is_last = stop_event_ || step_.end() >= settings_.duration;
  sampler_.show(step_, is_last, observers_, &subject_,
                [](void* subject, double t, double* y) { return static_cast<Subject*>(subject)->settle(t, y); });
  accept();
  if (!outcome_) act();
  if (!outcome_ && !settings_.step) watch_pace();
  return !outcome_;
}

// Runs that will take very many steps are told why; what is stiff may go on with another integrator.
void Loop::watch_pace() {
  Subject::Slowness slow;
  const StiffnessWatch::Finding found = stiffness_.note(quickness_.part);
  slow.is_stiff = found != StiffnessWatch::Finding::nothing;
  const bool is_due = steps_ % pace_looked_at == 0;
  if (!slow.is_stiff && !is_due) return;
  slow.quickness = quickness_;
  slow.step = slow.is_stiff ? controller_.proposed() : (time() - pace_from_) / pace_looked_at;
  slow.steps_left = (settings_.duration - time()) / slow.step;
  if (is_due) {
    pace_from_ = time();
    const bool is_too_long = slow.steps_left > settings_.max_steps;
    const bool is_stuck = slow.steps_left > many_left && subject_.is_next_to_singular();
    hopeless_ = is_too_long || is_stuck ? hopeless_ + 1 : 0;
    if (hopeless_ == often_hopeless && settings_.gives_up) return give_up(slow.steps_left, is_stuck);
    if (!slow.is_stiff && !notices_.empty()) return;
  }
  Subject::Relief relief = subject_.relieve(slow);
  if (relief.integrator) {
    relief.integrator->begin(time(), state());
    integrator_ = std::move(relief.integrator);
    probe_ = std::move(relief.probe);
    step_.use(*integrator_, probe_.get());
    controller_ = StepController(relief.control);
    controller_.begin(std::min(settings_.max_step, 10 * slow.step));
  } else if (found == StiffnessWatch::Finding::stiff ||
             slow.steps_left < (slow.is_stiff ? many_stiff_left : many_left)) {
    return;  // what does not last is not worth a word
  }
  if (relief.notice.empty()) return;
  notices_.push_back(relief.notice);
  if (on_notice_) on_notice_(notices_.back());
}

void Loop::give_up(double steps_left, bool is_stuck) {
  const std::string pace =
      fmt::format("at the pace of the last {} steps {:.1g} more are needed", pace_looked_at, steps_left);
  const std::string said = notices_.empty() ? "" : "; " + notices_.front();
  if (is_stuck)
    outcome_ =
        Outcome{Outcome::Kind::singular, time(), "joints", pace + said + ". Give max_steps to go on all the same", {}};
  else
    outcome_ = Outcome{Outcome::Kind::limit_reached,
                       time(),
                       "max_steps",
                       fmt::format("{}, and {:.1g} are allowed{}", pace, settings_.max_steps, said),
                       {}};
}

// Fixed steps end at multiples of the step, computed without adding up; the last step of a run ends at its end.
void Loop::choose_end() {
  const double t = time();
  const std::optional<double>& step = settings_.step;
  double h = controller_.proposed();
  for (const Interruption* i : interruptions_) h = std::min(h, i->longest_step(t));
  double end = step ? static_cast<double>(grid_steps_ + 1) * *step : t + h;
  const double left = settings_.duration - end;
  // A remainder that is rounding, or would make a tiny last step, is joined to this one.
  if (left < (step ? 1e-9 * *step : 0.0))
    end = settings_.duration;
  else if (!step && left < 0.1 * h)
    end = t + (settings_.duration - t) / 2;
  if (step)  // the grid goes on where an interruption asks for a shorter step
    for (const Interruption* i : interruptions_) end = std::min(end, t + i->longest_step(t));
  step_.set_end(end);
  // The length as such, not the difference of two times: it is the same for all whole steps.
  const bool whole = step && end == static_cast<double>(grid_steps_ + 1) * *step && end != settings_.duration &&
                     t == static_cast<double>(grid_steps_) * *step;
  h_ = whole ? *step : end - t;
}

bool Loop::attempt() {
  if (stop_.stop_requested()) {
    outcome_ = Outcome{Outcome::Kind::cancelled, time(), "", "asked to stop", {}};
    return false;
  }
  if (static_cast<double>(steps_) >= settings_.max_steps) {
    outcome_ = Outcome{Outcome::Kind::limit_reached,
                       time(),
                       "max_steps",
                       fmt::format("{} steps taken; {}raise max_steps to go on", steps_,
                                   notices_.empty() ? "" : notices_.front() + "; or "),
                       {}};
    return false;
  }
  choose_end();
  const StepReport report = integrator_->attempt(h_);
  if (!settings_.step) return judge(report);
  if (report.ok() && is_finite(integrator_->result())) {
    subject_.doubt(step_.end(), integrator_->result());
    return true;
  }
  outcome_ = subject_.explain(report, h_);
  return false;
}

bool Loop::judge(const StepReport& report) {
  double error = std::numeric_limits<double>::infinity();
  if (report.ok()) error = integrator_->error(settings_.tolerance);
  if (error <= 1 && !is_finite(integrator_->result())) error = std::numeric_limits<double>::infinity();
  if (error <= 1) error = std::max(error, subject_.doubt(step_.end(), integrator_->result()));
  if (controller_.judge(h_, error)) {
    controller_.propose(std::min(controller_.proposed(), settings_.max_step));
    return true;
  }
  ++rejected_;
  if (controller_.proposed() < shortest_step() && !rescue())
    outcome_ = subject_.explain(report, controller_.proposed());
  return false;
}

double Loop::shortest_step() const { return 16 * epsilon * std::max(time(), settings_.duration * 1e-3); }

bool Loop::rescue() {
  std::copy_n(state(), size_, met_.begin());
  const auto rescues = [&](Interruption* i) { return i->rescue(time(), met_.data()); };
  if (!std::ranges::any_of(interruptions_, rescues)) return false;
  integrator_->begin(time(), met_.data());
  controller_.propose(settings_.duration);
  return true;
}

bool Loop::is_finite(const double* y) const {
  double sum = 0;
  for (int i = 0; i < size_; ++i) sum += y[i] * 0;  // 0, or NaN if anything is not finite
  return sum == 0;
}

// A step that is cut where the equations change has an error of its own: up to there they may change faster than the
// whole step showed.
bool Loop::interrupt() {
  earliest_ = never;
  for (std::size_t i = 0; i < interruptions_.size(); ++i) {
    instants_[i] = interruptions_[i]->first(step_);
    earliest_ = std::min(earliest_, instants_[i]);
  }
  if (!(earliest_ < step_.end())) return true;
  step_.cut(earliest_);
  if (settings_.step) return true;
  const double error = integrator_->error(settings_.tolerance);
  if (error <= 1) return true;
  controller_.judge(step_.length(), error);
  ++rejected_;
  return controller_.proposed() < shortest_step();
}

void Loop::accept() {
  integrator_->advance(step_.end());
  ++steps_;
  if (settings_.step && time() >= static_cast<double>(grid_steps_ + 1) * *settings_.step) ++grid_steps_;
  for (Interruption* i : interruptions_) i->accepted(time(), state());
  observers_.step({time(), state()});
  if (stop_event_)
    stop_by(*stop_event_);
  else if (time() >= settings_.duration && !(earliest_ <= time()))
    outcome_ = Outcome{Outcome::Kind::completed, time(), "", "", {}};
}

void Loop::stop_by(int event) {
  outcome_ =
      Outcome{Outcome::Kind::stopped_by_event, time(), fmt::format("event '{}'", events_->event(event).name), "", {}};
}

void Loop::act() {
  if (!(earliest_ <= time())) return;
  std::copy_n(state(), size_, met_.begin());
  bool jumped = false;
  for (std::size_t i = 0; i < interruptions_.size(); ++i) {
    if (!(instants_[i] <= time())) continue;
    const Interruption::Change change = interruptions_[i]->act(time(), met_.data());
    jumped = jumped || change.jumped;
    if (change.outcome) {
      outcome_ = change.outcome;
      break;
    }
  }
  integrator_->begin(time(), met_.data());
  if (jumped) observers_.step({time(), met_.data()});
  std::optional<int> stopped;
  if (events_) stopped = events_->jump(time(), met_.data(), observers_);
  if (outcome_) return;
  if (stopped)
    stop_by(*stopped);
  else if (time() >= settings_.duration)
    outcome_ = Outcome{Outcome::Kind::completed, time(), "", "", {}};
}

}  // namespace plumb
