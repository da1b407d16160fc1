// A thousand spheres dropped into a box: time stepping with many contacts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

constexpr double radius = 0.1, half = 1.0;  // of a sphere; of the box

// Layers of 8 x 8, each sphere a little off its place.
Model pile(int spheres) {
  Model m;
  m.title = "Pile";
  std::vector<std::string> names;
  for (int i = 0; i < spheres; ++i) {
    const double shift = 0.01 * std::sin(12.9898 * i), other = 0.01 * std::cos(78.233 * i);
    names.push_back(fmt::format("s{}", i));
    m.add(
        Body{.name = names.back(),
             .density = 1000.0,
             .shape = Sphere{radius},
             .position = {-0.84 + 0.24 * (i % 8) + shift, -0.84 + 0.24 * (i / 8 % 8) + other, 0.12 + 0.22 * (i / 64)}});
  }
  const std::pair<Vec3, Vec3> walls[] = {{{0, 0, 0}, {0, 0, 1}},
                                         {{-half, 0, 0}, {1, 0, 0}},
                                         {{half, 0, 0}, {-1, 0, 0}},
                                         {{0, -half, 0}, {0, 1, 0}},
                                         {{0, half, 0}, {0, -1, 0}}};
  for (int i = 0; i < 5; ++i)
    m.add(Contact{
        .name = fmt::format("wall{}", i), .plane = PlaneSurface{walls[i].first, walls[i].second}, .friction = 0.5});
  m.add(Contact{.name = "balls", .between = names, .friction = 0.5});
  m.simulation.method = "moreau";
  m.simulation.step = 1e-3;
  m.simulation.output_every = 0.25;
  return m;
}

double deepest(const std::vector<Vec3>& x) {
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    most = std::max({most, radius - x[i].z(), std::abs(x[i].x()) + radius - half, std::abs(x[i].y()) + radius - half});
    for (std::size_t j = 0; j < i; ++j) most = std::max(most, 2 * radius - (x[i] - x[j]).norm());
  }
  return most;
}

std::vector<Vec3> positions(const Result& r, std::size_t row) {
  std::vector<Vec3> x;
  const std::size_t first = r.trajectory.column("s0.x"), apart = r.trajectory.column("s1.x") - first;
  for (std::size_t i = 0; i < r.final.size(); ++i) {
    const auto values = r.trajectory.row(row).subspan(first + i * apart, 3);
    x.emplace_back(values[0], values[1], values[2]);
  }
  return x;
}

}  // namespace

void measure_pile(CaseRun& run) {
  Model model = pile(1000);
  model.simulation.duration = 5;
  const Result r = simulate(model);
  if (!r.outcome.is_success()) throw std::runtime_error(r.outcome.describe());
  double most = 0, speed = 0;
  for (std::size_t row = 0; row < r.trajectory.rows(); ++row) most = std::max(most, deepest(positions(r, row)));
  int outside = 0;
  for (const FinalBody& b : r.final) {
    outside += std::abs(b.position.x()) > half || std::abs(b.position.y()) > half || b.position.z() < 0;
    speed += b.velocity.norm() / static_cast<double>(r.final.size());
  }
  run.report("outside", outside);
  run.report("penetration", most / radius);
  run.report("speed", speed);
  model.simulation.duration = 0.5;
  const Result again = simulate(model);
  double difference = 0;
  const std::vector<Vec3> a = positions(r, 1), b = positions(again, 1);
  for (std::size_t i = 0; i < a.size(); ++i) difference = std::max(difference, (a[i] - b[i]).norm());
  run.report("repeated", difference);
  if (!run.shown()) return;
  Model few = pile(192);
  few.simulation.duration = 2.5;
  few.simulation.output_every = 0.02;
  run.animate("The same with 192 spheres", few, simulate(few));
}

}  // namespace plumb
