#include <memory>

#include "plumb/model/reader.h"
#include "plumb/simulation/simulation.h"
#include "plumb/study/validation.h"

#include "plumb/study/cases/n_four_bar.h"
#include "plumb/study/cheapest_setting.h"

#include "chain_model.h"
#include "library.h"
#include "pile.h"
#include "wall.h"

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

Model pile_model(const Pile& pile) {
  Model m;
  std::vector<std::string> names;
  for (int i = 0; i < pile.spheres(); ++i) {
    names.push_back("s" + std::to_string(i));
    m.add(Body{.name = names.back(),
               .density = Pile::density,
               .shape = Sphere{Pile::radius},
               .position = {pile.start[3 * i], pile.start[3 * i + 1], pile.start[3 * i + 2]}});
  }
  const std::pair<Vec3, Vec3> planes[] = {{{0, 0, 0}, {0, 0, 1}},
                                          {{0, 0, 0}, {1, 0, 0}},
                                          {{pile.width, 0, 0}, {-1, 0, 0}},
                                          {{0, 0, 0}, {0, 1, 0}},
                                          {{0, pile.width, 0}, {0, -1, 0}}};
  for (const auto& [point, normal] : planes)
    m.add(Contact{.name = "plane" + std::to_string(m.contacts.size()),
                  .plane = PlaneSurface{point, normal},
                  .friction = Pile::friction});
  m.add(Contact{.name = "spheres", .between = names, .friction = Pile::friction});
  m.simulation.method = "moreau";
  m.simulation.step = Pile::step;
  m.simulation.duration = 10;
  return m;
}

class PlumbPile {
 public:
  explicit PlumbPile(const Pile& pile) : simulation_(pile_model(pile)) {}
  void step() { simulation_.step(); }
  void positions(std::vector<double>& x) const {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = simulation_.state()[7 * (i / 3) + i % 3];
  }

 private:
  Simulation simulation_;
};

struct ImpactTimes : Observer {
  std::vector<double>* times = nullptr;
  void on_impact(const Impact& i) override { times->push_back(i.time); }
};

void measure_wall_in_plumb() {
  Model model = read_model((find_cases() / "double-pendulum-wall/points.toml").string());
  ImpactTimes log;
  std::unique_ptr<Simulation> simulation;
  double made_for = 0;
  measure_wall("projected/dop853", [&](double tolerance, std::vector<double>& times) {
    if (tolerance != made_for) {
      model.simulation.tolerance = made_for = tolerance;
      simulation = std::make_unique<Simulation>(model);
      simulation->watch(log);
    }
    log.times = &times;
    simulation->start_over();
    while (simulation->step()) {
    }
  });
}

void measure_library() {
  const auto file = [](const char* name) { return read_model((find_cases() / name).string()); };
  const std::pair<const char*, Model> list[] = {{"A02", n_four_bar(library::loops, library::duration)},
                                                {"A04", file("iftomm-a04/model.toml")},
                                                {"slider-crank", file("slider-crank/model.toml")}};
  for (const auto& [name, model] : list) {
    const Trial t = cheapest_tolerance(model, "projected/dop853", library::drift_limit, {});
    char setting[40];
    std::snprintf(setting, sizeof setting, "tol %.1e", t.tolerance.value_or(0));
    print_mechanism(name, "projected/dop853", setting, t.seconds, t.drift);
  }
}

}  // namespace
}  // namespace plumb::bench

int main() {
  using namespace plumb::bench;
  return drive("Plumb", [] {
    measure_a01("projected/dop853", PlumbPendulum("projected/dop853"));
    measure_a01("projected/rk4", PlumbPendulum("projected/rk4"));
    measure_chain<PlumbChain>("projected/rk4", "revolute");
    measure_chain<PlumbChain>("projected/rk4", "spherical");
    measure_wall_in_plumb();
    measure_library();
    measure_pile<PlumbPile>("moreau");
  });
}
