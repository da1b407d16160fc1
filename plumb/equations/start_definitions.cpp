#include "plumb/equations/start_definitions.h"

#include <algorithm>
#include <cmath>

#include "plumb/equations/algebra_lock.h"
#include "plumb/equations/hidden_constraints.h"
#include "plumb/equations/tape.h"

namespace plumb {
namespace {

// A constraint, or a derivative of one, that is linear in one state: state = -rest/factor.
struct Solved {
  std::size_t state;
  std::vector<std::size_t> needs;  // other states in it
  bool is_written_so = false;      // the equation has this name alone on its left side
};

}  // namespace

void evaluate_definitions(const Reduction& r, double omega, const std::vector<char>& given, std::vector<double>& y) {
  const AlgebraLock lock;
  std::vector<char> known = given;
  std::vector<Solved> list;
  TapeBuilder builder;
  declare(r, omega, builder);
  const auto state_of = [&](const GiNaC::ex& s) {
    const auto is_it = [&](const StateVariable& v) { return v.symbol.is_equal(s); };
    return static_cast<std::size_t>(std::ranges::find_if(r.states, is_it) - r.states.begin());
  };
  for (const Invariant& i : r.invariants) {
    std::vector<std::size_t> states;
    for (const GiNaC::ex& s : symbols_in(i.value))
      if (const std::size_t k = state_of(s); k < r.states.size()) states.push_back(k);
    std::ranges::sort(states);
    const DaeEquation& e = r.dae.equations[static_cast<std::size_t>(i.equation)];
    for (std::size_t k : states) {
      if (known[k]) continue;
      const auto& s = GiNaC::ex_to<GiNaC::symbol>(r.states[k].symbol);
      const GiNaC::ex factor = i.value.diff(s);
      if (factor.has(s)) continue;
      Solved solved{k, states, false};
      std::erase(solved.needs, k);
      const Symbols::Place& place = r.states[k].place;
      const auto left = r.dae.symbols.place(e.left);
      solved.is_written_so = left && left->unknown == place.unknown && left->order + i.order == place.order;
      list.push_back(solved);
      builder.output(i.value);
      builder.output(factor);
    }
  }
  if (list.empty()) return;
  Tape tape = builder.finish();
  // First what follows from what is given; then from the zeros of what nobody gave and nothing defines.
  for (const bool only_written : {false, true}) {
    if (only_written)
      for (std::size_t k = 0; k < known.size(); ++k)
        if (std::ranges::none_of(list, [k](const Solved& s) { return s.is_written_so && s.state == k; })) known[k] = 1;
    for (bool any = true; any;) {
      any = false;
      for (std::size_t i = 0; i < list.size(); ++i) {
        const Solved& s = list[i];
        const auto is_known = [&](std::size_t k) { return known[k] != 0; };
        if (known[s.state] || (only_written && !s.is_written_so) || !std::ranges::all_of(s.needs, is_known)) continue;
        double* const in = tape.inputs();
        in[0] = 0;
        std::ranges::copy(y, in + 1);
        in[1 + s.state] = 0;
        tape.run();
        const double value = -tape.output(2 * i) / tape.output(2 * i + 1);
        if (!std::isfinite(value)) continue;
        y[s.state] = value;
        known[s.state] = 1;
        any = true;
      }
    }
  }
}

}  // namespace plumb
