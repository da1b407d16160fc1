// The run of a mechanism: its start, its contacts, and the loop.
//
//   Simulation simulation(model);      // compiles, makes the start consistent
//   simulation.watch(observer);
//   Outcome outcome = simulation.run();
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plumb/observe/measurement.h"
#include "plumb/simulation/run.h"
#include "plumb/simulation/start.h"

namespace plumb {

class Simulation final : public Run {
 public:
  // Bodies that fixed joints hold together move as one, unless they are to be taken as the model has them.
  enum class Bodies { merged, as_written };
  // Throws InputError for a model that cannot be compiled or settings that do not fit together. An
  // inconsistent start is an outcome, found in `outcome()`.
  explicit Simulation(const Model& model, Bodies bodies = Bodies::merged);
  ~Simulation() override;

  void start_over();

  const System& system() const;
  const System& written() const;  // with every body of the model on its own
  std::vector<double> written_state() const;
  const StartReport& start() const;
  Measurement& measurement();

  Loop& loop() override;
  const Loop& loop() const override;
  Gauge& gauge() override { return measurement(); }
  MethodInfo method() const override;
  long evaluations() const override;
  const std::vector<std::string>& warnings() const override;
  int contact_windows() const override;
  bool has_contacts_in_steps() const override;

 private:
  class Mechanism;
  std::unique_ptr<Mechanism> mechanism_;
};

}  // namespace plumb
