// Every joint, between bodies, on the ground and with point masses: what suites over joints run through.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "plumb/model/model.h"

namespace plumb {

struct JointCase {
  std::string name;
  std::function<void(Model&)> build;  // adds joints between "a", "b" (rigid) and "p" (point mass)
};

std::vector<JointCase> joint_cases();
std::string joint_case_name(const ::testing::TestParamInfo<JointCase>& info);

}  // namespace plumb
