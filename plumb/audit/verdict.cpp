#include "plumb/audit/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plumb {
namespace {

using Grade = Verdict::Grade;

// A part of the energy that moves, left open: worth a look, and too much to use. Of fixed steps.
constexpr double coarse = 1e-3, too_coarse = 0.05;
// Of adaptive ones worth a look, however many steps explain it; or so many times the tolerance.
constexpr double unusual = 1e-6, times_tolerance = 1e4;
// Singular positions that are more than passages, if they are also this part of all steps.
constexpr int many_singular = 100;
constexpr double often_singular = 0.01;
// Of the tolerance, what a step may leave of it.
constexpr double per_step = 100;
constexpr double rounding = 1e-13;

// Constraints off by so much of the size of the mechanism.
constexpr double off = 1e-6, far_off = 1e-2;
// Bodies in each other by so much of the size of the smaller one: of located contacts, and of those within steps.
constexpr double shallow = 1e-9, deep = 1e-6, shallow_in_steps = 1e-2, deep_in_steps = 0.2;
// Estimated error, of the size of the mechanism.
constexpr double uncertain = 1e-3, unknown = 0.1;

std::string percent(double part) { return fmt::format("{:.2g} %", 100 * part); }

void judge_energy(const Evidence& e, Verdict& v) {
  const AuditReport& a = e.audit;
  if (!a.accounts_for_energy) return;
  const double drift = a.max_drift, scale = a.energy_scale;
  const auto size = [&] {
    return scale > 0 ? fmt::format(", {} of what moves", percent(drift / scale)) : std::string();
  };
  if (!std::isfinite(drift)) return v.lower(Grade::do_not_use, "its energy is not a finite number");
  if (e.step) {
    const std::string reason =
        fmt::format("{:.3g} J of energy are unaccounted for{}; take shorter steps than {:g} s, or adaptive ones", drift,
                    size(), *e.step);
    if (is_energy_open(e))
      v.lower(Grade::do_not_use, reason);
    else if (drift > coarse * scale + rounding * a.energy_size)
      v.lower(Grade::look, reason);
    return;
  }
  const double part = std::min(coarse, std::max(unusual, times_tolerance * e.tolerance.value_or(0)));
  if (is_energy_open(e))
    v.lower(Grade::do_not_use,
            fmt::format("{:.3g} J of energy are unaccounted for{}, where the tolerance explains {:.2g} J", drift,
                        size(), explained_drift(e)));
  else if (drift > part * scale + rounding * a.energy_size)
    v.lower(Grade::look, fmt::format("{:.3g} J of energy are unaccounted for{}, in {} steps", drift, size(), e.steps));
}

void judge_constraints(const Evidence& e, Verdict& v) {
  const double g = e.audit.violation[0], rate = e.audit.violation[1];
  if (!std::isfinite(g) || !std::isfinite(rate))
    return v.lower(Grade::do_not_use, "how far the constraints are kept is not a finite number");
  if (g > off * e.size)
    v.lower(g > far_off * e.size ? Grade::do_not_use : Grade::look,
            fmt::format("constraints are off by up to {:.2g}", g));
}

void judge_overlap(const Evidence& e, Verdict& v) {
  const OverlapReport& o = e.audit.overlap;
  if (!std::isfinite(o.depth)) return v.lower(Grade::do_not_use, "where bodies are is not a finite number");
  const double some = e.contacts_in_steps ? shallow_in_steps : shallow,
               much = e.contacts_in_steps ? deep_in_steps : deep;
  // Of a mass point, which has no size, that of the mechanism.
  const double part = o.part > 0 ? o.part : o.depth / e.size;
  if (part > some)
    v.lower(part > much ? Grade::do_not_use : Grade::look,
            fmt::format("{} overlap by {:.2g} m at t = {:.4g} s", o.what, o.depth, o.time));
  const double overrun = o.overrun / std::max(e.size, 1e-3);
  if (overrun > some)
    v.lower(overrun > much ? Grade::do_not_use : Grade::look,
            fmt::format("limit '{}' is overrun by {:.2g} at t = {:.4g} s", o.limit, o.overrun, o.overrun_time));
}

}  // namespace

std::string Verdict::name() const {
  return grade == Grade::trusted ? "trusted" : grade == Grade::look ? "look" : "do not use";
}

void Verdict::lower(Grade to, std::string reason) {
  grade = std::max(grade, to);
  reasons.push_back(std::move(reason));
}

double explained_drift(const Evidence& e) {
  const AuditReport& a = e.audit;
  const double steps = static_cast<double>(std::max(e.steps, 1L));
  const double rounded = rounding * (a.energy_size + a.weight * e.size) * std::sqrt(steps);
  if (e.step) return too_coarse * a.energy_scale + rounded;
  // Errors are relative to values above 1 and absolute below: of a place they cost the weight times it, of a velocity
  // the momentum times it.
  const double sensitivity = a.energy_scale + std::sqrt(2 * a.mass * a.energy_scale) + a.weight;
  return per_step * e.tolerance.value_or(0) * steps * sensitivity + rounded;
}

bool is_energy_open(const Evidence& e) {
  return e.audit.accounts_for_energy && !(e.audit.max_drift <= explained_drift(e));
}

Verdict judge(const Evidence& e) {
  Verdict v;
  if (!e.outcome.is_success() && e.outcome.kind != Outcome::Kind::audit_failed)
    v.lower(Grade::look, fmt::format("it ended at t = {:.6g} s: {}", e.outcome.time, e.outcome.name()));
  judge_energy(e, v);
  judge_constraints(e, v);
  judge_overlap(e, v);
  if (e.error && !(*e.error <= uncertain * e.size))
    v.lower(*e.error <= unknown * e.size ? Grade::look : Grade::do_not_use,
            fmt::format("its estimated error is {:.2g}, {} of its size", *e.error, percent(*e.error / e.size)));
  if (e.contact_windows > 0)
    v.lower(Grade::look, fmt::format("contacts changed too fast to be followed one by one, {} {}", e.contact_windows,
                                     e.contact_windows == 1 ? "time" : "times"));
  if (e.singular_positions > many_singular && e.singular_positions > often_singular * static_cast<double>(e.steps))
    v.lower(Grade::look,
            fmt::format("it was at singular positions {} times; which way it goes from them is not determined",
                        e.singular_positions));
  for (const std::string& doubt : e.doubts) v.lower(Grade::look, doubt);
  return v;
}

}  // namespace plumb
