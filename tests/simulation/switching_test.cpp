// Inputs that switch: found before the run, held within a step, located where the state makes them switch.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "plumb/model/reader.h"
#include "plumb/simulation/time_scan.h"
#include "plumb/study/error_estimate.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

class TimeAndX : public Names {
 public:
  std::optional<Meaning> find(std::string_view name) const override {
    if (name == "t") return Meaning{std::nullopt, time_slot};
    if (name == "x") return Meaning{std::nullopt, 1};
    return std::nullopt;
  }
  std::vector<std::string> all() const override { return {"t", "x"}; }
};

TimeScan scanned(const std::string& text, double duration) {
  TimeScan scan(duration);
  scan.add(Expression::parse(text, TimeAndX()));
  scan.finish();
  return scan;
}

TEST(TimeScan, FindsTheInstantsOfConditionsExactly) {
  EXPECT_EQ(scanned("t > 5 && t < 6.25 ? 1 : 0", 10).instants(), (std::vector<double>{5, 6.25}));
  EXPECT_EQ(scanned("max(0, 1 - abs(t - 570))", 1000).instants(), (std::vector<double>{569, 570, 571}));
  EXPECT_EQ(scanned("mod(t, 0.5) < 0.25 ? 1 : -1", 1.1).instants(), (std::vector<double>{0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(scanned("floor(4*t) + ceil(2*t)", 1).instants(), (std::vector<double>{0.25, 0.5, 0.75}));
  const TimeScan sine = scanned("sign(sin(7*t))", 3);
  ASSERT_EQ(sine.instants().size(), 6u);
  for (int k = 1; k <= 6; ++k) EXPECT_NEAR(sine.instants()[k - 1], k * M_PI / 7, 1e-15);
  // A pulse of a millionth of the run is not overlooked.
  EXPECT_EQ(scanned("t > 0.734501 && t < 0.734502 ? 1 : 0", 1).instants().size(), 2u);
  // Conditions of the state are not known before.
  EXPECT_TRUE(scanned("x > t ? 1 : 0", 1).instants().empty());
}

TEST(TimeScan, KeepsStepsShortWhereASmoothInputIsNarrow) {
  for (double width : {0.1, 1e-2, 1e-3, 1e-4}) {
    const TimeScan scan = scanned("exp(-((t - 5.00123)/" + std::to_string(width) + ")^2)", 10);
    EXPECT_LT(scan.longest_step(5.00123), width);
    // From the start a step may lead to the pulse, not over it.
    EXPECT_LT(scan.longest_step(0), 5.00123 + 2 * width);
    EXPECT_GT(scan.longest_step(0), 4);
    EXPECT_GT(scan.longest_step(6), 1);
  }
  // A small pulse on a large ramp is one.
  EXPECT_LT(scanned("100*t + 0.001*exp(-((t - 3)/0.01)^2)", 10).longest_step(3), 0.01);
}

TEST(TimeScan, LeavesSlowInputsAlone) {
  EXPECT_EQ(scanned("3*t + 2", 10).longest_step(0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(scanned("t*x", 10).longest_step(0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(scanned("x^2", 10).longest_step(0), std::numeric_limits<double>::infinity());
  EXPECT_GT(scanned("sin(t)", 10).longest_step(0), 0.5);
  // Where nothing can be read off: a fiftieth of the duration.
  EXPECT_DOUBLE_EQ(scanned("exp(-((t - x)/0.01)^2)", 10).longest_step(0), 0.2);
}

Model pushed(const std::string& force, double duration) {
  Model m;
  m.gravity = Vec3::Zero();
  m.add(Body{.name = "m", .mass = 2.0});
  m.add(Force{.name = "push", .type = "force", .on = "m", .force = Point{Quantity(force), 0.0, 0.0}});
  m.simulation.duration = duration;
  return m;
}

// ∫ f and ∫∫ f over a pulse of height 1 from a to b.
TEST(Switching, APulseIsIntegratedExactlyWhereverItIs) {
  for (const auto& [a, b] :
       {std::pair(5.0, 6.0), std::pair(0.3, 0.300001), std::pair(9.99, 10.0), std::pair(0.0, 1e-3)}) {
    for (const char* method : {"projected/dop853", "projected/dopri5", "projected/radau5"}) {
      Model m = pushed(fmt::format("t > {} && t < {} ? 1 : 0", a, b), 10);
      m.simulation.method = method;
      const Result r = simulate(m);
      ASSERT_EQ(r.outcome.kind, Outcome::Kind::completed);
      EXPECT_NEAR(r.final[0].velocity.x(), (b - a) / 2, 1e-13) << a << ' ' << method;
      EXPECT_NEAR(r.final[0].position.x(), (b - a) / 2 * (10 - (a + b) / 2), 1e-12) << a << ' ' << method;
    }
  }
}

TEST(Switching, EveryFormOfASwitchIsSeen) {
  struct {
    const char* force;
    double impulse;
  } const cases[] = {{"max(0, 1 - abs(t - 3))", 1},
                     {"min(t, 1) - (t < 4 ? 0 : 1)", 0.5 + 3},
                     {"sign(t - 2.5)", 7.5 - 2.5},
                     {"mod(t, 3)", 3 * 4.5 + 0.5},
                     {"floor(t)", 45},
                     {"abs(t - 1) - abs(t - 1)", 0},
                     {"t >= 2 ? (t <= 2.125 ? 8 : 0) : 0", 1},
                     {"exp(-((t - 5)/0.01)^2)", 0.01 * std::sqrt(M_PI)},
                     {"exp(-((t - 5.0051)/0.0003)^2)", 0.0003 * std::sqrt(M_PI)}};
  for (const auto& c : cases) {
    const Result r = simulate(pushed(c.force, 10));
    ASSERT_EQ(r.outcome.kind, Outcome::Kind::completed) << c.force;
    EXPECT_NEAR(r.final[0].velocity.x(), c.impulse / 2, 1e-9 * (1 + c.impulse)) << c.force;
  }
}

TEST(Switching, FixedStepsKeepTheirOrderThroughIt) {
  // A push that ends between two steps: with the step cut there the motion is a parabola, exact for all of these.
  for (const char* method : {"projected/midpoint", "projected/rk4", "rattle", "moreau"}) {
    Model m = pushed("t < 0.1234567 ? 3 : 0", 1);
    m.simulation.method = method;
    m.simulation.step = 0.01;
    EXPECT_NEAR(simulate(m).final[0].velocity.x(), 3 * 0.1234567 / 2, 1e-14) << method;
  }
}

TEST(Switching, ConditionsOfTheStateAreLocated) {
  // A mass flies freely to x = 1, where a counterforce begins: v² falls by 2 a (x - 1), turning at x = 1 + v²/(2 a).
  Model m = pushed("m.x > 1 ? -4 : 0", 3);
  m.bodies[0].velocity = Vec3(2, 0, 0);
  m.add(Event{.name = "turn", .zero_of = "m.vx", .direction = Event::Direction::falling});
  const Result r = simulate(m);
  ASSERT_EQ(r.events.size(), 1u);
  EXPECT_NEAR(r.events[0].time, 0.5 + 2 / 2.0, 1e-12);
  EXPECT_NEAR(r.events[0].row[r.trajectory.column("m.x")], 1 + 4 / 4.0, 1e-12);
  EXPECT_NEAR(r.final[0].velocity.x(), -2, 1e-12);
  EXPECT_LT(r.steps, 20);
  EXPECT_LT(r.audit.max_drift, 1e-12);
}

TEST(Switching, ASpringWithPlayKeepsItsEnergy) {
  Model m = pushed("m.x > 0.1 ? -50*(m.x - 0.1) : m.x < -0.1 ? -50*(m.x + 0.1) : 0", 4);
  m.bodies[0].velocity = Vec3(1, 0, 0);
  const Result r = simulate(m);
  ASSERT_EQ(r.outcome.kind, Outcome::Kind::completed);
  // Half a swing on the spring and a crossing of the play, in turn.
  const double half = M_PI * std::sqrt(2.0 / 50), cross = 0.2;
  double t = 4 - cross / 2, x = 0, v = 1;
  const double period = half + cross;
  const double phase = std::fmod(t, period);
  v = static_cast<int>(t / period) % 2 == 0 ? 1 : -1;
  x = phase < half ? v * (0.1 + std::sqrt(2.0 / 50) * std::sin(phase / std::sqrt(2.0 / 50)))
                   : v * (0.1 - (phase - half));
  EXPECT_NEAR(r.final[0].position.x(), x, 1e-9);
}

TEST(Switching, ChatteringIsNamedAtOnce) {
  Model m = pushed("-4*sign(m.vx)", 2);
  m.bodies[0].velocity = Vec3(1, 0, 0);
  const Result r = simulate(m);
  EXPECT_EQ(r.outcome.kind, Outcome::Kind::chattering);
  EXPECT_NEAR(r.outcome.time, 0.5, 1e-9);
  EXPECT_NE(r.outcome.describe().find("push"), std::string::npos);
  EXPECT_LT(r.steps, 200);
}

TEST(Switching, ADriveWhoseSpeedJumpsTakesItsBodyAlong) {
  Model m;
  m.gravity = Vec3::Zero();
  m.add(Body{.name = "b", .mass = 3.0});
  m.add(Joint{.name = "j",
              .type = "prismatic",
              .from = "ground",
              .to = "b",
              .axis = Vec3::UnitX(),
              .displacement = Quantity("t < 1 ? 0.5*t : 0.5 + 2*(t - 1)")});
  m.simulation.duration = 2;
  const Result r = simulate(m);
  ASSERT_EQ(r.outcome.kind, Outcome::Kind::completed) << r.outcome.describe();
  EXPECT_NEAR(r.final[0].position.x(), 2.5, 1e-13);
  EXPECT_NEAR(r.final[0].velocity.x(), 2, 1e-13);
  EXPECT_NEAR(r.audit.final.work, 3 * (4 - 0.25) / 2, 1e-12);
  EXPECT_LT(r.audit.max_drift, 1e-12);
  m.joints[0].displacement = Quantity("t < 1 ? 0 : 0.25");
  const Result jump = simulate(m);
  EXPECT_EQ(jump.outcome.kind, Outcome::Kind::singular);
  EXPECT_EQ(jump.outcome.time, 1);
}

}  // namespace
}  // namespace plumb
