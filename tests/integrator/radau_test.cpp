// Implicit steps on equations whose solutions are known or whose stiffness no explicit method can bear.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "plumb/integrator/implicit_runge_kutta.h"
#include "plumb/study/convergence.h"

namespace plumb {
namespace {

const Tableau tableau = radau5_tableau();

// y' = L (y - cos t) - sin t, y = cos t: stiff for L << 0, exact for every L.
class Attracted : public Problem {
 public:
  Attracted(double rate, bool has_jacobian) : rate_(rate), has_jacobian_(has_jacobian) {}
  int size() const override { return 2; }
  int controlled() const override { return 2; }
  void derivative(double t, const double* y, double* f) override {
    ++evaluations;
    f[0] = rate_ * (y[0] - std::cos(t)) - std::sin(t);
    f[1] = -y[1] * y[1] + 0.25 * std::cos(y[0]);  // bears on nothing, but is not linear
  }
  bool jacobian(double, const double* y, double* out) override {
    out[0] = rate_, out[1] = 0, out[2] = -0.25 * std::sin(y[0]), out[3] = -2 * y[1];
    return has_jacobian_;
  }
  StepReport settle(double, double*) override { return {}; }
  long evaluations = 0;

 private:
  double rate_;
  bool has_jacobian_;
};

double error_at_one(double rate, int steps) {
  Attracted problem(rate, true);
  ImplicitRungeKutta radau(problem, tableau);
  const double y[2] = {1, 0.5};
  radau.begin(0, y);
  for (int k = 0; k < steps; ++k) {
    EXPECT_TRUE(radau.attempt(1.0 / steps).ok());
    radau.complete();
    radau.advance((k + 1.0) / steps);
  }
  return std::abs(radau.state()[0] - std::cos(1.0));
}

TEST(Radau, HasOrderFiveWhereNothingIsStiff) {
  std::vector<double> steps, errors;
  for (int n : {4, 6, 9, 13, 20}) steps.push_back(1.0 / n), errors.push_back(error_at_one(-1, n));
  EXPECT_NEAR(measured_order(steps, errors, 1e-14), 5, 0.2);
}

// Steps a hundred thousand times as long as the fast time scale; explicit methods would need some 3e6 of them.
TEST(Radau, IsStableAndAccurateWhereEquationsAreStiff) {
  EXPECT_LT(error_at_one(-1e7, 10), 1e-10);
  EXPECT_LT(error_at_one(-1e7, 20), 1e-11);
}

TEST(Radau, DifferencesServeAsWellAsTheJacobian) {
  double ends[2];
  long evaluations[2];
  for (const bool given : {false, true}) {
    Attracted problem(-50, given);
    ImplicitRungeKutta radau(problem, tableau);
    const double y[2] = {1, 0.5};
    radau.begin(0, y);
    for (int k = 0; k < 20; ++k) {
      EXPECT_TRUE(radau.attempt(0.05).ok());
      radau.advance(0.05 * (k + 1));
    }
    ends[given] = radau.state()[1];
    evaluations[given] = problem.evaluations;
  }
  EXPECT_NEAR(ends[0], ends[1], 1e-13);
  EXPECT_LT(evaluations[1], evaluations[0]);
}

TEST(Radau, DenseOutputMeetsTheEndsAndItsOrder) {
  std::vector<double> steps, errors;
  for (double h : {0.2, 0.1, 0.05, 0.025}) {
    Attracted problem(-2, true);
    ImplicitRungeKutta radau(problem, tableau);
    const double y[2] = {1, 0.5};
    radau.begin(0, y);
    radau.attempt(h);
    double at[2];
    radau.interpolate(0, at);
    EXPECT_NEAR(at[0], 1, 1e-15);
    radau.interpolate(1, at);
    EXPECT_NEAR(at[0], radau.result()[0], 1e-15);
    double worst = 0;
    for (double theta : {0.3, 0.5, 0.8}) {
      radau.interpolate(theta, at);
      worst = std::max(worst, std::abs(at[0] - std::cos(theta * h)));
    }
    steps.push_back(h);
    errors.push_back(worst);
  }
  EXPECT_GT(measured_order(steps, errors, 1e-15), 3.7);
}

TEST(Radau, AStepThatCannotBeSolvedIsReported) {
  class Wild : public Problem {
   public:
    int size() const override { return 1; }
    int controlled() const override { return 1; }
    void derivative(double, const double* y, double* f) override { f[0] = std::exp(y[0] * y[0]); }
    StepReport settle(double, double*) override { return {}; }
  } problem;
  ImplicitRungeKutta radau(problem, tableau);
  const double y = 1;
  radau.begin(0, &y);
  EXPECT_FALSE(radau.attempt(5).ok());
  EXPECT_TRUE(radau.attempt(0.01).ok());
}

}  // namespace
}  // namespace plumb
