// The benchmark bicycle: eigenvalues about straight running, and the speeds at which it becomes stable and unstable.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "plumb/model/reader.h"
#include "plumb/simulation/simulation.h"
#include "plumb/study/linearisation.h"
#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

struct Eigenvalues {
  std::complex<double> weave;
  double capsize, castering;
};

Eigenvalues eigenvalues_at(const std::string& file, double speed) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", speed);
  const Simulation simulation(read_model(file, {{"v", text}}));
  const System& system = simulation.system();
  const Linearisation l = linearise_about(system, {simulation.state(), simulation.state() + system.size()}, false);
  std::vector<double> real;
  Eigenvalues e{};
  for (const Mode& m : l.modes)
    if (m.eigenvalue.imag() > 0)
      e.weave = m.eigenvalue;
    else
      real.push_back(m.eigenvalue.real());
  if (real.size() != 2 || e.weave.imag() == 0)
    throw std::runtime_error("the bicycle should have a weave pair and two real eigenvalues besides the neutral ones");
  std::ranges::sort(real);
  e.castering = real[0];
  e.capsize = real[1];
  return e;
}

// Root by interpolation at Chebyshev's points: the function is smooth, and is not evaluated where it vanishes.
template <class F>
double root_of_interpolant(const F& f, double low, double high) {
  constexpr int n = 12;
  double x[n], y[n], w[n];
  for (int i = 0; i < n; ++i) {
    const double angle = (2 * i + 1) * std::numbers::pi / (2 * n);
    x[i] = (low + high) / 2 + (high - low) / 2 * std::cos(angle);
    y[i] = f(x[i]);
    w[i] = (i % 2 ? -1 : 1) * std::sin(angle);  // barycentric weights
  }
  const auto value = [&](double at) {
    double above = 0, below = 0;
    for (int i = 0; i < n; ++i) {
      if (at == x[i]) return y[i];
      above += w[i] / (at - x[i]) * y[i];
      below += w[i] / (at - x[i]);
    }
    return above / below;
  };
  for (double a = low, b = high;;) {
    const double middle = (a + b) / 2;
    if (middle <= a || middle >= b || b - a < 1e-15) return middle;
    ((value(a) < 0) == (value(middle) < 0) ? a : b) = middle;
  }
}

}  // namespace

void measure_bicycle(CaseRun& run) {
  const std::string file = run.file("model.toml").string();
  run.report("weave", root_of_interpolant([&](double v) { return eigenvalues_at(file, v).weave.real(); }, 4.2, 4.4));
  run.report("capsize", root_of_interpolant([&](double v) { return eigenvalues_at(file, v).capsize; }, 5.9, 6.15));
  const Eigenvalues at5 = eigenvalues_at(file, 5);
  run.report("weave_re", at5.weave.real());
  run.report("weave_im", at5.weave.imag());
  run.report("capsize_5", at5.capsize);
  run.report("castering", at5.castering);
  // Pushed sideways it wobbles and goes on, between the two speeds.
  Model pushed = run.model("model.toml");
  for (Body& b : pushed.bodies)
    if (b.name == "frame") b.angular_velocity = Vec3(0.3, 0, 0);
  for (Body& b : pushed.bodies)
    if (b.name != "frame") b.velocity.reset(), b.angular_velocity.reset();
  const Result r = simulate(pushed);
  if (!r.outcome.is_success()) throw std::runtime_error(r.outcome.describe());
  run.report("drift", r.audit.max_drift);
  run.report("slip", r.audit.violation[1]);
}

}  // namespace plumb
