#include "plumb/study/cheapest_setting.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "plumb/simulation/simulation.h"

namespace plumb {
namespace {

// Runs once, watching every step; gives up as soon as the drift exceeds `stop_at`.
Trial observe(const Model& model, double limit, double stop_at, const KnownSolution& error) {
  Simulation s(model);
  Measurement& m = s.measurement();
  const double reference = (m.look_at(0, s.state()), m.energy().balance());
  Trial t;
  t.method = model.simulation.method;
  t.step = model.simulation.step;
  t.tolerance = model.simulation.tolerance;
  bool more = true;
  while (more) {
    more = s.step();
    m.look_at(s.time(), s.state());
    t.drift = std::max(t.drift, std::abs(m.energy().balance() - reference));
    t.violation = std::max(t.violation, m.violation(0));
    if (error) t.error = std::max(t.error, error(s.time(), s.state()));
    if (!(t.drift <= stop_at)) break;
  }
  t.steps = s.steps();
  t.reached = s.outcome() && s.outcome()->is_success() && t.drift <= limit;
  return t;
}

// The step loop alone; also counts its evaluations, of which watching would add some.
void time_loop(const Model& model, double budget, Trial& t) {
  using Clock = std::chrono::steady_clock;
  Simulation s(model);
  const auto seconds = [](Clock::duration d) { return std::chrono::duration<double>(d).count(); };
  t.seconds = 1e99;
  for (double total = 0, rounds = 0; rounds < 7 || total < budget; ++rounds) {
    s.start_over();
    const long before = s.evaluations();
    const auto began = Clock::now();
    while (s.step()) {
    }
    const double spent = seconds(Clock::now() - began);
    t.evaluations = s.evaluations() - before;
    t.seconds = std::min(t.seconds, spent);
    total += spent;
    if (total > 20 * budget) break;
  }
}

}  // namespace

Trial cheapest_step(Model model, const std::string& method, double limit, const KnownSolution& error, long max_steps) {
  const double duration = *model.simulation.duration;
  model.simulation.method = method;
  model.simulation.tolerance.reset();
  const auto with_steps = [&](long n) -> const Model& {
    model.simulation.step = duration / static_cast<double>(n);
    return model;
  };
  long low = 8, high = 16;
  while (high <= max_steps && !observe(with_steps(high), limit, limit, {}).reached) low = high, high *= 2;
  if (high > max_steps) {
    Trial best = observe(with_steps(low), limit, 1e99, error);
    best.reached = false;
    return best;
  }
  while (static_cast<double>(high - low) > std::max(1.0, 0.005 * static_cast<double>(high))) {
    const long middle = (low + high) / 2;
    (observe(with_steps(middle), limit, limit, {}).reached ? high : low) = middle;
  }
  Trial best = observe(with_steps(high), limit, 1e99, error);
  time_loop(with_steps(high), 0.05, best);
  return best;
}

Trial cheapest_tolerance(Model model, const std::string& method, double limit, const KnownSolution& error) {
  model.simulation.method = method;
  model.simulation.step.reset();
  Trial best;
  best.method = method;
  best.seconds = 1e99;
  for (int k = 16, good = 0; k <= 104 && good < 12; ++k) {
    model.simulation.tolerance = std::pow(10.0, -k / 8.0);
    Trial t = observe(model, limit, limit, error);
    if (!t.reached) continue;
    ++good;
    time_loop(model, 0.01, t);
    if (t.seconds < best.seconds) best = t;
  }
  return best;
}

}  // namespace plumb
