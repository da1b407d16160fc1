// The separation of convex solids against a search over directions, and places of contact where they touch.
#include "plumb/contact/separation.h"

#include <gtest/gtest.h>

#include "plumb/contact/manifold.h"
#include "plumb/contact/nearest_points.h"
#include "contact/random_solids.h"

namespace plumb {
namespace {

// Two bodies that can be put anywhere.
class TwoSolids {
 public:
  TwoSolids(const Body& a, const Body& b) : bodies_{a, b} {
    model_.add(a);
    model_.add(b);
    model_.simulation.duration = 1;
    system_ = compile(model_);
    y_ = system_.start;
    for (int i = 0; i < 2; ++i) solids_.push_back(body_solid(bodies_[i], system_, i));
    dynamics_ = std::make_unique<Dynamics>(system_);
    for (const Solid& s : solids_) placed_.emplace_back(s);
    place();
  }
  void move_second(const Vec3& d) {
    for (int k = 0; k < 3; ++k) y_[system_.bodies[1].q + k] += d[k];
    place();
  }
  Separation apart() const { return separation(placed_[0], placed_[1]); }
  const PlacedSolid& a() const { return placed_[0]; }
  const PlacedSolid& b() const { return placed_[1]; }
  double gap(const Touching& t) const {
    const Placement& at = dynamics_->placement();
    return nearness(t.meeting, Frame<double>(at, solids_[0].end), Frame<double>(at, solids_[1].end)).gap;
  }
  Vec3 normal(const Touching& t) const {
    const Placement& at = dynamics_->placement();
    const auto n = nearness(t.meeting, Frame<double>(at, solids_[0].end), Frame<double>(at, solids_[1].end)).normal;
    return {n.x, n.y, n.z};
  }
  double overrun_of(const Touching& t) const {
    const Placement& at = dynamics_->placement();
    const auto near = nearness(t.meeting, Frame<double>(at, solids_[0].end), Frame<double>(at, solids_[1].end));
    return overrun(a(), b(), t, near, 1e-12);
  }
  std::vector<Touching> touching() {
    std::vector<Touching> found;
    ManifoldFinder finder;
    finder.find(a(), b(), apart(), -1, 1e-12, found);
    return found;
  }

 private:
  void place() {
    dynamics_->place(0, y_.data());
    for (PlacedSolid& p : placed_) p.place(dynamics_->placement());
  }
  Body bodies_[2];
  Model model_;
  System system_;
  std::unique_ptr<Dynamics> dynamics_;
  std::vector<double> y_;
  std::vector<Solid> solids_;
  std::vector<PlacedSolid> placed_;
};

double along(const PlacedSolid& a, const PlacedSolid& b, const Vec3& n) { return -farthest(b, -n) - farthest(a, n); }

// The largest s(n) among many directions, half of them close to a given one.
double by_search(const PlacedSolid& a, const PlacedSolid& b, const Vec3& near, std::mt19937& random) {
  std::normal_distribution<double> normal;
  const auto any = [&] { return Vec3(normal(random), normal(random), normal(random)); };
  double most = -1e300;
  for (int i = 0; i < 4000; ++i) {
    most = std::max(most, along(a, b, any().normalized()));
    most = std::max(most, along(a, b, (near + std::pow(10, -1 - i % 8) * any()).normalized()));
  }
  return most;
}

// Moves the second along the normal until they touch.
void bring_together(TwoSolids& two) {
  for (int i = 0; i < 100 && std::abs(two.apart().value) > 1e-15; ++i)
    two.move_second(-two.apart().value * two.apart().normal);
}

class Separations : public ::testing::TestWithParam<std::pair<std::size_t, std::size_t>> {};

TEST_P(Separations, IsTheLargestOverAllDirectionsNearContact) {
  std::mt19937 random(11);
  for (int round = 0; round < 20; ++round) {
    TwoSolids two(random_body("a", GetParam().first, Vec3::Zero(), random),
                  random_body("b", GetParam().second, Vec3(0.3, 0.2, -0.25), random));
    bring_together(two);
    for (double depth : {-1e-3, 1e-3}) {
      // Towards the middle of the other, whatever touches: the difference of the two is star-shaped.
      const Vec3 inward = (two.a().middle - two.b().middle).normalized();
      two.move_second(depth * inward);
      const Separation ours = two.apart();
      EXPECT_NEAR(ours.value, along(two.a(), two.b(), ours.normal), 1e-14);
      EXPECT_EQ(ours.value > 0, depth < 0);
      // No direction is better; apart it may be less than the distance, but says that they are.
      if (depth > 0) {
        EXPECT_LE(by_search(two.a(), two.b(), ours.normal, random), ours.value + 1e-12);
      }
      two.move_second(-depth * inward);
    }
  }
}

TEST_P(Separations, PlacesOfContactAreWhereTheyTouch) {
  std::mt19937 random(12);
  for (int round = 0; round < 40; ++round) {
    TwoSolids two(random_body("a", GetParam().first, Vec3::Zero(), random),
                  random_body("b", GetParam().second, Vec3(0.3, 0.2, -0.25), random));
    bring_together(two);
    const std::vector<Touching> places = two.touching();
    ASSERT_FALSE(places.empty());
    for (const Touching& t : places) {
      EXPECT_NEAR(two.gap(t), 0, 1e-13);
      EXPECT_GT(two.normal(t).dot(two.apart().normal), 1 - 1e-6);
      EXPECT_LT(two.overrun_of(t), 1e-9);
    }
  }
}

TEST_P(Separations, FollowsAnApproachAlongItsNormal) {
  std::mt19937 random(13);
  TwoSolids two(random_body("a", GetParam().first, Vec3::Zero(), random),
                random_body("b", GetParam().second, Vec3(0.3, 0.2, -0.25), random));
  bring_together(two);
  const Vec3 n = two.apart().normal;
  for (double d : {1e-9, 1e-6}) {
    two.move_second(d * n);
    EXPECT_NEAR(two.apart().value, d, 1e-3 * d + 1e-15);
    two.move_second(-d * n);
  }
}

std::vector<std::pair<std::size_t, std::size_t>> all_pairs() {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < kinds_of_solid; ++i)
    for (std::size_t j = 0; j < kinds_of_solid; ++j)
      if (i + j > 0) pairs.emplace_back(i, j);
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(Kinds, Separations, ::testing::ValuesIn(all_pairs()),
                         [](const auto& p) { return std::to_string(p.param.first) + std::to_string(p.param.second); });

Body box(const std::string& name, const Vec3& size, const Vec3& position, double angle = 0,
         const Vec3& axis = Vec3::UnitZ()) {
  return {.name = name,
          .mass = 1.0,
          .shape = Box{size},
          .position = position,
          .rotation = Quaternion::from_axis_angle(axis, angle)};
}

std::vector<Touching> places_of(const Body& a, const Body& b) {
  TwoSolids two(a, b);
  EXPECT_NEAR(two.apart().value, 0, 1e-15);
  return two.touching();
}

TEST(Manifold, EqualBoxesFaceOnFaceTouchInFourCorners) {
  EXPECT_EQ(places_of(box("a", {1, 1, 1}, {0, 0, 0}), box("b", {1, 1, 1}, {0, 0, 1})).size(), 4u);
  EXPECT_EQ(places_of(box("a", {1, 1, 1}, {0, 0, 0}), box("b", {1, 1, 1}, {0.3, 0, 1})).size(), 4u);
  EXPECT_EQ(places_of(box("a", {1, 1, 1}, {0, 0, 0}), box("b", {1, 1, 1}, {0.3, -0.2, 1})).size(), 4u);
  EXPECT_EQ(places_of(box("a", {1, 1, 1}, {0, 0, 0}), box("b", {1, 1, 1}, {0, 0, 1}, M_PI / 2)).size(), 4u);
  EXPECT_EQ(places_of(box("a", {1, 1, 1}, {0, 0, 0}), box("b", {1, 1, 1}, {0, 0, 1}, M_PI / 4)).size(), 8u);
  EXPECT_EQ(places_of(box("a", {1, 1, 1}, {0, 0, 0}), box("b", {0.5, 0.5, 1}, {0, 0, 1})).size(), 4u);
}

TEST(Manifold, EdgesAndCornersThatMeetEdgesAndCorners) {
  const double h = std::sqrt(0.5);
  // Edge along edge, both turned by 45 degrees about it: two places, and half as long if shifted by half.
  const auto roof = [&](const std::string& name, const Vec3& at) { return box(name, {1, 1, 1}, at, M_PI / 4); };
  EXPECT_EQ(places_of(roof("a", {0, 0, 0}), roof("b", {2 * h, 0, 0})).size(), 2u);
  EXPECT_EQ(places_of(roof("a", {0, 0, 0}), roof("b", {2 * h, 0, 0.5})).size(), 2u);
  // Edge across a face, and edge across edge.
  EXPECT_EQ(places_of(box("a", {1, 1, 1}, {0, 0, 0}), roof("b", {0.5 + h, 0, 0})).size(), 2u);
  EXPECT_EQ(places_of(roof("a", {0, 0, 0}), box("b", {1, 1, 1}, {2 * h, 0, 0}, M_PI / 4, Vec3::UnitY())).size(), 1u);
  // Corner on corner, aligned.
  EXPECT_EQ(places_of(box("a", {1, 1, 1}, {0, 0, 0}), box("b", {1, 1, 1}, {1, 1, 1})).size(), 1u);
}

TEST(Manifold, CylindersStandOnSpotsAndLieOnTwoPlaces) {
  const auto cylinder = [](const std::string& name, const Vec3& at, double angle) {
    return Body{.name = name,
                .mass = 1.0,
                .shape = Cylinder{0.5, 1.0},
                .position = at,
                .rotation = Quaternion::from_axis_angle(Vec3::UnitX(), angle)};
  };
  const Body table = box("a", {4, 4, 1}, {0, 0, 0});
  EXPECT_EQ(places_of(table, cylinder("b", {0, 0, 1}, 0)).size(), 4u);
  EXPECT_EQ(places_of(table, cylinder("b", {0, 0, 1}, M_PI / 2)).size(), 2u);
  EXPECT_EQ(places_of(cylinder("a", {0, 0, 0}, 0), cylinder("b", {0, 0, 1}, 0)).size(), 4u);
  EXPECT_EQ(places_of(cylinder("a", {0, 0, 0}, M_PI / 2), cylinder("b", {0, 0, 1}, M_PI / 2)).size(), 2u);
  EXPECT_EQ(places_of(cylinder("a", {0, 0, 0}, 0), cylinder("b", {0, 0, 1}, M_PI / 2)).size(), 2u);
}

}  // namespace
}  // namespace plumb
