// The published cases as a report to read: targets, figures, animations, versions and machine.
#pragma once

#include <filesystem>
#include <vector>

#include "plumb/study/validation.h"

namespace plumb {

// Writes index.html and a page for each animation into `directory`, which is made if it is missing. Throws InputError
// when that is impossible.
void write_validation_report(const std::filesystem::path& directory, const std::vector<CaseReport>& cases);

// "8 × Intel …, Linux 6.1, x86_64": where this program runs.
std::string describe_machine();

}  // namespace plumb
