#include <gtest/gtest.h>

#include <numbers>

#include "plumb/study/cases/pendulum_exact.h"
#include "plumb/time_stepping/method.h"
#include "plumb/trajectory/result.h"
#include "models.h"

namespace plumb {
namespace {

TEST(Events, AreLocatedToRoundingWhateverTheMethod) {
  // Free fall: z = -g t²/2 passes -1 at sqrt(2/g); polynomial motion, so order >= 2 is exact.
  for (const char* method : {"projected/midpoint", "projected/rk4", "projected/dopri5", "projected/dop853", "rattle"}) {
    Model m;
    m.add(Body{.name = "stone", .mass = 1.0});
    m.add(Event{.name = "hit", .zero_of = "stone.z + 1"});
    m.simulation.duration = 2;
    m.simulation.method = method;
    m.simulation.step = 0.37;
    const Result r = simulate(m);
    ASSERT_EQ(r.events.size(), 1u) << method;
    EXPECT_NEAR(r.events[0].time, std::sqrt(2 / 9.81), 1e-15) << method;
    EXPECT_FALSE(r.events[0].rising);
    EXPECT_NEAR(r.events[0].row[r.trajectory.column("stone.z")], -1, 1e-15);
  }
}

TEST(Events, OfAPendulumAgreeWithItsPeriod) {
  Model m = testing::pendulum(2.0, 0.7);
  m.add(Event{.name = "down", .zero_of = "bob.x", .direction = Event::Direction::falling});
  m.add(Event{.name = "both", .zero_of = "bob.x"});
  m.simulation.duration = 10;
  m.simulation.tolerance = 1e-13;
  const Result r = simulate(m);
  const double period = PendulumExact{0.7, 9.81, 2.0}.period();
  std::vector<double> falling, all;
  for (const EventRecord& e : r.events) (e.name == "down" ? falling : all).push_back(e.time);
  ASSERT_GE(falling.size(), 4u);
  for (std::size_t i = 0; i < falling.size(); ++i)
    EXPECT_NEAR(falling[i], period * (0.25 + static_cast<double>(i)), 1e-10);
  EXPECT_EQ(all.size(), static_cast<std::size_t>(std::floor(10 / period * 2 + 0.5)));
}

TEST(Events, PairsInsideOneStepAreFound) {
  // A parabola that dips below zero for 0.02 s in the middle of a step of 1 s.
  Model m;
  m.gravity = Vec3::Zero();
  m.add(Body{.name = "p", .mass = 1.0, .velocity = Vec3(1, 0, 0)});
  m.add(Event{.name = "dip", .zero_of = "(p.x - 0.43)^2 - 1e-4"});
  m.simulation.duration = 2;
  m.simulation.method = "projected/rk4";
  m.simulation.step = 1;
  const Result r = simulate(m);
  ASSERT_EQ(r.events.size(), 2u);
  EXPECT_NEAR(r.events[0].time, 0.42, 1e-14);
  EXPECT_NEAR(r.events[1].time, 0.44, 1e-14);
  EXPECT_FALSE(r.events[0].rising);
  EXPECT_TRUE(r.events[1].rising);
}

TEST(Events, SeveralInOneStepComeInOrderOfTime) {
  Model m;
  m.gravity = Vec3::Zero();
  m.add(Body{.name = "p", .mass = 1.0, .velocity = Vec3(1, 0, 0)});
  for (const char* at : {"0.7", "0.2", "0.5"})
    m.add(Event{.name = std::string("at") + at[2], .zero_of = std::string("p.x - ") + at});
  m.simulation.duration = 1;
  m.simulation.method = "projected/rk4";
  m.simulation.step = 1;
  const Result r = simulate(m);
  ASSERT_EQ(r.events.size(), 3u);
  EXPECT_EQ(r.events[0].name, "at2");
  EXPECT_EQ(r.events[1].name, "at5");
  EXPECT_EQ(r.events[2].name, "at7");
}

TEST(Events, StopEndsTheRunThereAndNothingLaterIsReported) {
  Model m;
  m.gravity = Vec3::Zero();
  m.add(Body{.name = "p", .mass = 1.0, .velocity = Vec3(1, 0, 0)});
  m.add(Event{.name = "late", .zero_of = "p.x - 0.9"});
  m.add(Event{.name = "stop", .zero_of = "p.x - 0.5", .action = Event::Action::stop});
  m.add(Event{.name = "early", .zero_of = "p.x - 0.1"});
  m.simulation.duration = 3;
  m.simulation.method = "projected/rk4";
  m.simulation.step = 1;
  m.simulation.output_every = 0.2;
  const Result r = simulate(m);
  EXPECT_EQ(r.outcome.kind, Outcome::Kind::stopped_by_event);
  EXPECT_EQ(r.outcome.subject, "event 'stop'");
  EXPECT_NEAR(r.outcome.time, 0.5, 1e-15);
  ASSERT_EQ(r.events.size(), 2u);
  EXPECT_EQ(r.events[0].name, "early");
  EXPECT_EQ(r.events[1].name, "stop");
  // Samples at 0, 0.2, 0.4 and the end.
  ASSERT_EQ(r.trajectory.rows(), 4u);
  EXPECT_NEAR(r.trajectory.last("t"), 0.5, 1e-15);
  EXPECT_NEAR(r.final[0].position.x(), 0.5, 1e-15);
}

TEST(Events, NotLocatedTheyAreTakenAtTheFirstStepPastTheRoot) {
  Model m = testing::pendulum(std::numbers::pi / 6);
  m.add(Event{.name = "down", .zero_of = "bob.x", .action = Event::Action::stop, .locate = false});
  m.simulation.duration = 2;
  m.simulation.method = "projected/rk4";
  m.simulation.step = 0.004;
  const Result r = simulate(m);
  const double quarter = PendulumExact{1, 9.81, std::numbers::pi / 6}.period() / 4;
  EXPECT_DOUBLE_EQ(r.outcome.time, 0.004 * std::ceil(quarter / 0.004));
  EXPECT_LT(r.final[0].position.x(), 0);
}

TEST(Events, AZeroAtTheStartIsNoCrossing) {
  Model m = testing::pendulum(1.0);
  m.add(Event{.name = "turn", .zero_of = "bob.x*bob.vz - bob.z*bob.vx"});  // zero while at rest
  m.simulation.duration = 3;
  m.simulation.tolerance = 1e-12;
  const Result r = simulate(m);
  ASSERT_GE(r.events.size(), 2u);
  const PendulumExact exact{1, 9.81, 1.0};
  EXPECT_NEAR(r.events[0].time, exact.period() / 2, 1e-10);
}

TEST(Events, MayUseReactionsEnergiesAndTime) {
  Model m = testing::pendulum(1.5);
  m.add(Event{.name = "tension", .zero_of = "hypot(rod.fx, rod.fz) - 2*9.81", .direction = Event::Direction::rising});
  m.add(Event{.name = "half", .zero_of = "energy.kinetic - 4"});
  m.add(Event{.name = "alarm", .zero_of = "t - 0.123"});
  m.simulation.duration = 1;
  m.simulation.tolerance = 1e-12;
  const Result r = simulate(m);
  bool alarm = false, tension = false;
  for (const EventRecord& e : r.events) {
    if (e.name == "alarm") {
      alarm = true;
      EXPECT_NEAR(e.time, 0.123, 1e-15);
    }
    if (e.name == "tension") {
      tension = true;
      // N = m g (3 cos a - 2 cos a0)
      const double cosine = -e.row[r.trajectory.column("bob.z")];
      EXPECT_NEAR(3 * cosine - 2 * std::cos(1.5), 2, 1e-10);
    }
    if (e.name == "half") {
      EXPECT_NEAR(e.row[r.trajectory.column("energy.kinetic")], 4, 1e-10);
    }
  }
  EXPECT_TRUE(alarm && tension);
}

TEST(Events, WorkWithEveryMethod) {
  const double exact = PendulumExact{1, 9.81, 1.0}.period() / 4;
  for (const Method& method : methods()) {
    Model m = testing::pendulum(1.0);
    m.add(Event{.name = "down", .zero_of = "bob.x"});
    m.simulation.method = method.name;
    m.simulation.step = method.order == 1 ? 2e-5 : 0.002;
    m.simulation.duration = 0.8;
    const Result r = simulate(m);
    ASSERT_EQ(r.events.size(), 1u) << method.name;
    EXPECT_NEAR(r.events[0].time, exact, 1e-4) << method.name;
    EXPECT_NEAR(r.events[0].row[r.trajectory.column("bob.x")], 0, 1e-14) << method.name;
  }
}

}  // namespace
}  // namespace plumb
