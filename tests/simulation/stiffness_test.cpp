// Steps that stability limits are noticed, said, and taken over by an implicit method where the model leaves the
// choice.
#include <gtest/gtest.h>

#include <cmath>

#include "plumb/model/reader.h"
#include "plumb/simulation/stiffness_watch.h"
#include "plumb/trajectory/result.h"
#include "models.h"

namespace plumb {
namespace {

TEST(StiffnessWatch, WantsManyStepsAtTheBorderAndFewOthers) {
  using Finding = StiffnessWatch::Finding;
  StiffnessWatch watch;
  for (int i = 1; i < 1000; ++i)
    EXPECT_EQ(watch.note(1.0), i == 15 ? Finding::stiff : i == 400 ? Finding::lastingly_stiff : Finding::nothing) << i;
  watch = {};
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 12; ++i) EXPECT_EQ(watch.note(0.95), Finding::nothing);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(watch.note(0.3), Finding::nothing);
  }
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(watch.note(0), Finding::nothing) << "nothing is known of these steps";
}

// A mass in heavy oil, on a spring: it creeps to the other end with x = h (1 - exp(-k t/c)), while its own rate is c/m.
Model creeping(double k, double c, double m) {
  Model model;
  model.gravity = Vec3::Zero();
  model.add(Body{.name = "mass", .mass = m, .position = {1, 0, 0}});
  model.add(Joint{.name = "rail", .type = "prismatic", .from = "ground", .to = "mass", .axis = Vec3(1, 0, 0)});
  model.add(Force{.name = "oil", .type = "drag", .linear = c});
  model.add(Force{.name = "pull",
                  .type = "spring",
                  .from = "ground",
                  .to = "mass",
                  .from_point = Point{0.0, 0.0, 0.0},
                  .stiffness = k,
                  .length = 0.2});
  model.simulation.duration = 2;
  return model;
}

double crept(double k, double c, double m, double t) {  // both roots of m r² + c r + k
  const double root = std::sqrt(c * c - 4 * m * k), slow = 2 * k / (-c - root), fast = (-c - root) / (2 * m);
  return 0.2 + 0.8 * (fast * std::exp(slow * t) - slow * std::exp(fast * t)) / (fast - slow);
}

TEST(Stiffness, IsSaidWithTheBodyTheForcesAndTheWayOut) {
  Model model = creeping(3, 20, 1e-4);
  std::vector<std::string> said;
  RunOptions options;
  options.on_notice = [&](const std::string& notice) { said.push_back(notice); };
  const Result r = simulate(model, options);
  ASSERT_EQ(said.size(), 1u);
  for (const char* word : {"stiff", "'mass'", "drag 'oil'", "spring 'pull'", "auto", "projected/radau5"})
    EXPECT_NE(said[0].find(word), std::string::npos) << word << " in: " << said[0];
  EXPECT_EQ(r.warnings, said);
  EXPECT_GT(r.steps, 20000);
  EXPECT_NEAR(r.final[0].position.x(), crept(3, 20, 1e-4, 2), 1e-9);
}

TEST(Stiffness, AutoGoesOnWithTheImplicitMethod) {
  for (const double m : {1e-3, 1e-5, 1e-7}) {
    Model model = creeping(3, 20, m);
    model.simulation.method = "auto";
    const Result r = simulate(model);
    ASSERT_TRUE(r.outcome.is_success()) << r.outcome.describe();
    EXPECT_LT(r.steps, 1000) << m;
    EXPECT_NE(r.method.find("radau5"), std::string::npos) << r.method;
    EXPECT_NEAR(r.final[0].position.x(), crept(3, 20, m, 2), 1e-8) << m;
    EXPECT_TRUE(r.warnings.empty());
  }
}

// With events, and an impact in the middle of it.
TEST(Stiffness, AutoLocatesAsEver) {
  const double k = 3, c = 20, m = 1e-4;
  Model model = creeping(k, c, m);
  model.simulation.method = "auto";
  model.simulation.duration = 12;
  model.add(Event{.name = "half", .zero_of = "mass.x - 0.6"});
  model.add(Contact{.name = "wall", .plane = PlaneSurface{{0.4, 0, 0}, {1, 0, 0}}, .restitution = 0.0});
  const Result r = simulate(model);
  ASSERT_TRUE(r.outcome.is_success()) << r.outcome.describe();
  ASSERT_EQ(r.events.size(), 1u);
  EXPECT_NEAR(crept(k, c, m, r.events[0].time), 0.6, 1e-8);
  ASSERT_EQ(r.impacts.size(), 1u);
  EXPECT_NEAR(crept(k, c, m, r.impacts[0].impact.time), 0.4, 1e-8);
  EXPECT_NEAR(r.final[0].position.x(), 0.4, 1e-12);
  EXPECT_LT(r.steps, 2000);
}

TEST(Stiffness, IsNotSeenWhereThereIsNone) {
  for (Model model : {testing::pendulum(2.5), testing::chain(5, "revolute"), testing::chain(3, "spherical")}) {
    model.simulation.duration = 30;
    model.simulation.method = "auto";
    const Result r = simulate(model);
    EXPECT_TRUE(r.warnings.empty());
    EXPECT_EQ(r.method, "auto: projected/dop853");
  }
}

TEST(Stiffness, TheLimitOfStepsNamesIt) {
  Model model = creeping(3, 20, 1e-4);
  model.simulation.max_steps = 5000;
  const Result r = simulate(model);
  EXPECT_EQ(r.outcome.kind, Outcome::Kind::limit_reached);
  EXPECT_NE(r.outcome.reason.find("stiff"), std::string::npos) << r.outcome.reason;
}

#ifdef PLUMB_EQUATIONS
// B. van der Pol's oscillator over a period of relaxation: its period is (3 - 2 ln 2) mu + 3 2.338107 mu^(-1/3) and
// more.
TEST(Stiffness, OfEquationsIsSaidAndAutoGoesOn) {
  Model model = parse_model(R"toml(
[equations]
differential = ["x' = v", "v' = 1000*(1 - x^2)*v - x"]
[initial]
x = 2
[simulation]
duration = 2000
)toml",
                            "vdp.toml", {});
  model.simulation.max_steps = 30000;
  const Result plain = simulate(model);
  EXPECT_EQ(plain.outcome.kind, Outcome::Kind::limit_reached);
  for (const char* word : {"stiff", "'v'", "--method auto", "radau5"})
    EXPECT_NE(plain.outcome.reason.find(word), std::string::npos) << word << " in: " << plain.outcome.reason;
  model.simulation.method = "auto";
  const Result automatic = simulate(model);
  ASSERT_TRUE(automatic.outcome.is_success()) << automatic.outcome.describe();
  EXPECT_LT(automatic.steps, 10000);
  EXPECT_NEAR(automatic.trajectory["x"].back(), 1.7061677321, 1e-7);  // Test Set for IVP Solvers, release 2.4
}
#endif

}  // namespace
}  // namespace plumb
