// The kinematics of every kind of contact against finite differences of the motion.
#include "plumb/contact/touch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "plumb/contact/contact_rows.h"
#include "plumb/contact/contact_search.h"
#include "plumb/system/projection.h"
#include "contact/random_solids.h"

namespace plumb {
namespace {

// Two solids at a small distance from each other, and the places where they are nearest.
class Pair {
 public:
  Pair(const Body& a, const Body& b, std::mt19937& random) {
    model_.add(a);
    model_.add(b);
    model_.add(Contact{.name = "pair", .between = std::vector<std::string>{a.name, b.name}, .friction = 0.4});
    model_.simulation.duration = 1;
    system_ = compile(model_);
    dynamics_ = std::make_unique<Dynamics>(system_);
    scene_ = std::make_unique<Scene>(model_, system_);
    search_ = std::make_unique<ContactSearch>(*scene_);
    std::normal_distribution<double> normal;
    y_ = system_.start;
    for (int i = 0; i < system_.nv; ++i) y_[system_.nq + i] = normal(random);
    for (int i = 0; i < 50; ++i) {
      dynamics_->place(0, y_.data());
      search_->place(dynamics_->placement());
      const Separation s = search_->separation(0, {});
      for (int k = 0; k < 3; ++k) y_[system_.bodies[1].q + k] -= (s.value - 1e-3) * s.normal[k];
    }
    dynamics_->place(0, y_.data());
    search_->place(dynamics_->placement());
    search_->find(0, {}, 1e-9, places_);
  }

  const std::vector<ContactPlace>& places() const { return places_; }
  const Scene& scene() const { return *scene_; }
  const System& system() const { return system_; }
  Dynamics& dynamics() { return *dynamics_; }
  const std::vector<double>& state() const { return y_; }

  // The state after moving with constant v for the time e.
  Touch look(double e, const ContactPlace& place) {
    moved_ = y_;
    std::vector<double> d(y_.begin() + system_.nq, y_.begin() + system_.nq + system_.nv);
    for (double& x : d) x *= e;
    displace(system_, d.data(), moved_.data());
    dynamics_->place(0, moved_.data());
    return touch(*scene_, dynamics_->placement(), place);
  }

 private:
  Model model_;
  System system_;
  std::unique_ptr<Dynamics> dynamics_;
  std::unique_ptr<Scene> scene_;
  std::unique_ptr<ContactSearch> search_;
  std::vector<double> y_, moved_;
  std::vector<ContactPlace> places_;
};

template <class Check>
std::set<std::pair<Part::Kind, Part::Kind>> for_random_pairs(const Check& check) {
  std::mt19937 random(5);
  std::set<std::pair<Part::Kind, Part::Kind>> met;
  for (int round = 0; round < 200; ++round)
    for (std::size_t i = 0; i < kinds_of_solid; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        if (i == 0 && j == 0) continue;  // two mass points never touch
        Pair pair(random_body("a", i, Vec3::Zero(), random), random_body("b", j, Vec3(0.9, 0.5, -0.7), random), random);
        for (const ContactPlace& place : pair.places()) {
          const Touch now = pair.look(0, place);
          met.insert(std::minmax(place.touching.from.kind, place.touching.to.kind));
          check(pair, place, now);
        }
      }
  return met;
}

TEST(Touch, NormalVelocityIsTheRateOfTheGap) {
  const double e = 1e-6;
  const auto met = for_random_pairs([&](Pair& pair, const ContactPlace& place, const Touch& t) {
    const double rate = (pair.look(e, place).gap - pair.look(-e, place).gap) / (2 * e);
    EXPECT_NEAR(kernel::dot(t.normal, t.velocity), rate, 1e-6 * (1 + std::abs(rate)));
    EXPECT_NEAR(kernel::dot(t.normal, t.normal), 1, 1e-14);
  });
  // Every kind of meeting that is not an accident of alignment.
  using enum Part::Kind;
  const std::vector<std::pair<Part::Kind, Part::Kind>> expected = {
      {corner, corner}, {corner, edge}, {corner, face}, {edge, edge}, {corner, rim}, {corner, side}, {corner, cap},
      {edge, rim},      {edge, side},   {face, rim},    {rim, rim},   {rim, side},   {rim, cap},     {side, side}};
  for (const auto& [a, b] : expected)
    EXPECT_TRUE(met.contains({a, b})) << static_cast<int>(a) << " and " << static_cast<int>(b);
}

TEST(Touch, BiasesAreTheRatesOfTheVelocitiesAtConstantV) {
  // Differences over e and over 2e: how they differ says how exact they are.
  const double e = 1e-6;
  for_random_pairs([&](Pair& pair, const ContactPlace& place, const Touch& now) {
    const Touch near[2] = {pair.look(-e, place), pair.look(e, place)},
                far[2] = {pair.look(-2 * e, place), pair.look(2 * e, place)};
    const auto expect_rate = [&](double bias, const auto& value) {
      const double rate = (value(near[1]) - value(near[0])) / (2 * e), wide = (value(far[1]) - value(far[0])) / (4 * e);
      EXPECT_NEAR(bias, rate, 1e-6 * (1 + std::abs(rate)) + std::abs(rate - wide));
    };
    expect_rate(now.normal_bias, [](const Touch& t) { return kernel::dot(t.normal, t.velocity); });
    for (int i = 0; i < 3; ++i) expect_rate(now.bias[i], [i](const Touch& t) { return t.velocity[i]; });
  });
}

TEST(Touch, RowsGiveTheVelocitiesAndTheMatrixIsTheirResponse) {
  for_random_pairs([&](Pair& pair, const ContactPlace& place, const Touch&) {
    pair.dynamics().place(0, pair.state().data());
    ContactRows rows(pair.scene(), pair.dynamics());
    rows.build({place}, {touch(pair.scene(), pair.dynamics().placement(), place)}, {Vec3::Zero()});
    for (int r = 0; r < 3; ++r) EXPECT_NEAR(rows.dot(r, pair.state().data() + pair.system().nq), rows.speed(r), 1e-13);
    std::vector<double> v(pair.system().nv);
    rows.push(2, 1.0, v.data());
    const double size = rows.entry(2, 2);
    for (int r = 0; r < 3; ++r) EXPECT_NEAR(rows.dot(r, v.data()), rows.entry(r, 2), 1e-14 * size);
    EXPECT_NEAR(size, rows.free_entry(2), 1e-14 * size);  // no joints
  });
}

}  // namespace
}  // namespace plumb
