// The run of a model given as equations: start, loop, and how it ends.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plumb/equations/algebra_lock.h"
#include "plumb/equations/branch_watch.h"
#include "plumb/equations/consistent_start.h"
#include "plumb/equations/equation_gauge.h"
#include "plumb/equations/equation_method.h"
#include "plumb/equations/equation_switches.h"
#include "plumb/simulation/run.h"

namespace plumb {

// Why a start at which the system cannot be solved is refused.
std::string irregular_start(const ConsistentStart& start);

class EquationSimulation final : public Run, private Subject {
 public:
  explicit EquationSimulation(const Model& model);

  Loop& loop() override { return *loop_; }
  const Loop& loop() const override { return *loop_; }
  Gauge& gauge() override { return *gauge_; }
  MethodInfo method() const override;
  long evaluations() const override { return flow_.evaluations() + probe_flow_.evaluations(); }
  const std::vector<std::string>& warnings() const override { return warnings_; }
  std::vector<std::string> doubts() const override;

  const ConsistentStart& start() const { return start_; }
  const Reduction& reduction() const { return flow_.reduction(); }
  Flow& flow() { return flow_; }
  double omega() const { return omega_; }
  std::vector<std::string> messages() const;  // about the start

 private:
  EquationSimulation(const Model& model, const EquationMethod& method, const AlgebraLock& preparing);

  bool settle(double t, double* y) override { return watch_->flow().settle(t, y).ok(); }
  double doubt(double t, const double* y) override;
  Outcome explain(const StepReport& report, double h) override;
  Relief relieve(const Slowness& slow) override;

  void make_loop();
  std::string name_of(int state) const;

  // Tells the watch of accepted steps.
  class BranchKeeper final : public Interruption {
   public:
    explicit BranchKeeper(BranchWatch& watch) : watch_(watch) {}
    double first(Step&) override { return never; }
    void accepted(double t, const double* y) override { watch_.accepted(t, y); }
    Change act(double t, double* y) override;

   private:
    BranchWatch& watch_;
  };

  Model model_;
  EquationMethod method_;
  double omega_;
  Flow flow_;
  ConsistentStart start_;
  Flow probe_flow_;            // solved at the start, like those of all others
  std::vector<double> modes_;  // of what switches
  std::unique_ptr<BranchWatch> watch_;
  std::unique_ptr<EquationGauge> gauge_;
  std::unique_ptr<EquationSwitches> switches_;
  std::unique_ptr<SwitchDriver> switch_driver_;
  std::unique_ptr<BranchKeeper> keeper_;
  std::vector<std::string> warnings_;
  std::optional<double> stiff_from_;  // of an automatic method: when it went on with the implicit one
  std::optional<double> left_at_;     // with fixed steps: where an unknown first seems to have left its branch
  int left_ = -1;
  std::unique_ptr<Loop> loop_;
};

}  // namespace plumb
