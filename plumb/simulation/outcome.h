// How a run ended. Nothing ends silently: every outcome but `completed` says when, where and why.
#pragma once

#include <string>

#include "plumb/model/input_error.h"

namespace plumb {

struct Outcome {
  enum class Kind {
    completed,
    stopped_by_event,
    step_too_small,
    singular,
    non_finite,
    inconsistent_start,
    limit_reached,
    drive_blocked,  // a drive leads where a limit or a contact lets nothing pass
    chattering,     // a switching input has no sliding motion that can be followed
    audit_failed,   // all steps were taken, and the energy account does not close
    cancelled
  };
  Kind kind = Kind::completed;
  double time = 0;
  std::string subject;  // body, joint or event concerned
  std::string reason;
  Source source{};  // where the subject stands in the model file

  bool is_success() const { return kind == Kind::completed || kind == Kind::stopped_by_event; }
  std::string name() const;
  // "file:line: inconsistent start: joint 'rod': …"
  std::string describe() const;
};

}  // namespace plumb
