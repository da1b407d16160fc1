// Solids that meet exactly aligned: faces, edges and corners on a common line, equal, shifted, turned by 45 and 90
// degrees, from all sides. Every solid shows the other a point, a line or an area in the middle of which the line lies
// along which they approach, so that they meet when the sum of their heights is used up, at a time known in closed
// form.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

constexpr double pi = std::numbers::pi;

// A solid, turned so that it shows its `side` along its own z axis.
struct Showing {
  enum class Side { point, line, area };  // a line along x
  std::string name;
  std::optional<Shape> shape;
  Mat3 turn = Mat3::Identity();
  double height = 0;  // from the middle to what it shows
  Side side = Side::area;
  bool is_sharp = true;             // what it shows has no direction of its own
  Vec3 half = Vec3::Constant(0.1);  // of an area or line: how far it reaches along x and y
  enum class Surface { none, plane, wall } surface = Surface::none;
};

Mat3 about(const Vec3& axis, double angle) { return Eigen::AngleAxisd(angle, axis).toRotationMatrix(); }

Mat3 bringing(const Vec3& direction) {  // onto z
  return Eigen::Quaterniond::FromTwoVectors(direction, Vec3::UnitZ()).toRotationMatrix();
}

Hull hull_of_box(double a, double b, double c) {
  Hull h;
  for (double x : {-a, a})
    for (double y : {-b, b})
      for (double z : {-c, c}) h.points.push_back(Vec3(x, y, z) / 2);
  return h;
}

Hull octahedron(double r) {
  Hull h;
  for (int i = 0; i < 3; ++i)
    for (double s : {-r, r}) h.points.push_back(s * Vec3::Unit(i));
  return h;
}

std::vector<Showing> solids() {
  using S = Showing::Side;
  std::vector<Showing> list;
  list.push_back({"point", std::nullopt, Mat3::Identity(), 0, S::point, false, Vec3::Zero()});
  list.push_back({"sphere", Sphere{0.13}, Mat3::Identity(), 0.13, S::point, false, Vec3::Zero()});
  list.push_back({"capsule end", Capsule{0.07, 0.3}, Mat3::Identity(), 0.22, S::point, false, Vec3::Zero()});
  list.push_back(
      {"capsule side", Capsule{0.07, 0.3}, about(Vec3::UnitY(), pi / 2), 0.07, S::line, false, {0.15, 0, 0}});
  list.push_back({"cylinder end", Cylinder{0.12, 0.2}, Mat3::Identity(), 0.1, S::area, false, {0.08, 0.08, 0}});
  list.push_back(
      {"cylinder side", Cylinder{0.12, 0.2}, about(Vec3::UnitY(), pi / 2), 0.12, S::line, false, {0.1, 0, 0}});
  const double a = 0.2, b = 0.3, c = 0.16;
  list.push_back({"box face", Box{{a, b, c}}, Mat3::Identity(), c / 2, S::area, false, {a / 2, b / 2, 0}});
  list.push_back({"cube face", Box{{a, a, a}}, Mat3::Identity(), a / 2, S::area, false, {a / 2, a / 2, 0}});
  list.push_back({"box edge",
                  Box{{a, b, c}},
                  about(Vec3::UnitX(), std::atan2(b, c)),
                  std::hypot(b, c) / 2,
                  S::line,
                  true,
                  {a / 2, 0, 0}});
  list.push_back(
      {"box corner", Box{{a, b, c}}, bringing({a, b, c}), Vec3(a, b, c).norm() / 2, S::point, true, Vec3::Zero()});
  list.push_back({"hull face", hull_of_box(a, b, c), Mat3::Identity(), c / 2, S::area, false, {a / 2, b / 2, 0}});
  list.push_back({"octahedron corner", octahedron(0.17), Mat3::Identity(), 0.17, S::point, true, Vec3::Zero()});
  list.push_back({"octahedron edge",
                  octahedron(0.17),
                  about(Vec3::UnitX(), pi / 4),
                  0.17 / std::sqrt(2.0),
                  S::line,
                  true,
                  {0, 0, 0}});
  list.push_back({"octahedron face",
                  octahedron(0.17),
                  bringing({1, 1, 1}),
                  0.17 / std::sqrt(3.0),
                  S::area,
                  false,
                  {0.03, 0.03, 0}});
  return list;
}

std::vector<Showing> surfaces() {
  using S = Showing::Side;
  std::vector<Showing> list = solids();
  Showing plane{"plane", std::nullopt, Mat3::Identity(), 0, S::area, false, {9, 9, 0}};
  plane.surface = Showing::Surface::plane;
  Showing wall{"rectangle", std::nullopt, Mat3::Identity(), 0, S::area, false, {0.2, 0.15, 0}};
  wall.surface = Showing::Surface::wall;
  list.push_back(plane);
  list.push_back(wall);
  return list;
}

// z onto each of the six directions of the axes, and one that is none.
std::vector<Mat3> directions() {
  std::vector<Mat3> list;
  for (const Vec3& d : {Vec3(0, 0, 1), Vec3(0, 0, -1), Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0)})
    list.push_back(Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), d).toRotationMatrix());
  list.push_back(about(Vec3(0.3, -0.8, 0.5).normalized(), 1.1));
  return list;
}

class AlignedSolids : public ::testing::TestWithParam<Showing> {};

struct Meeting {
  Model model;
  Vec3 along;
  double time, speed, mass_a, mass_b;
};

// `a` looks along z, `b` towards it, turned about z by `turn` and shifted sideways; then all is turned by `R`.
Meeting meeting(const Showing& a, const Showing& b, const Mat3& R, double turn, const Vec3& shift, double e) {
  const double gap = 0.25, speed = 2;
  Meeting m{{}, R * Vec3::UnitZ(), gap / speed, speed, 1.3, a.surface == Showing::Surface::none ? 0.7 : 1.0};
  m.model.gravity = Vec3::Zero();
  const auto put = [&](const char* name, const Showing& s, double mass, const Mat3& attitude, const Vec3& at,
                       const Vec3& velocity) {
    Body body{.name = name, .mass = mass, .shape = s.shape, .position = R * at, .velocity = Vec3(R * velocity)};
    if (s.shape) body.rotation = Quaternion::from_matrix(R * attitude * s.turn);
    m.model.add(body);
  };
  Contact contact{.name = "touch", .restitution = e};
  if (a.surface == Showing::Surface::plane) {
    contact.plane = PlaneSurface{R * Vec3::Zero(), m.along};
  } else if (a.surface == Showing::Surface::wall) {
    contact.wall = WallSurface{R * Vec3::Zero(), m.along, R * Vec3::UnitX(), 0.4, 0.3};
  } else {
    put("a", a, m.mass_a, Mat3::Identity(), Vec3(0, 0, -a.height), Vec3(0, 0, 0.5 * speed));
    contact.between = std::vector<std::string>{"a", "b"};
  }
  const double of_b = a.surface == Showing::Surface::none ? 0.5 * speed : speed;
  put("b", b, m.mass_b, about(Vec3::UnitZ(), turn) * about(Vec3::UnitX(), pi), shift + Vec3(0, 0, gap + b.height),
      Vec3(0, 0, -of_b));
  if (a.surface != Showing::Surface::none) contact.bodies = std::vector<std::string>{"b"};
  m.model.add(contact);
  m.model.simulation.duration = 0.3;
  return m;
}

TEST_P(AlignedSolids, MeetWhenTheirHeightsAreUsedUp) {
  const Showing& a = GetParam();
  int combinations = 0;
  for (const Showing& b : solids()) {
    if (!a.shape && !b.shape && a.surface == Showing::Surface::none) continue;  // points have no extent to meet with
    const std::vector<Mat3> all = directions();
    for (std::size_t d = 0; d < all.size(); ++d)
      for (const double turn : {0.0, pi / 2, pi / 4})
        for (const bool shifted : {false, true}) {
          // Shifted by half of what the area reaches: the middle of the one lies off that of the other.
          if (shifted && (a.side != Showing::Side::area || turn != 0)) continue;
          const Vec3 shift = shifted ? Vec3(a.half[0] / 2, std::min(a.half[1], 0.15) / 2, 0) : Vec3::Zero();
          if (shifted && a.surface == Showing::Surface::plane && d > 1) continue;
          const double e = (combinations % 3) * 0.5;
          const Meeting m = meeting(a, b, all[d], turn, shift, e);
          const std::string what = a.name + " - " + b.name + ", direction " + std::to_string(d) + ", turned " +
                                   std::to_string(turn) + (shifted ? ", shifted" : "");
          ++combinations;
          const Result r = simulate(m.model);
          ASSERT_TRUE(r.outcome.is_success()) << what << ": " << r.outcome.describe();
          ASSERT_GE(r.impacts.size(), 1u) << what << ": they did not meet";
          EXPECT_NEAR(r.impacts[0].impact.time, m.time, 1e-12) << what;
          EXPECT_LT(r.audit.overlap.depth, 1e-9) << what;
          const double energy = r.audit.initial.total();
          EXPECT_LT(r.audit.max_drift, 1e-9 * energy) << what;
          EXPECT_LT(r.audit.final.total(), energy * (1 + 1e-10)) << what;
          if (e == 1) {
            EXPECT_NEAR(r.audit.final.total(), energy, 1e-9 * energy) << what;
          }
          const Vec3 vb = r.final.back().velocity;
          if (a.surface == Showing::Surface::none) {
            const Vec3 before = (m.mass_a - m.mass_b) * 0.5 * m.speed * m.along;
            const Vec3 after = m.mass_a * r.final[0].velocity + m.mass_b * vb;
            EXPECT_LT((after - before).norm(), 1e-10) << what;
          }
          // Straight on the blow turns nothing; of two corners and edges which way it goes is open.
          const bool both_sharp = a.is_sharp && b.is_sharp;
          if (shifted || both_sharp) continue;
          const Vec3 va = a.surface == Showing::Surface::none ? r.final[0].velocity : Vec3::Zero();
          EXPECT_NEAR((vb - va).dot(m.along), e * m.speed, 1e-9) << what;
        }
  }
  RecordProperty("combinations", combinations);
}

std::string name_of(const ::testing::TestParamInfo<Showing>& info) {
  std::string name = info.param.name;
  std::ranges::replace(name, ' ', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, AlignedSolids, ::testing::ValuesIn(surfaces()), name_of);

}  // namespace
}  // namespace plumb
