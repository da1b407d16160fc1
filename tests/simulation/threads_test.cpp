// Runs in threads know nothing of each other: many models of both kinds side by side give the bits they give alone.
// `make tsan` runs this under the thread sanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <thread>
#include <vector>

#include "plumb/equations/derivation.h"
#include "plumb/model/reader.h"
#include "plumb/report/page.h"
#include "plumb/study/equilibrium.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

constexpr int threads = 8, models = 50;

const char* const texts[] = {
    // A pendulum in every form.
    R"toml(
[parameters]
k = 1.0
[equations]
differential = ["x' = u", "y' = v", "u' = -x*mu", "v' = -y*mu - 9.81*k"]
algebraic = ["x^2 + y^2 = 1"]
[initial]
x = 1
[simulation]
duration = 0.2
)toml",
    R"toml(
[parameters]
k = 1.0
[equations]
differential = ["x' = z + max(0, sin(9*t) - 0.5)*k", "0.1*w'^3 + w' = x - atan2(w, 2)"]
algebraic = ["z + z^3 + 0.2*abs(z) = k*cos(3*t) - x"]
[events.up]
zero_of = "z"
[simulation]
duration = 1
)toml",
    R"toml(
[parameters]
k = 1.0
[equations]
differential = ["x' = v", "v' = 50*(1 - x^2)*v - k*x"]
[initial]
x = 2
[simulation]
duration = 3
method = "radau5"
)toml",
    // Mechanisms: a loop, and a box that falls with friction.
    R"toml(
[parameters]
k = 1.0
[bodies.crank]
box = [0.2, 0.02, 0.02]
density = 2700
position = [0.1, 0, 0]
angular_velocity = [0, "3*k", 0]
[bodies.rod]
box = [0.5, 0.02, 0.02]
density = 2700
position = [0.45, 0, 0]
[joints.shaft]
type = "revolute"
from = "ground"
to = "crank"
point = [0, 0, 0]
axis = [0, 1, 0]
[joints.pin]
type = "revolute"
from = "crank"
to = "rod"
point = [0.2, 0, 0]
axis = [0, 1, 0]
[joints.slide]
type = "point-on-line"
from = "ground"
to = "rod"
point = [0.7, 0, 0]
axis = [1, 0, 0]
[forces.push]
type = "force"
on = "rod"
force = ["t > 0.1 ? k : 0", 0, 0]
[simulation]
duration = 0.3
)toml",
    R"toml(
[parameters]
k = 1.0
[bodies.a]
box = [0.2, 0.2, 0.1]
mass = 1
position = [0, 0, 0.2]
velocity = ["k", 0, 0]
angular_velocity = [0, 0, 3]
[contacts.floor]
plane = { point = [0, 0, 0], normal = [0, 0, 1] }
friction = 0.4
restitution = 0.2
[simulation]
duration = 0.3
)toml"};

struct Ends {
  long steps;
  double last;
  bool operator==(const Ends&) const = default;
};

Ends end_of(int number) {
  const int kind = number % 5;
  Model m = parse_model(texts[kind], "model.toml", {{"k", std::to_string(1 + 0.01 * number)}});
  if (kind == 0) {
    const char* const forms[] = {"projected/dop853", "index1/dopri5", "ggl/dop853", "index0/radau5"};
    m.simulation.method = forms[number / 5 % 4];
    m.simulation.omega = 10;
    if (as_latex(derive(m)).size() < 100) return {};
  }
  if (kind == 3 && number % 2) find_equilibrium(m);
  const Result r = simulate(m);
  if (!r.outcome.is_success()) return {-1, r.outcome.time};
  return {r.steps, r.trajectory.last(r.trajectory.columns()[1])};
}

TEST(Threads, EightTimesFiftyModelsOfBothKinds) {
  std::vector<Ends> alone;
  for (int i = 0; i < models; ++i) {
    alone.push_back(end_of(i));
    ASSERT_GT(alone.back().steps, 0) << i << " " << alone.back().last;
  }
  std::atomic<int> wrong = 0;
  std::vector<std::thread> pool;
  for (int k = 0; k < threads; ++k)
    pool.emplace_back([&, k] {
      for (int i = 0; i < models; ++i) {
        const int number = (i * 7 + 13 * k) % models;
        if (!(end_of(number) == alone[static_cast<std::size_t>(number)])) ++wrong;
      }
    });
  for (std::thread& t : pool) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace plumb
