#include "plumb/simulation/outcome.h"

namespace plumb {

std::string Outcome::name() const {
  switch (kind) {
    case Kind::completed: return "completed";
    case Kind::stopped_by_event: return "stopped by event";
    case Kind::step_too_small: return "step too small";
    case Kind::singular: return "singular";
    case Kind::non_finite: return "non-finite";
    case Kind::inconsistent_start: return "inconsistent start";
    case Kind::limit_reached: return "limit reached";
    case Kind::drive_blocked: return "drive blocked";
    case Kind::chattering: return "chattering";
    case Kind::audit_failed: return "audit failed";
    case Kind::cancelled: return "cancelled";
  }
  return {};
}

std::string Outcome::describe() const {
  return InputError(source, name(), subject.empty() ? reason : subject + ": " + reason).what();
}

}  // namespace plumb
