#include "plumb/trajectory/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <limits>

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
    if (++steps_ % 16 == 0) report_(moment.t / duration_);
  }

 private:
  const std::function<void(double)>& report_;
  double duration_;
  long steps_ = 0;
};

std::vector<FinalBody> final_bodies(const System& system, Measurement& m, double t, const double* y) {
  m.look_at(t, y);
  std::vector<FinalBody> all;
  for (std::size_t i = 0; i < system.members.size(); ++i) {
    const auto vector = [&](Channel::Kind kind) {
      Vec3 v;
      for (int k = 0; k < 3; ++k) v[k] = m.value({kind, static_cast<int>(i), k, {}});
      return v;
    };
    FinalBody b{system.members[i].name, vector(Channel::Kind::position), vector(Channel::Kind::velocity), {}, {}};
    if (system.members[i].kind == BodyKind::rigid) {
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
  std::optional<OverlapAudit> overlaps;
  if (system) {
    const auto limits = system->contacts.begin() + static_cast<std::ptrdiff_t>(model.contacts.size());
    overlaps.emplace(model, std::vector<std::string>(limits, system->contacts.end()), run.gauge(),
                     run.duration() / run.output_every());
    if (!overlaps->is_idle()) run.watch(*overlaps);
  }
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
  run.loop().set_notice(options.on_notice);
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
  for (const Body& b : model.bodies) r.audit.mass += mass_properties(b).mass;
  r.audit.weight = r.audit.mass * model.gravity.norm();
  if (overlaps) r.audit.overlap = overlaps->report();
  r.contact_windows = run.contact_windows();
  r.contacts_in_steps = run.has_contacts_in_steps();
  r.doubts = run.doubts();
  r.warnings = run.warnings();
  r.warnings.insert(r.warnings.end(), run.loop().notices().begin(), run.loop().notices().end());
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

// How far apart the places of bodies are during the run, or how large a body is; of equations the largest value of an
// unknown.
double size_of(const Result& r, const std::vector<Body>& bodies) {
  const Trajectory& t = r.trajectory;
  double size = 0;
  for (const auto& [name, value] : r.final_values)
    for (std::size_t row = 0, at = t.column(name); row < t.rows(); ++row)
      size = std::max(size, std::abs(t.row(row)[at]));
  for (int k = 0; k < 3; ++k) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Body& b : bodies)
      for (std::size_t row = 0, at = t.column(b.name + "." + "xyz"[k]); row < t.rows(); ++row) {
        low = std::min(low, t.row(row)[at]);
        high = std::max(high, t.row(row)[at]);
      }
    size = std::max(size, high - low);
  }
  for (const Body& b : bodies)
    if (b.shape) size = std::max(size, std::cbrt(volume(*b.shape)));
  return size > 1e-9 && std::isfinite(size) ? size : 1;
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
  r.size = size_of(r, {});
  judge(r);
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
  r.messages = start_messages(simulation.written(), simulation.start());
  r.size = size_of(r, model.bodies);
  judge(r);
  return r;
}

void judge(Result& r) {
  Evidence e{r.outcome, r.audit};
  e.tolerance = r.tolerance;
  e.step = r.step;
  e.steps = r.steps;
  e.size = r.size;
  e.contacts_in_steps = r.contacts_in_steps;
  e.contact_windows = r.contact_windows;
  e.singular_positions = static_cast<int>(r.singular_positions.size());
  if (r.error) e.error = r.error->max;
  e.doubts = r.doubts;
  if (r.outcome.is_success() && is_energy_open(e)) {
    r.outcome = Outcome{Outcome::Kind::audit_failed,
                        r.outcome.time,
                        "energy",
                        fmt::format("{:.3g} J are unaccounted for at t = {:.4g} s; at most {:.2g} J can be explained",
                                    r.audit.max_drift, r.audit.time_of_max_drift, explained_drift(e)),
                        {}};
  }
  r.verdict = judge(e);
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
