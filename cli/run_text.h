// What `plumb run` prints of a result.
#pragma once

#include <string>

#include "plumb/trajectory/result.h"

namespace plumb::cli {

void print_summary(const Result& result);

// "verdict: trusted", in colour if it goes to a terminal.
std::string verdict_line(const Result& result, int stream);

// Which bodies overlap although nothing was said of a contact between them; at least one does.
std::string overlap_note(const OverlapReport& overlap);

}  // namespace plumb::cli
