// The published cases are part of the tests: every target must be met.
#include "plumb/study/validation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace plumb {
namespace {

class PublishedCases : public ::testing::TestWithParam<PublishedCase> {};

TEST_P(PublishedCases, MeetEveryTarget) {
  const std::filesystem::path out = std::filesystem::temp_directory_path() / ("plumb-validation-" + GetParam().name);
  const CaseReport report = run_case(GetParam(), PLUMB_SOURCE_DIR "/cases", out);
  EXPECT_EQ(report.failure, "");
  EXPECT_FALSE(report.source.empty());
  for (const ValidatedQuantity& q : report.quantities)
    EXPECT_TRUE(q.passed()) << q.name << ": " << q.value.value_or(0) << " instead of " << q.target << " ± "
                            << q.tolerance;
  if (GetParam().name == "iftomm-a01") {
    std::ifstream six(out / "iftomm-a01/A01.txt");
    std::string line;
    int rows = 0;
    while (std::getline(six, line)) ++rows;
    EXPECT_EQ(rows, 1001);
  }
  std::filesystem::remove_all(out);
}

std::string test_name(const ::testing::TestParamInfo<PublishedCase>& published) {
  std::string name = published.param.name;
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, PublishedCases, ::testing::ValuesIn(published_cases()), test_name);

TEST(Validation, AMissedTargetIsMissed) {
  ValidatedQuantity q{
      .id = "x", .name = "x", .unit = "", .target = 1.0, .tolerance = 1e-9, .published = {}, .value = 1.0 + 2e-9};
  EXPECT_FALSE(q.passed());
  q.value = 1.0 + 0.5e-9;
  EXPECT_TRUE(q.passed());
  q.value.reset();
  EXPECT_FALSE(q.passed());
  q.value = std::nan("");
  EXPECT_FALSE(q.passed());
}

}  // namespace
}  // namespace plumb
