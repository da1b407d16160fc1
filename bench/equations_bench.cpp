// The equations component: an evaluation of the worksheet's right-hand side through the tape against C by hand, and the
// time from the text of Andrews' squeezer to something that can be evaluated.
#include <fmt/format.h>

#include <cmath>

#include "plumb/equations/equation_simulation.h"
#include "plumb/model/reader.h"
#include "plumb/study/validation.h"
#include "timing.h"

extern "C" void worksheet_pendulum(double g, double w, const double* s, double* f);

namespace plumb::bench {

void equations_summary() {
  const Model model = read_model((find_cases() / "dae-pendulum/model.toml").string());
  Flow flow(reduce(model, Form::index0, true), 100);
  const double state[5] = {0.63, -0.74, 1.3, 0.7, 2.1};
  double by_tape[5], by_hand[5];
  constexpr int calls = 1000;
  // Each result enters the next call, as in a step.
  const auto repeat = [&](auto&& rate, double* f) {
    return [&rate, &state, f] {
      double y[5];
      std::copy_n(state, 5, y);
      for (int i = 0; i < calls; ++i) {
        rate(y, f);
        y[4] = 2.1 + 1e-12 * f[4];
      }
      keep(*f);
    };
  };
  const auto tape = [&](const double* y, double* f) { flow.derivative(0, y, f); };
  const auto hand = [&](const double* y, double* f) { worksheet_pendulum(9.81, 100, y, f); };
  const double t_tape = best_time(repeat(tape, by_tape), 200) / calls,
               t_hand = best_time(repeat(hand, by_hand), 200) / calls;
  double difference = 0;
  for (int i = 0; i < 5; ++i)
    difference = std::max(difference, std::abs(by_tape[i] - by_hand[i]) / (1 + std::abs(by_hand[i])));
  fmt::print("\nRight-hand side of the damped Cartesian pendulum ({} operations; results differ by {:.0e})\n",
             flow.operations(), difference);
  fmt::print("  {:<44}{:>10.1f} ns\n", "C by hand, -O2", t_hand * 1e9);
  fmt::print("  {:<44}{:>10.1f} ns {:>8.2f} x\n", "text -> tape", t_tape * 1e9, t_tape / t_hand);

  const Model andrews = read_model((find_cases() / "andrews-equations/model.toml").string());
  const double t = best_time([&] { Flow squeezer(reduce(andrews, Form::projected, false), 0); }, 3, 0);
  fmt::print("  {:<44}{:>10.3f} s\n", "Andrews' squeezer, text -> tape", t);
}

}  // namespace plumb::bench
