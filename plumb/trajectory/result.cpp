#include "plumb/trajectory/result.h"

#include <fmt/format.h>

#include <cstdint>
#include <ctime>

#include "plumb/simulation/simulation.h"
#ifdef PLUMB_EQUATIONS
#include "plumb/equations/equation_simulation.h"
#endif
#include "plumb/trajectory/singularity_watch.h"

namespace plumb {
namespace {

double cpu_now() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Progress : public Observer {
 public:
  Progress(const std::function<void(double)>& report, double duration) : report_(report), duration_(duration) {}
  void on_step(const Moment& moment) override {
    if (++steps_ % 256 == 0) report_(moment.t / duration_);
  }

 private:
  const std::function<void(double)>& report_;
  double duration_;
  long steps_ = 0;
};

std::vector<FinalBody> final_bodies(const System& system, Measurement& m, double t, const double* y) {
  m.look_at(t, y);
  std::vector<FinalBody> all;
  for (std::size_t i = 0; i < system.bodies.size(); ++i) {
    const auto vector = [&](Channel::Kind kind) {
      Vec3 v;
      for (int k = 0; k < 3; ++k) v[k] = m.value({kind, static_cast<int>(i), k, {}});
      return v;
    };
    FinalBody b{system.bodies[i].name, vector(Channel::Kind::position), vector(Channel::Kind::velocity), {}, {}};
    if (system.bodies[i].kind == BodyKind::rigid) {
      double q[4];
      for (int k = 0; k < 4; ++k) q[k] = m.value({Channel::Kind::attitude, static_cast<int>(i), k, {}});
      b.rotation = Quaternion{q[0], q[1], q[2], q[3]};
      b.angular_velocity = vector(Channel::Kind::angular_velocity);
    }
    all.push_back(b);
  }
  return all;
}

}  // namespace

namespace {

// Runs the loop, recording and auditing.
Result record(const Model& model, const RunOptions& options, Run& run, const System* system) {
  Recorder recorder(system, model.events, run.gauge(), options.on_row);
  Audit audit(run.gauge());
  Progress progress(options.on_progress, run.duration());
  run.watch(audit);
  run.watch(recorder);
  std::optional<SingularityWatch> singularities;
  if (system && has_loops(*system)) run.watch(singularities.emplace(*system));
  if (options.on_progress) run.watch(progress);
  if (options.on_columns && !run.outcome()) options.on_columns(recorder.trajectory().columns());

  const double began = cpu_now();
  Result r;
  run.set_stop(options.stop);
  r.outcome = run.run();
  r.cpu_seconds = cpu_now() - began;
  r.title = model.title;
  r.method = run.method().name;
  r.order = run.method().order;
  r.tolerance = run.tolerance();
  r.step = run.fixed_step();
  r.duration = run.duration();
  r.steps = run.steps();
  r.rejected = run.rejected();
  r.evaluations = run.evaluations();
  r.audit = audit.report();
  r.warnings = run.warnings();
  r.version = PLUMB_VERSION;
  r.model_hash = model_hash(model);
  r.description = model.description;
  r.model_text = model.text;
  r.overrides = model.overrides;
  r.events = std::move(recorder.events());
  r.impacts = std::move(recorder.impacts());
  if (singularities) r.singular_positions = singularities->found();
  r.trajectory = std::move(recorder.trajectory());
  return r;
}

Result simulate_equations(const Model& model, const RunOptions& options) {
#ifdef PLUMB_EQUATIONS
  EquationSimulation simulation(model);
  Result r = record(model, options, simulation, nullptr);
  Gauge& gauge = simulation.gauge();
  gauge.look_at(simulation.time(), simulation.state());
  for (const Channel& c : gauge.channels())
    if (c.kind == Channel::Kind::quantity) r.final_values.emplace_back(c.name, gauge.value(c));
  r.messages = simulation.messages();
  return r;
#else
  static_cast<void>(options);
  throw InputError(model.equations->source, "equations", no_equations);
#endif
}

}  // namespace

Result simulate(const Model& model, const RunOptions& options) {
  if (model.equations) return simulate_equations(model, options);
  Simulation simulation(model);
  Result r = record(model, options, simulation, &simulation.system());
  r.final = final_bodies(simulation.system(), simulation.measurement(), simulation.time(), simulation.state());
  r.messages = start_messages(simulation.system(), simulation.start());
  return r;
}

std::string model_hash(const Model& model) {
  std::uint64_t h = 14695981039346656037u;
  const auto add = [&](const std::string& text) {
    for (unsigned char c : text) h = (h ^ c) * 1099511628211u;
  };
  add(model.text);
  for (const auto& [name, value] : model.overrides) add(fmt::format("\n--set {}={}", name, value));
  return fmt::format("fnv1a64:{:016x}", h);
}

}  // namespace plumb
