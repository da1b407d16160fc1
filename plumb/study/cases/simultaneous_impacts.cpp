// Several contacts at the same instant.
#include <algorithm>
#include <cmath>

#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"

namespace plumb {

void measure_simultaneous_impacts(CaseRun& run) {
  const Model ball = run.model("corner.toml");
  const Result corner = simulate(ball);
  run.animate("Into a corner", ball, corner);
  run.report("corner_x", corner.final[0].velocity.x());
  run.report("corner_y", corner.final[0].velocity.y());
  run.report("corner_time",
             corner.impacts.size() == 2 ? corner.impacts[0].impact.time - corner.impacts[1].impact.time : std::nan(""));

  // Newton's law for all contacts at once: the first ball comes back with 3/5 of its speed, the others leave together
  // with 2/5 of it. (A real cradle passes the blow on from ball to ball, which no law of simultaneous impact knows.)
  const Model balls = run.model("cradle.toml");
  const Result cradle = simulate(balls);
  run.animate("Five balls in touch", balls, cradle);
  const double before = -cradle.impacts.at(0).impact.normal_before;
  Vec3 momentum = Vec3::Zero();
  double first = before;
  for (const ImpactRecord& r : cradle.impacts) {
    if (r.impact.from == 0) first -= r.impact.normal_impulse;  // masses 1
    if (r.impact.to == 4) momentum += r.impact.normal * r.impact.normal_impulse;
  }
  run.report("cradle_first", first / before);
  run.report("cradle_last", momentum.norm() / before);
  run.report("cradle_energy", cradle.audit.final.dissipated);

  const Model falling = run.model("rod.toml");
  const Result rod = simulate(falling);
  run.animate("Falling rod", falling, rod);
  const double mu = falling.contacts[0].friction;
  double margin = 0;
  const auto fx = rod.trajectory["floor.fx"], fy = rod.trajectory["floor.fy"], fz = rod.trajectory["floor.fz"];
  for (std::size_t i = 0; i < fx.size(); ++i) margin = std::min(margin, mu * fz[i] - std::hypot(fx[i], fy[i]));
  run.report("rod_friction", margin);
  run.report("rod_energy", rod.audit.max_drift);
  run.report("rod_rest", rod.final[0].position.z());
}

}  // namespace plumb
