#include "plumb/simulation/step_controller.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plumb {
namespace {

StepControl of_order(double order) { return {.safety = 0.9, .proportional = 1 / order, .integral = 0}; }

TEST(StepController, ProposesTheStepWhoseErrorIsTheTolerance) {
  StepController c(of_order(5));
  c.begin(0.1);
  EXPECT_TRUE(c.judge(0.1, 1.0 / 32));  // half the error per halving of 1/32: twice the step
  EXPECT_NEAR(c.proposed(), 0.1 * 0.9 * 2, 1e-15);
  EXPECT_FALSE(c.judge(0.2, 32));
  EXPECT_NEAR(c.proposed(), 0.2 * 0.9 / 2, 1e-15);
}

TEST(StepController, GrowsNoStepRightAfterARejection) {
  StepController c(of_order(5));
  c.begin(0.1);
  EXPECT_FALSE(c.judge(0.1, 2));
  const double shorter = c.proposed();
  EXPECT_TRUE(c.judge(shorter, 1e-6));
  EXPECT_DOUBLE_EQ(c.proposed(), shorter);
  EXPECT_TRUE(c.judge(shorter, 1e-6));
  EXPECT_GT(c.proposed(), shorter);
}

TEST(StepController, AnErrorThatIsNoNumberIsFarTooLarge) {
  StepController c(of_order(8));
  c.begin(1);
  EXPECT_FALSE(c.judge(1, std::nan("")));
  EXPECT_DOUBLE_EQ(c.proposed(), 1.0 / 8);
  EXPECT_FALSE(c.judge(1, INFINITY));
  EXPECT_DOUBLE_EQ(c.proposed(), 1.0 / 8);
}

TEST(StepController, StaysWithinItsBoundsAndRemembers) {
  StepController c({.safety = 0.9, .proportional = 0.2, .integral = 0.04, .smallest = 0.2, .largest = 5});
  c.begin(1);
  EXPECT_TRUE(c.judge(1, 0));
  EXPECT_LE(c.proposed(), 5);
  EXPECT_FALSE(c.judge(1, 1e9));
  EXPECT_DOUBLE_EQ(c.proposed(), 0.2);
  const StepController::Memory memory = c.memory();
  StepController other({.safety = 0.9, .proportional = 0.2, .integral = 0.04, .smallest = 0.2, .largest = 5});
  other.restore(memory);
  EXPECT_TRUE(other.memory() == memory);
  EXPECT_EQ(other.judge(0.2, 0.3), c.judge(0.2, 0.3));
  EXPECT_EQ(other.proposed(), c.proposed());
}

}  // namespace
}  // namespace plumb
