#include "plumb/equations/equation_switches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plumb/equations/algebra_lock.h"

namespace plumb {
namespace {

constexpr double jump = 1e-7;  // of a constraint, beside the size of its terms

bool stands_inside(const GiNaC::ex& name, const GiNaC::ex& e) {
  for (auto i = e.preorder_begin(); i != e.preorder_end(); ++i)
    if ((GiNaC::is_a<GiNaC::function>(*i) || GiNaC::is_a<GiNaC::power>(*i)) && i->has(name)) return true;
  return false;
}

// Time may enter under the name of an algebraic unknown (a = t): what is made of it cannot be read off.
bool hides_time(const Reduction& r) {
  for (const DaeEquation& e : r.dae.equations) {
    const std::vector<GiNaC::ex> names = symbols_in(e.residual());
    const auto is_time = [&](const GiNaC::ex& s) { return s.is_equal(r.dae.symbols.time()); };
    if (std::ranges::none_of(names, is_time)) continue;
    for (const GiNaC::ex& s : names) {
      const auto place = r.dae.symbols.place(s);
      if (!place || r.structure.d[static_cast<std::size_t>(place->unknown)] > 0) continue;
      const auto uses = [&](const DaeEquation& other) { return &other != &e && stands_inside(s, other.residual()); };
      if (std::ranges::any_of(r.dae.equations, uses)) return true;
    }
  }
  return false;
}

}  // namespace

EquationSwitches::EquationSwitches(const Flow& flow, const std::vector<double>& modes,
                                   std::function<void(double, const double*)> switched)
    : flow_(flow), modes_(modes), switched_(std::move(switched)), z_(flow.reduction().switches.size()) {}

std::vector<SwitchTiming> EquationSwitches::scan(TimeScan& scan) {
  const AlgebraLock lock;
  const Reduction& r = flow_.reduction();
  std::vector<SwitchTiming> timing(r.switches.size(), SwitchTiming::by_state);
  for (const DaeEquation& e : r.dae.equations)
    for (const DaeEquation::InTime& side : e.in_time) {
      const std::vector<SwitchTiming> found = scan.add(side.expression);
      for (std::size_t k = 0; k < found.size(); ++k) {
        if (found[k] == SwitchTiming::by_state) continue;
        for (std::size_t i = 0; i < r.switches.size(); ++i)
          if (r.switches[i].side.is_equal(side.sides[k])) timing[i] = found[k];
      }
    }
  if (hides_time(r)) scan.note_unread();
  return timing;
}

// With one switch others may be passed: what is solved for can jump. Each that finds itself beyond its mode changes as
// well.
void EquationSwitches::change_mode(double t, const double* y, int passed, double* modes) {
  modes[passed] = flow_.next_mode(t, y, passed, modes);
  for (std::size_t round = 0; round < z_.size(); ++round) {
    flow_.indicators(t, y, modes, z_.data());
    int worst = -1;
    for (std::size_t i = 0; i < z_.size(); ++i)
      if (static_cast<int>(i) != passed && z_[i] < -jump && (worst < 0 || z_[i] < z_[static_cast<std::size_t>(worst)]))
        worst = static_cast<int>(i);
    if (worst < 0) return;
    modes[worst] = flow_.next_mode(t, y, worst, modes);
  }
}

Interruption::Change EquationSwitches::follow(double t, double* y) {
  switched_(t, y);
  HiddenConstraints& h = flow_.constraints();
  h.evaluate(t, y);
  double size = 1;
  for (int i = 0; i < flow_.size(); ++i) size = std::max(size, std::abs(y[i]));
  for (int row = 0; row < h.rows(); ++row) {
    if (!(std::abs(h.value(row)) > jump * size)) continue;
    const HiddenConstraints::Row& bad = h.invariant(row);
    const DaeEquation& e = flow_.reduction().dae.equations[static_cast<std::size_t>(bad.equation)];
    const char* const what = bad.order == 0   ? "it jumps"
                             : bad.order == 1 ? "its rate jumps"
                                              : "a derivative of it jumps";
    return {false, Outcome{Outcome::Kind::singular, t, e.label,
                           fmt::format("{} by {:.3g} in an instant, and no continuous solution can follow that. Let it "
                                       "change over a time",
                                       what, std::abs(h.value(row))),
                           e.source}};
  }
  return {};
}

const DaeEquation& EquationSwitches::equation_of(int number) const {
  const Reduction& r = flow_.reduction();
  return r.dae.equations[static_cast<std::size_t>(r.switches[static_cast<std::size_t>(number)].equation)];
}

std::string EquationSwitches::describe(int number) const { return equation_of(number).label; }

Source EquationSwitches::source(int number) const { return equation_of(number).source; }

}  // namespace plumb
