// Laws of impact on systems with joints and friction: what they must keep, whatever the numbers.
#include <gtest/gtest.h>

#include <random>

#include "plumb/model/reader.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

// Spheres, some linked, thrown at each other in a box of planes.
Model thrown(unsigned seed, double restitution, double friction, Contact::Law law, bool linked) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> between(-1, 1);
  Model m;
  m.gravity = {0, 0, -9.81};
  std::vector<std::string> names;
  for (int i = 0; i < 4; ++i) {
    names.push_back("s" + std::to_string(i));
    m.add(Body{.name = names.back(),
               .mass = 1.0 + 0.3 * i,
               .shape = Sphere{0.15},
               .position = {i % 2 * 0.5 + 0.03 * between(random), i / 2 * 0.5, 0.5},
               .velocity = Vec3(between(random), between(random), between(random)),
               .angular_velocity = Vec3(3 * between(random), 3 * between(random), 3 * between(random))});
  }
  if (linked) {
    m.bodies[1].velocity.reset();
    m.add(Joint{.name = "link", .type = "rod", .from = "s0", .to = "s1"});
  }
  m.add(Contact{.name = "floor",
                .plane = PlaneSurface{{0, 0, 0}, {0, 0, 1}},
                .restitution = restitution,
                .friction = friction,
                .law = law});
  m.add(Contact{.name = "wall",
                .plane = PlaneSurface{{-0.6, 0, 0}, {1, 0.1, 0}},
                .restitution = restitution,
                .friction = friction,
                .law = law});
  m.add(Contact{.name = "balls", .between = names, .restitution = restitution, .friction = friction, .law = law});
  m.simulation.duration = 1;
  return m;
}

class ImpactLaws : public ::testing::TestWithParam<std::tuple<unsigned, Contact::Law, bool>> {};

TEST_P(ImpactLaws, EnergyNeverRisesAndTheAccountBalances) {
  const auto& [seed, law, linked] = GetParam();
  const Result r = simulate(thrown(seed, 0.6, 0.4, law, linked));
  ASSERT_EQ(r.outcome.kind, Outcome::Kind::completed) << r.outcome.describe();
  ASSERT_GE(r.impacts.size(), 3u);
  for (const ImpactRecord& i : r.impacts) {
    EXPECT_LE(i.impact.energy_after, i.impact.energy_before + 1e-12);
    EXPECT_GE(i.impact.normal_impulse, 0);
    EXPECT_GE(i.impact.normal_after, -1e-10);
    EXPECT_LE(i.impact.tangential_impulse.norm(), 0.4 * i.impact.normal_impulse * (1 + 1e-9));
  }
  EXPECT_LT(r.audit.max_drift, 1e-8);
  EXPECT_LT(r.audit.violation[0], 1e-13);
}

TEST_P(ImpactLaws, MomentumBalancesWithTheImpulsesOfTheSurfaces) {
  const auto& [seed, law, linked] = GetParam();
  Model m = thrown(seed, 0.6, 0.4, law, linked);
  m.gravity = Vec3::Zero();
  m.simulation.duration = 2;
  const Result r = simulate(m);
  ASSERT_TRUE(r.outcome.is_success()) << r.outcome.describe();
  Vec3 momentum, angular;
  for (int k = 0; k < 3; ++k) {
    momentum[k] = r.trajectory.row(0)[r.trajectory.column(std::string("momentum.") + "xyz"[k])];
    angular[k] = r.trajectory.row(0)[r.trajectory.column(std::string("angular_momentum.") + "xyz"[k])];
  }
  for (const ImpactRecord& i : r.impacts) {
    if (i.impact.from >= 0) continue;
    const Vec3 impulse = i.impact.normal * i.impact.normal_impulse + i.impact.tangential_impulse;
    momentum += impulse;
    angular += i.impact.point.cross(impulse);
  }
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(r.trajectory.last(std::string("momentum.") + "xyz"[k]), momentum[k], 1e-9);
    EXPECT_NEAR(r.trajectory.last(std::string("angular_momentum.") + "xyz"[k]), angular[k], 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Random, ImpactLaws,
                         ::testing::Combine(::testing::Range(1u, 7u),
                                            ::testing::Values(Contact::Law::newton, Contact::Law::poisson),
                                            ::testing::Bool()));

TEST(ImpactLaw, NewtonAndPoissonAgreeWithoutFrictionForOneContact) {
  for (unsigned seed = 11; seed <= 16; ++seed) {
    Model m = thrown(seed, 0.7, 0.0, Contact::Law::newton, true);
    m.contacts.resize(1);
    const Result newton = simulate(m);
    m.contacts[0].law = Contact::Law::poisson;
    const Result poisson = simulate(m);
    ASSERT_EQ(newton.impacts.size(), poisson.impacts.size());
    for (std::size_t i = 0; i < newton.impacts.size(); ++i)
      EXPECT_NEAR(newton.impacts[i].impact.normal_impulse, poisson.impacts[i].impact.normal_impulse, 1e-11);
  }
}

TEST(ImpactLaw, RestitutionMeansRestitution) {
  for (const double e : {0.0, 0.25, 1.0}) {
    const Result r = simulate(thrown(3, e, 0.0, Contact::Law::newton, false));
    for (const ImpactRecord& i : r.impacts)
      if (i.impact.at_rest_from < 0 && i.impact.normal_before < -1e-6) {
        EXPECT_NEAR(i.impact.normal_after, -e * i.impact.normal_before, 1e-10 + (e == 0 ? 1e-6 : 0));
      }
  }
}

}  // namespace
}  // namespace plumb
