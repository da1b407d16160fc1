#include <memory>

#include "plumb/model/reader.h"
#include "plumb/simulation/simulation.h"
#include "plumb/study/validation.h"

#include "chain_model.h"
#include "peer.h"

namespace plumb::bench {
namespace {

class PlumbPendulum {
 public:
  explicit PlumbPendulum(const std::string& method)
      : model_(read_model((find_cases() / "iftomm-a01/model.toml").string())) {
    model_.simulation.method = method;
    model_.simulation.tolerance.reset();
  }

  void start(int steps) {
    const double h = a01::duration / steps;
    if (!simulation_ || model_.simulation.step != h) {
      model_.simulation.step = h;
      simulation_ = std::make_unique<Simulation>(model_);
    }
    simulation_->start_over();
  }
  void step() { simulation_->step(); }
  void run() {
    while (simulation_->step()) {
    }
  }
  PendulumState state() const {
    const double* y = simulation_->state();  // position, velocity
    return {y[0], y[1], y[3], y[4]};
  }

 private:
  Model model_;
  std::unique_ptr<Simulation> simulation_;
};

class PlumbChain {
 public:
  PlumbChain(int links, const std::string& joint) : links_(links), simulation_(chain_model(links, joint)) {}

  void start() { simulation_.start_over(); }
  void run(int steps) {
    for (int i = 0; i < steps; ++i) simulation_.step();
  }
  Tip tip() const {
    const double* last = simulation_.state() + 7 * (links_ - 1);  // position, quaternion
    return {last[0], last[2]};
  }

 private:
  int links_;
  Simulation simulation_;
};

}  // namespace
}  // namespace plumb::bench

int main() {
  using namespace plumb::bench;
  return drive("Plumb", [] {
    measure_a01("projected/dop853", PlumbPendulum("projected/dop853"));
    measure_a01("projected/rk4", PlumbPendulum("projected/rk4"));
    measure_chain<PlumbChain>("projected/rk4", "revolute");
    measure_chain<PlumbChain>("projected/rk4", "spherical");
  });
}
