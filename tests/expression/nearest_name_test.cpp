#include "plumb/expression/nearest_name.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

const std::vector<std::string> known = {"mass", "position", "velocity", "angular_velocity", "box"};

TEST(NearestName, FindsTypicalMistakes) {
  EXPECT_EQ(nearest_name("mas", known), "mass");
  EXPECT_EQ(nearest_name("Mass", known), "mass");
  EXPECT_EQ(nearest_name("msas", known), "mass");
  EXPECT_EQ(nearest_name("postion", known), "position");
  EXPECT_EQ(nearest_name("angular-velocity", known), "angular_velocity");
}

TEST(NearestName, OffersNothingFarFetched) {
  EXPECT_EQ(nearest_name("temperature", known), "");
  EXPECT_EQ(nearest_name("x", known), "");
  EXPECT_EQ(nearest_name(std::string(1000, 'm'), known), "");
  EXPECT_EQ(did_you_mean("colour", known), "");
}

}  // namespace
}  // namespace plumb
