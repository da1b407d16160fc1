// make bench: Google Benchmark on the engine's hot paths, then one table of the ratios that matter. Ratios are
// of times measured in this one run, on one core.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "plumb/model/reader.h"
#include "plumb/simulation/simulation.h"
#include "plumb/study/cases/n_four_bar.h"
#include "plumb/study/cheapest_setting.h"
#include "plumb/study/validation.h"
#include "chain_model.h"
#include "handwritten_pendulum.h"
#include "timing.h"

namespace plumb::bench {

void equations_summary();  // equations_bench.cpp

namespace {

Model a01() { return read_model((find_cases() / "iftomm-a01/model.toml").string()); }

Model a01_cheapest(const std::string& method) {
  Model m = a01();
  const Trial t = cheapest_step(m, method, 5e-5, {}, 1 << 16);
  m.simulation.method = method;
  m.simulation.tolerance.reset();
  m.simulation.step = t.step;
  return m;
}

double time_of_run(const Model& model) {
  Simulation s(model);
  double best = 1e99, total = 0;
  for (int i = 0; i < 50 || total < 1; ++i) {
    s.start_over();
    const double began = now();
    while (s.step()) {
    }
    const double spent = now() - began;
    best = std::min(best, spent);
    total += spent;
  }
  return best;
}

template <class Pendulum>
double time_handwritten() {
  const int steps = cheapest_steps<Pendulum>();
  return best_time(
      [steps] {
        Pendulum p;
        for (int i = 0; i < steps; ++i) p.step(10.0 / steps);
        keep(p);
      },
      1000);
}

// The same hundred steps for every length, so that all chains do the same work per link.
double time_per_link_and_step(int links, const Model& model) {
  constexpr int steps = 100;
  Simulation s(model);
  double best = 1e99, total = 0;
  for (int round = 0; round < 3 || total < 0.5; ++round) {
    s.start_over();
    const double began = now();
    for (int i = 0; i < steps; ++i) s.step();
    const double spent = now() - began;
    best = std::min(best, spent / steps / links);
    total += spent;
  }
  return best;
}

void BM_a01(benchmark::State& state, const std::string& method) {
  Simulation s(a01_cheapest(method));
  for (auto _ : state) {
    s.start_over();
    while (s.step()) {
    }
  }
}
BENCHMARK_CAPTURE(BM_a01, projected_dop853, "projected/dop853");
BENCHMARK_CAPTURE(BM_a01, projected_rk4, "projected/rk4");

template <class Pendulum>
void BM_handwritten(benchmark::State& state) {
  const int steps = cheapest_steps<Pendulum>();
  for (auto _ : state) {
    Pendulum p;
    for (int i = 0; i < steps; ++i) p.step(10.0 / steps);
    benchmark::DoNotOptimize(p);
  }
}
BENCHMARK(BM_handwritten<TrigFreeRk4>);
BENCHMARK(BM_handwritten<AngleRk4>);
BENCHMARK(BM_handwritten<AngleDop853>);

void BM_chain(benchmark::State& state, const std::string& joint) {
  Simulation s(chain_model(static_cast<int>(state.range(0)), joint));
  for (auto _ : state) s.step();
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK_CAPTURE(BM_chain, spherical, "spherical")->RangeMultiplier(10)->Range(1, 10000);
BENCHMARK_CAPTURE(BM_chain, revolute, "revolute")->RangeMultiplier(10)->Range(1, 10000);

void summary() {
  const double hand =
      std::min({time_handwritten<TrigFreeRk4>(), time_handwritten<AngleRk4>(), time_handwritten<AngleDop853>()});
  fmt::print("\nA01 at an energy drift below 5e-5 J, step loop only\n");
  fmt::print("  {:<44}{:>10.1f} µs\n", "fastest hand-written Runge-Kutta", hand * 1e6);
  for (const char* method : {"projected/dop853", "projected/rk4", "index1/dop853"}) {
    const double t = time_of_run(a01_cheapest(method));
    fmt::print("  {:<44}{:>10.1f} µs {:>8.2f} x\n", fmt::format("model file -> {}", method), t * 1e6, t / hand);
  }
  fmt::print("\nChain of rigid links, projected/rk4, h = 1e-3: µs per link and step\n  {:<12}", "joint");
  const int sizes[] = {1, 10, 100, 1000, 10000};
  for (int n : sizes) fmt::print("{:>10}", fmt::format("N={}", n));
  fmt::print("{:>22}\n", "largest/smallest N>=10");
  for (const char* joint : {"spherical", "revolute"}) {
    double low = 1e99, high = 0;
    fmt::print("  {:<12}", joint);
    for (int n : sizes) {
      const double t = time_per_link_and_step(n, chain_model(n, joint));
      if (n >= 10) low = std::min(low, t), high = std::max(high, t);
      fmt::print("{:>10.3f}", t * 1e6);
    }
    fmt::print("{:>22.2f}\n", high / low);
  }
}

// IFToMM A02: loops in a row, three redundant equations each; and the library at a drift of 1e-6 J.
void mechanisms() {
  fmt::print("\nIFToMM A02, projected/rk4, h = 1e-3: µs per loop and step\n  ");
  const int sizes[] = {2, 10, 40, 100, 400};
  for (int n : sizes) fmt::print("{:>10}", fmt::format("N={}", n));
  fmt::print("{:>22}\n  ", "largest/smallest N>=10");
  double low = 1e99, high = 0;
  for (int n : sizes) {
    Model m = n_four_bar(n, 10);
    m.simulation.method = "projected/rk4";
    m.simulation.tolerance.reset();
    m.simulation.step = 1e-3;
    const double t = time_per_link_and_step(n, m);
    if (n >= 10) low = std::min(low, t), high = std::max(high, t);
    fmt::print("{:>10.2f}", t * 1e6);
  }
  fmt::print("{:>22.2f}\n", high / low);

  fmt::print("\nIFToMM library at an energy drift below 1e-6 J, projected/dop853, step loop only\n");
  const auto file = [](const char* name) { return read_model((find_cases() / name).string()); };
  const std::pair<const char*, Model> list[] = {{"A01 pendulum, 10 s", a01()},
                                                {"A02 N = 2, 10 s", n_four_bar(2, 10)},
                                                {"A02 N = 40, 20 s", n_four_bar(40, 20)},
                                                {"A03 Andrews, 0.03 s", file("iftomm-a03/model.toml")},
                                                {"A04 Bricard, 10 s", file("iftomm-a04/model.toml")},
                                                {"spatial slider-crank, 5 s", file("slider-crank/model.toml")}};
  for (const auto& [name, model] : list) {
    const Trial t = cheapest_tolerance(model, "projected/dop853", 1e-6, {});
    fmt::print("  {:<28}tol = {:<10.2g}{:>8} steps{:>12.3f} ms   drift {:.1e} J\n", name, t.tolerance.value_or(0),
               t.steps, t.seconds * 1e3, t.drift);
  }
}

}  // namespace
}  // namespace plumb::bench

int main(int argc, char** argv) {
  plumb::bench::pin_to_one_core();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  plumb::bench::summary();
#ifdef PLUMB_EQUATIONS
  plumb::bench::equations_summary();
#endif
  plumb::bench::mechanisms();
}
