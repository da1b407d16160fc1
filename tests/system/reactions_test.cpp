#include <gtest/gtest.h>

#include "plumb/trajectory/result.h"
#include "models.h"

namespace plumb {
namespace {

double first(const Result& r, const char* channel) { return r.trajectory.row(0)[r.trajectory.column(channel)]; }

TEST(Reactions, OfAPendulumRodFollowTheTextbook) {
  // Tension N = m g (3 cos a - 2 cos a0) for a release from rest.
  Model m = testing::pendulum(1.3, 0.9, 2.0);
  m.simulation.duration = 4;
  m.simulation.tolerance = 1e-12;
  const Result r = simulate(m);
  for (std::size_t i = 0; i < r.trajectory.rows(); i += 11) {
    const auto row = r.trajectory.row(i);
    const double x = row[r.trajectory.column("bob.x")], z = row[r.trajectory.column("bob.z")];
    const double tension = 2.0 * 9.81 * (3 * (-z / 0.9) - 2 * std::cos(1.3));
    EXPECT_NEAR(row[r.trajectory.column("rod.fx")], -tension * x / 0.9, 1e-8);
    EXPECT_NEAR(row[r.trajectory.column("rod.fz")], -tension * z / 0.9, 1e-8);
    EXPECT_EQ(row[r.trajectory.column("rod.tx")], 0);
  }
}

TEST(Reactions, OfAWeldedBracketAreItsWeightAndMoment) {
  Model m;
  m.add(Body{.name = "shelf", .mass = 4.0, .shape = Box{{1, 0.3, 0.02}}, .position = {0.5, 0.1, 2}});
  m.add(Joint{.name = "weld", .type = "fixed", .from = "ground", .to = "shelf", .point = Point{0.0, 0.0, 2.0}});
  m.simulation.duration = 1;
  const Result r = simulate(m);
  EXPECT_NEAR(first(r, "weld.fz"), 4 * 9.81, 1e-11);
  // Moment on the shelf about the weld: balances r x m g = (0.5, 0.1) x (-39.24)
  EXPECT_NEAR(first(r, "weld.tx"), 0.1 * 4 * 9.81, 1e-11);
  EXPECT_NEAR(first(r, "weld.ty"), -0.5 * 4 * 9.81, 1e-11);
  EXPECT_NEAR(r.final[0].position.z(), 2, 1e-14);  // and it does not creep
}

TEST(Reactions, OfRedundantJointsAreSharedEqually) {
  // A beam hung on two equal spherical joints: each carries half, and the undetermined pull along the beam is zero.
  Model m;
  m.add(Body{.name = "beam", .mass = 10.0, .shape = Box{{2, 0.1, 0.1}}, .position = {0, 0, 0}});
  m.add(Joint{.name = "left", .type = "spherical", .from = "ground", .to = "beam", .point = Point{-0.8, 0.0, 0.3}});
  m.add(Joint{.name = "right", .type = "spherical", .from = "ground", .to = "beam", .point = Point{0.8, 0.0, 0.3}});
  m.simulation.duration = 1;
  const Result r = simulate(m);
  EXPECT_NEAR(first(r, "left.fz"), 49.05, 1e-6);
  EXPECT_NEAR(first(r, "right.fz"), 49.05, 1e-6);
  EXPECT_NEAR(first(r, "left.fx"), 0, 1e-5);
  EXPECT_NEAR(first(r, "right.fx"), 0, 1e-5);
}

TEST(Reactions, AreTheSameWhicheverEndIsCalledTo) {
  Model a = testing::chain(2, "revolute"), b = a;
  std::swap(b.joints[1].from, b.joints[1].to);
  const Result ra = simulate(a), rb = simulate(b);
  for (const char* c : {"joint1.fx", "joint1.fz", "joint1.tx"})
    EXPECT_NEAR(ra.trajectory.last(c), -rb.trajectory.last(c), 1e-8) << c;
}

}  // namespace
}  // namespace plumb
