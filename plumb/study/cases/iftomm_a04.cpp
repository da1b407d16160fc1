// IFToMM A04: Bricard's mechanism. Thirty equations for thirty velocities, and yet it moves.
#include <algorithm>

#include "plumb/simulation/simulation.h"
#include "plumb/study/diagnosis.h"
#include "plumb/study/validation.h"
#include "plumb/system/row_rank.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

// The rank of the constraints on the output grid.
class RankWatch : public Observer {
 public:
  explicit RankWatch(const System& system) : system_(system), dynamics_(system), rank_(system) {}

  void on_sample(const Moment& m) override {
    dynamics_.place(m.t, m.y);
    dynamics_.linearise();
    const int deficiency = system_.rows - rank_.find(dynamics_.constraints());
    least = std::min(least, deficiency);
    most = std::max(most, deficiency);
  }

  int least = 1000, most = 0;

 private:
  const System& system_;
  Dynamics dynamics_;
  RowRank rank_;
};

}  // namespace

void measure_iftomm_a04(CaseRun& run) {
  const Model model = run.model("model.toml");
  const Result r = simulate(model);
  if (!r.outcome.is_success()) throw std::runtime_error(r.outcome.describe());
  run.animate("Ten seconds", model, r);
  const std::size_t second = 100;
  const auto at = [&](const char* channel) { return r.trajectory[std::string("bar2.") + channel].at(second); };
  const Quaternion q{at("qw"), at("qx"), at("qy"), at("qz")};
  const Vec3 p3 = Vec3(at("x"), at("y"), at("z")) + q.rotate({0, -0.5, 0});
  run.report("p3x", p3.x());
  run.report("p3y", p3.y());
  run.report("p3z", p3.z());
  run.report("drift", r.audit.max_drift);
  run.report("violation", r.audit.violation[0]);
  run.report("velocity", r.audit.violation[1]);
  const Diagnosis d = diagnose(model);
  run.report("redundant", d.constraints - d.rank);
  run.report("freedom", d.degrees_of_freedom);
  run.report("named", d.redundancies.empty() ? 0 : static_cast<double>(d.redundancies[0].joints.size()));
  Simulation simulation(model);
  const System coupled = couple_all_joints(simulation.system());
  RankWatch watch(coupled);
  simulation.watch(watch);
  simulation.run();
  run.report("rank", watch.most);
  run.report("rank_least", watch.least);
}

}  // namespace plumb
