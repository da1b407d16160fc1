#include "plumb/expression/jet.h"

#include <gtest/gtest.h>

#include "plumb/expression/expression.h"

namespace plumb {
namespace {

class TimeOnly : public Names {
 public:
  std::optional<Meaning> find(std::string_view name) const override {
    return name == "t" ? std::optional(Meaning{std::nullopt, time_slot}) : std::nullopt;
  }
  std::vector<std::string> all() const override { return {"t"}; }
};

// Derivatives of every function against central differences of high order.
class JetOf : public ::testing::TestWithParam<const char*> {};

TEST_P(JetOf, DerivativesAgreeWithDifferences) {
  const Expression e = Expression::parse(GetParam(), TimeOnly());
  const double t = 0.37, h = 1e-3;
  const auto f = [&](double x) { return e.evaluate(&x); };
  const Jet j = e.evaluate_in_time(t);
  const double d = (-f(t + 2 * h) + 8 * f(t + h) - 8 * f(t - h) + f(t - 2 * h)) / (12 * h);
  const double dd = (-f(t + 2 * h) + 16 * f(t + h) - 30 * f(t) + 16 * f(t - h) - f(t - 2 * h)) / (12 * h * h);
  EXPECT_DOUBLE_EQ(j.value, f(t));
  EXPECT_NEAR(j.rate, d, 1e-9 * (1 + std::abs(d)));
  EXPECT_NEAR(j.acceleration, dd, 1e-7 * (1 + std::abs(dd)));
}

INSTANTIATE_TEST_SUITE_P(Functions, JetOf,
                         ::testing::Values("3*t^3 - t/2", "sin(2*t)", "cos(t^2)", "tan(t)", "asin(t)", "acos(t/2)",
                                           "atan(3*t)", "sinh(t)", "cosh(2*t)", "tanh(t)", "exp(-t)", "log(1 + t)",
                                           "log10(2 + t)", "sqrt(1 + t^2)", "abs(t - 1)", "1/(1 + t)", "t^2.5", "2^t",
                                           "(1 + t)^t", "atan2(sin(t), cos(t) + 0.2)", "hypot(t, 2*t + 1)",
                                           "t < 1 ? t^2 : t", "max(t^2, t^3)", "mod(t, 0.3)", "-t*sin(10*t)*exp(-t)",
                                           "pow(t, 3)"));

TEST(Jet, IntegerPowersAtZeroAndBelow) {
  const Jet zero = pow(Jet(0, 1), Jet(2));
  EXPECT_EQ(zero.value, 0);
  EXPECT_EQ(zero.rate, 0);
  EXPECT_EQ(zero.acceleration, 2);
  const Jet negative = pow(Jet(-2, 1), Jet(3));
  EXPECT_EQ(negative.value, -8);
  EXPECT_EQ(negative.rate, 12);
  EXPECT_EQ(negative.acceleration, -12);
}

}  // namespace
}  // namespace plumb
