// How far a run can be trusted, in one word and the reasons for it.
//
//   trusted      nothing speaks against it
//   look         it may be right: something was seen that is worth a look
//   do not use   something is known to be wrong
//
// What is open in the account of energy is judged by what explains it. Adaptive steps leave at most a part of the
// tolerance of what moves between the forms of energy at every step, and rounding; where many steps add up to more than
// a small part of it, that is worth a look. Fixed steps promise nothing: what
// they leave is judged by its size alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plumb/audit/audit.h"
#include "plumb/simulation/outcome.h"

namespace plumb {

struct Verdict {
  enum class Grade { trusted, look, do_not_use };
  Grade grade = Grade::trusted;
  std::vector<std::string> reasons{};

  std::string name() const;
  void lower(Grade to, std::string reason);
};

// What is known of a run when it has ended.
struct Evidence {
  const Outcome& outcome;
  const AuditReport& audit;
  std::optional<double> tolerance{}, step{};
  long steps = 0;
  double size = 1;                    // of the mechanism, m
  bool contacts_in_steps = false;     // impacts were taken in the mean over a step
  int contact_windows = 0;            // stretches in which contacts changed too fast to be followed one by one
  int singular_positions = 0;         // passed
  std::optional<double> error{};      // estimated, m or of any unknown
  std::vector<std::string> doubts{};  // what was said during the run
};

// The most that tolerance, steps and rounding explain of what is open in the account of energy, J.
double explained_drift(const Evidence& evidence);
// More than that is open, or it is no number: the run cannot be called completed.
bool is_energy_open(const Evidence& evidence);

Verdict judge(const Evidence& evidence);

}  // namespace plumb
