// Rolling without slipping against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

TEST(Rolling, ASphereRunsDownAnInclineWithFiveSevenths) {
  const double a = 0.4, r = 0.15;
  const Vec3 n(std::sin(a), 0, std::cos(a)), down(std::cos(a), 0, -std::sin(a));
  Model m;
  m.simulation.duration = 2;
  m.simulation.tolerance = 1e-11;
  m.add(Body{.name = "ball", .mass = 2.0, .shape = Sphere{r}, .position = r * n});
  m.add(Joint{.name = "slope",
              .type = "rolling",
              .from = "ground",
              .to = "ball",
              .from_point = Point{0.0, 0.0, 0.0},
              .normal = n,
              .radius = r});
  const Result r1 = simulate(m);
  ASSERT_TRUE(r1.outcome.is_success());
  EXPECT_NEAR((r1.final[0].position - r * n).dot(down), 5.0 / 7 * 9.81 * std::sin(a) * 2, 1e-9);
  EXPECT_LT(r1.audit.max_drift, 1e-9);
  // What the slope bears: m g cos(a) along the normal, 2/7 m g sin(a) uphill.
  const Vec3 f(r1.trajectory["slope.fx"].back(), r1.trajectory["slope.fy"].back(), r1.trajectory["slope.fz"].back());
  EXPECT_NEAR(f.dot(n), 2 * 9.81 * std::cos(a), 1e-9);
  EXPECT_NEAR(f.dot(down), -2.0 / 7 * 2 * 9.81 * std::sin(a), 1e-9);
}

TEST(Rolling, AThinDiscInSteadyCirclesKeepsItsLean) {
  const double r = 0.3, lean = 0.35, mass = 1.5, A = mass * r * r / 4, C = mass * r * r / 2, g = 9.81, R = 1.0;
  // R is the distance of the centre from the vertical axis of precession, p its rate. Rolling makes the spin about the
  // axle -p R/r; the moment of m g and of the centripetal force m p² R at the contact turns the angular momentum:
  //   p² cos(lean) (C R/r + m R r + A sin(lean)) = m g r sin(lean)
  const double p =
      std::sqrt(mass * g * r * std::sin(lean) / (std::cos(lean) * (C * R / r + mass * R * r + A * std::sin(lean))));
  // The disc at x = R leans towards the axis of precession (z); it moves along +y.
  const Vec3 axle(std::cos(lean), 0, std::sin(lean));  // points away from the axis and up
  Model m;
  m.simulation.duration = 5;
  m.simulation.tolerance = 1e-11;
  Body disc{.name = "disc",
            .mass = mass,
            .inertia = Inertia{{A, A, C}, Vec3::Zero()},
            .position = {R, 0, r * std::cos(lean)}};
  disc.rotation = Quaternion::from_axis_angle(Vec3::UnitY(), M_PI / 2 - lean);  // z to the axle
  // w = p z + spin; the rolling makes the rest: w such that the contact point stands still.
  const Vec3 contact_from_centre = r * Vec3(std::sin(lean), 0, -std::cos(lean));
  const Vec3 v(0, p * R, 0);
  // w = s axle + p (z - (z.axle) axle), with v + w x contact = 0
  const Vec3 across = Vec3::UnitZ() - axle * axle.z();
  const Vec3 e = axle.cross(contact_from_centre);
  const double s = -(v + p * across.cross(contact_from_centre)).y() / e.y();
  disc.velocity = v;
  disc.angular_velocity = s * axle + p * across;
  m.add(disc);
  m.add(Joint{.name = "floor",
              .type = "rolling",
              .from = "ground",
              .to = "disc",
              .axis = axle,
              .normal = Vec3::UnitZ(),
              .radius = r});
  const Result result = simulate(m);
  ASSERT_TRUE(result.outcome.is_success()) << result.outcome.describe();
  EXPECT_LT(result.audit.max_drift, 1e-8);
  EXPECT_LT(result.audit.violation[1], 1e-12);
  const std::vector<double> z = result.trajectory["disc.z"], x = result.trajectory["disc.x"],
                            y = result.trajectory["disc.y"];
  for (std::size_t i = 0; i < z.size(); ++i) {
    EXPECT_NEAR(z[i], r * std::cos(lean), 1e-6) << "it does not fall";
    EXPECT_NEAR(std::hypot(x[i], y[i]), R, 1e-5) << "it goes in a circle";
  }
}

}  // namespace
}  // namespace plumb
