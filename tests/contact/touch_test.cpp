// The kinematics of every kind of contact against finite differences of the motion.
#include "plumb/contact/touch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "plumb/contact/contact_rows.h"
#include "plumb/formulation/projection.h"
#include "plumb/model/reader.h"

namespace plumb {
namespace {

const char* const bodies = R"toml(
[bodies.ball]
sphere = 0.3
mass = 2
mass_center = [0.05, -0.02, 0.03]
position = [0.2, 0.1, 1.0]
[bodies.other]
sphere = 0.4
mass = 1
position = [0.9, -0.2, 1.2]
[bodies.brick]
box = [0.3, 0.5, 0.2]
mass = 3
position = [2, 0, 1]
rotation = { axis = [1, 2, 3], angle = 0.7 }
[bodies.pill]
capsule = [0.1, 0.6]
mass = 1
position = [-1, 0, 1]
[bodies.dot]
mass = 0.5
position = [0.3, 2.0, 0.4]
[contacts.floor]
plane = { point = [0, 0, 0.1], normal = [0.1, 0.2, 1] }
[contacts.plate]
wall = { center = [0, 0, 0], normal = [0, 1, 0.2], size = [0.5, 0.3], along = [1, 0, 0] }
[bodies.stone]
hull = [[0, 0, 0], [0.4, 0, 0], [0, 0.5, 0.1], [0.1, 0.1, 0.6], [0.3, 0.4, 0.3], [0.2, 0.2, 0.2]]
density = 1000
position = [2.6, 0.4, 1.3]
rotation = { axis = [1, -1, 0.5], angle = 1.1 }
[bodies.stick]
capsule = [0.05, 0.8]
mass = 1
position = [-0.8, 0.3, 1.1]
rotation = { axis = [1, 0.2, 0], angle = 1.3 }
[contacts.pair]
between = ["ball", "other", "dot"]
[contacts.solids]
between = ["brick", "ball", "pill", "stone", "stick"]
friction = 0.4
[simulation]
duration = 1
)toml";

class TouchTest : public ::testing::Test {
 protected:
  TouchTest()
      : model_(parse_model(bodies, "bodies.toml")),
        system_(compile(model_)),
        dynamics_(system_),
        candidates_(model_, system_) {
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    y_ = system_.start;
    for (int i = 0; i < system_.nv; ++i) y_[system_.nq + i] = normal(random);
    dynamics_.place(0, y_.data());
    candidates_.note_sides(dynamics_.placement());
  }

  // The state after moving with constant v for the time e.
  std::vector<double> moved(double e) const {
    std::vector<double> z = y_, d(y_.begin() + system_.nq, y_.begin() + system_.nq + system_.nv);
    for (double& x : d) x *= e;
    displace(system_, d.data(), z.data());
    return z;
  }

  bool applies(const Candidate& c) {
    dynamics_.place(0, y_.data());
    return candidates_.applies(dynamics_.placement(), c);
  }

  Touch look(const std::vector<double>& y, const Candidate& c) {
    dynamics_.place(0, y.data());
    return candidates_.look(dynamics_.placement(), c);
  }

  Model model_;
  System system_;
  Dynamics dynamics_;
  Candidates candidates_;
  std::vector<double> y_;
};

TEST_F(TouchTest, EveryCornerEndAndPairIsACandidate) {
  const auto count = [&](const std::string& contact, Candidate::Kind kind) {
    return std::ranges::count_if(candidates_.list(), [&](const Candidate& c) {
      return model_.contacts[c.contact].name == contact && c.kind == kind;
    });
  };
  using enum Candidate::Kind;
  // ball, other, brick, pill, dot, stone, stick
  EXPECT_EQ(count("floor", plane), 1 + 1 + 8 + 2 + 1 + 5 + 2);
  EXPECT_EQ(count("plate", wall), 1 + 1 + 8 + 2 + 1 + 5 + 2);
  // The plate's corners and edges against those four that have edges: 12, 1, 9 and 1 (a hull of two tetrahedra).
  EXPECT_EQ(count("plate", corner), 4 * 4);
  EXPECT_EQ(count("plate", edges), 4 * (12 + 1 + 9 + 1));
  EXPECT_EQ(count("pair", ball), 3);
  EXPECT_EQ(count("solids", edges), 12 * 1 + 12 * 9 + 12 * 1 + 1 * 9 + 1 * 1 + 9 * 1);
  // Corners: the ball against four; brick and pill, brick and stone, brick and stick, …
  EXPECT_EQ(count("solids", corner), 4 + (8 + 2) + (8 + 5) + (8 + 2) + (2 + 5) + (2 + 2) + (5 + 2));
}

TEST_F(TouchTest, NormalVelocityIsTheRateOfTheGap) {
  const double e = 1e-6;
  int looked_at = 0;
  for (const Candidate& c : candidates_.list()) {
    if (!applies(c)) continue;
    ++looked_at;
    const double rate = (look(moved(e), c).gap - look(moved(-e), c).gap) / (2 * e);
    const Touch t = look(y_, c);
    EXPECT_NEAR(kernel::dot(t.normal, t.velocity), rate, 1e-8);
    dynamics_.place(0, y_.data());
    EXPECT_NEAR(t.gap, candidates_.gap(dynamics_.placement(), c), 1e-15);
  }
  EXPECT_GT(looked_at, 60);
}

TEST_F(TouchTest, BiasesAreTheRatesOfTheVelocitiesAtConstantV) {
  const double e = 1e-6;
  for (const Candidate& c : candidates_.list()) {
    if (!applies(c)) continue;
    const Touch before = look(moved(-e), c), after = look(moved(e), c), now = look(y_, c);
    const double gap2 =
        (kernel::dot(after.normal, after.velocity) - kernel::dot(before.normal, before.velocity)) / (2 * e);
    EXPECT_NEAR(now.normal_bias, gap2, 1e-7 * (1 + std::abs(gap2)));
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(now.bias[i], (after.velocity[i] - before.velocity[i]) / (2 * e), 1e-7 * (1 + std::abs(now.bias[i])));
  }
}

TEST_F(TouchTest, RowsGiveTheVelocitiesAndTheMatrixIsTheirResponse) {
  ContactRows rows(dynamics_);
  dynamics_.place(0, y_.data());
  std::vector<int> all;
  for (std::size_t i = 0; i < candidates_.list().size(); ++i) all.push_back(static_cast<int>(i));
  rows.build(candidates_, all, std::vector<Vec3>(all.size(), Vec3::Zero()));
  for (int r = 0; r < 3 * rows.contacts(); ++r) EXPECT_NEAR(rows.dot(r, y_.data() + system_.nq), rows.speed(r), 1e-13);
  std::vector<double> v(system_.nv);
  rows.push(4, 1.0, v.data());
  for (int r = 0; r < 3 * rows.contacts(); ++r) EXPECT_NEAR(rows.dot(r, v.data()), rows.entry(r, 4), 1e-14);
}

}  // namespace
}  // namespace plumb
