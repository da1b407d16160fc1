#include "plumb/trajectory/result.h"

#include <fmt/format.h>

#include <cstdint>
#include <ctime>

#include "plumb/simulation/simulation.h"
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

Result simulate(const Model& model, const RunOptions& options) {
  Simulation simulation(model);
  Recorder recorder(simulation.system(), model.events, simulation.measurement(), options.on_row);
  Audit audit(simulation.measurement());
  Progress progress(options.on_progress, simulation.duration());
  simulation.watch(audit);
  simulation.watch(recorder);
  std::optional<SingularityWatch> singularities;
  if (has_loops(simulation.system())) simulation.watch(singularities.emplace(simulation.system()));
  if (options.on_progress) simulation.watch(progress);
  if (options.on_columns && !simulation.outcome()) options.on_columns(recorder.trajectory().columns());

  const double began = cpu_now();
  Result r;
  r.outcome = simulation.run();
  r.cpu_seconds = cpu_now() - began;
  r.title = model.title;
  r.method = simulation.method().name;
  r.tolerance = simulation.tolerance();
  r.step = simulation.fixed_step();
  r.duration = simulation.duration();
  r.steps = simulation.steps();
  r.rejected = simulation.rejected();
  r.evaluations = simulation.evaluations();
  r.audit = audit.report();
  r.final = final_bodies(simulation.system(), simulation.measurement(), simulation.time(), simulation.state());
  r.messages = start_messages(simulation.system(), simulation.start());
  r.warnings = simulation.warnings();
  r.version = PLUMB_VERSION;
  r.model_hash = model_hash(model);
  r.events = std::move(recorder.events());
  r.impacts = std::move(recorder.impacts());
  if (singularities) r.singular_positions = singularities->found();
  r.trajectory = std::move(recorder.trajectory());
  return r;
}

std::string model_hash(const Model& model) {
  std::uint64_t h = 14695981039346656037u;
  for (unsigned char c : model.text) h = (h ^ c) * 1099511628211u;
  return fmt::format("fnv1a64:{:016x}", h);
}

}  // namespace plumb
