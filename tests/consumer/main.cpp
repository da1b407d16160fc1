#include <plumb/plumb.h>

#include <cmath>
#include <cstdio>

int main() {
  plumb::Model model;
  model.add(plumb::Body{.name = "bob", .mass = 1.0, .position = {1, 0, 0}});
  model.add(plumb::Joint{
      .name = "rod", .type = "rod", .from = "ground", .to = "bob", .from_point = plumb::Point{0.0, 0.0, 0.0}});
  model.simulation.duration = 2;
  const plumb::Result result = plumb::simulate(model);
  std::printf("%s, drift %.1e J\n", result.outcome.name().c_str(), result.audit.max_drift);
  return result.outcome.is_success() && result.audit.max_drift < 1e-7 &&
                 std::abs(result.final[0].position.norm() - 1) < 1e-14
             ? 0
             : 1;
}
