// What every integrator must pass, run over the registry of methods.
#include <gtest/gtest.h>

#include <cmath>

#include "plumb/simulation/simulation.h"
#include "plumb/study/cases/pendulum_exact.h"
#include "plumb/study/convergence.h"
#include "plumb/time_stepping/method.h"
#include "models.h"

namespace plumb {
namespace {

std::vector<std::string> all_methods() {
  std::vector<std::string> names;
  for (const Method& m : methods()) names.push_back(m.name);
  return names;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace_if(
      name, [](char c) { return c == '/' || c == '-'; }, '_');
  return name;
}

class IntegratorSuite : public ::testing::TestWithParam<std::string> {
 protected:
  const Method& method() const { return find_method(GetParam()); }
};

// A free mass under a force that is a polynomial of time: velocities are polynomials of degree k+1, positions of
// degree k+2. A method of order p integrates degree p without error.
TEST_P(IntegratorSuite, ExactOnPolynomialsUpToItsOrder) {
  for (int degree = 1; degree <= method().order; ++degree) {
    Model m;
    m.gravity = Vec3::Zero();
    m.add(Body{.name = "p", .mass = 2.0, .position = {0.5, 0, 0}, .velocity = Vec3(-1, 0, 0)});
    // x = 0.5 - t + t^n, n = degree: F = 2 n (n-1) t^(n-2).
    if (degree >= 2)
      m.add(Force{
          .name = "push",
          .type = "force",
          .on = "p",
          .force = Point{Quantity("2*" + std::to_string(degree * (degree - 1)) + "*t^" + std::to_string(degree - 2)),
                         0.0, 0.0}});
    m.simulation.duration = 1.5;
    m.simulation.method = GetParam();
    m.simulation.step = 0.5;
    Simulation s(m);
    while (s.step()) {
    }
    const double expected = 0.5 - 1.5 + (degree >= 2 ? std::pow(1.5, degree) : 0);
    EXPECT_NEAR(s.state()[0], expected, 1e-12 * std::pow(1.5, degree)) << "degree " << degree;
  }
}

double position_error(const std::string& method, int steps, double duration) {
  Model m = testing::pendulum(1.2, 0.8, 1.7);
  m.simulation.method = method;
  m.simulation.duration = duration;
  m.simulation.step = duration / steps;
  const PendulumExact exact{0.8, 9.81, 1.2};
  Simulation s(m);
  double worst = 0;
  while (s.step()) {
    const double a = exact.angle(s.time());
    worst = std::max(worst, std::hypot(s.state()[0] - 0.8 * std::sin(a), s.state()[2] + 0.8 * std::cos(a)));
  }
  return worst;
}

TEST_P(IntegratorSuite, ConvergesWithItsOrder) {
  std::vector<double> steps, errors;
  // Coarse enough for the high orders to stay above rounding, fine enough for the low ones to have settled.
  const double first = method().order >= 8 ? 20 : method().order >= 4 ? 150 : 2000;
  for (int k = 0; k < 5; ++k) {
    const int n = static_cast<int>(first * std::pow(1.5, k));
    steps.push_back(2.0 / n);
    errors.push_back(position_error(GetParam(), n, 2.0));
  }
  EXPECT_NEAR(measured_order(steps, errors, 1e-13), method().order, method().order >= 5 ? 1.0 : 0.25);
}

// The state is reached by whole steps and a shorter last one.
TEST_P(IntegratorSuite, EndsExactlyAtTheDuration) {
  Model m = testing::pendulum(0.5);
  m.simulation.method = GetParam();
  m.simulation.duration = 0.3777;
  m.simulation.step = 0.01;
  Simulation s(m);
  while (s.step()) {
  }
  EXPECT_EQ(s.time(), 0.3777);
  EXPECT_EQ(s.steps(), 38);
}

TEST_P(IntegratorSuite, RepeatsBitForBit) {
  Model m = testing::chain(3, "spherical");
  m.bodies[0].angular_velocity = Vec3(0.3, 1, 0.2);
  m.simulation.method = GetParam();
  m.simulation.step = 0.01;
  Simulation a(m), b(m);
  while (a.step()) {
  }
  while (b.step()) {
  }
  const std::vector<double> first(b.state(), b.state() + b.system().size());
  for (int i = 0; i < a.system().size(); ++i) EXPECT_EQ(a.state()[i], first[i]);
  b.start_over();
  while (b.step()) {
  }
  for (int i = 0; i < a.system().size(); ++i) EXPECT_EQ(b.state()[i], first[i]);
}

TEST_P(IntegratorSuite, DenseOutputConvergesWithItsOrder) {
  // Values in the middle of steps against the exact motion; the interpolation error must fall at least with the
  // smaller of the method's order and the interpolant's order + 1.
  const PendulumExact exact{0.8, 9.81, 1.2};
  std::vector<double> steps, errors;
  const double first = method().order >= 5 ? 16 : 100;
  for (int k = 0; k < 4; ++k) {
    const int n = static_cast<int>(first * std::pow(1.6, k));
    Model m = testing::pendulum(1.2, 0.8, 1.7);
    m.simulation.method = GetParam();
    m.simulation.duration = 1;
    m.simulation.step = 1.0 / n;
    m.simulation.output_every = 1.0 / n / 2;
    struct Watch : Observer {
      const PendulumExact& exact;
      double worst = 0;
      explicit Watch(const PendulumExact& e) : exact(e) {}
      void on_sample(const Moment& s) override {
        const double a = exact.angle(s.t);
        worst = std::max(worst, std::hypot(s.y[0] - 0.8 * std::sin(a), s.y[2] + 0.8 * std::cos(a)));
      }
    } watch(exact);
    Simulation s(m);
    s.watch(watch);
    s.run();
    steps.push_back(1.0 / n);
    errors.push_back(watch.worst);
  }
  const int expected = std::min(method().order, method().dense_order + 1);
  EXPECT_GT(measured_order(steps, errors, 1e-13), expected - 0.35);
}

INSTANTIATE_TEST_SUITE_P(AllMethods, IntegratorSuite, ::testing::ValuesIn(all_methods()), test_name);

}  // namespace
}  // namespace plumb
