// A run of either kind of model as the outside sees it. Mechanisms (simulation/simulation.h) and equations
// (equations/equation_simulation.h) put a loop together; everything else is the same.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plumb/observe/gauge.h"
#include "plumb/simulation/loop.h"

namespace plumb {

// How a method is named and what it can do.
struct MethodInfo {
  std::string name;
  int order = 0;
};

class Run {
 public:
  virtual ~Run() = default;

  void watch(Observer& observer) { loop().watch(observer); }
  void set_stop(std::stop_token token) { loop().set_stop(std::move(token)); }
  Outcome run() { return loop().run(); }
  bool step() { return loop().step(); }

  virtual Loop& loop() = 0;
  virtual const Loop& loop() const = 0;
  virtual Gauge& gauge() = 0;
  virtual MethodInfo method() const = 0;
  virtual long evaluations() const = 0;  // of the right-hand side, wherever they happen
  virtual const std::vector<std::string>& warnings() const = 0;

  // What a verdict has to know (audit/verdict.h).
  virtual int contact_windows() const { return 0; }
  virtual bool has_contacts_in_steps() const { return false; }
  virtual std::vector<std::string> doubts() const { return {}; }

  const std::optional<Outcome>& outcome() const { return loop().outcome(); }
  double time() const { return loop().time(); }
  const double* state() const { return loop().state(); }
  long steps() const { return loop().steps(); }
  long rejected() const { return loop().rejected(); }
  double duration() const { return loop().settings().duration; }
  double output_every() const { return loop().settings().output_every; }
  std::optional<double> fixed_step() const { return loop().settings().step; }
  std::optional<double> tolerance() const {
    return fixed_step() ? std::nullopt : std::optional(loop().settings().tolerance);
  }
};

// Said where damping of the constraints with `omega` exceeds the stability limit of an explicit method; else empty.
std::string stability_note(const Tableau* tableau, std::optional<double> step, double omega);

}  // namespace plumb
