// Linkages that must not come apart in a thousand seconds, against closed forms of their positions: points found by
// intersecting circles from the angle of the crank.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

using Plane = Eigen::Vector2d;  // x and z

// The intersection of two circles to the left (side = 1) or right of the way from p to q.
Plane meet(const Plane& p, double r, const Plane& q, double s, int side) {
  const Plane d = q - p;
  const double distance = d.norm(), along = (r * r - s * s + distance * distance) / (2 * distance);
  const double across = side * std::sqrt(r * r - along * along);
  return p + along / distance * d + across / distance * Plane(-d.y(), d.x());
}

Plane on_circle(const Plane& centre, double r, double angle) {
  return centre + r * Plane(std::cos(angle), std::sin(angle));
}

// The largest distance, over all samples, between a point of a body and its closed form. The joints' axes are -y, so
// that angles count from x to z.
template <class Exact>
double off_path(const Result& r, const std::string& body, const Plane& at_start, const std::string& crank,
                double start_angle, const Exact& exact) {
  const auto channel = [&](const char* c) { return r.trajectory[body + "." + c]; };
  const std::vector<double> x = channel("x"), z = channel("z"), qw = channel("qw"), qy = channel("qy"),
                            angle = r.trajectory[crank + ".angle"];
  // The point in body axes, from the start.
  const auto turned = [&](std::size_t i) { return 2 * std::atan2(-qy[i], qw[i]); };
  const Eigen::Rotation2Dd back(-turned(0));
  const Plane local = back * (at_start - Plane(x[0], z[0]));
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Plane p = Plane(x[i], z[i]) + Eigen::Rotation2Dd(turned(i)) * local;
    worst = std::max(worst, (p - exact(start_angle + angle[i])).norm());
  }
  return worst;
}

Result run_linkage(CaseRun& run, const std::string& name, const std::string& title) {
  const Model model = run.model(name + ".toml");
  Result r = simulate(model);
  if (!r.outcome.is_success()) throw std::runtime_error(r.outcome.describe());
  run.report(name + "_violation", r.audit.violation[0]);
  run.report(name + "_velocity", r.audit.violation[1]);
  run.report(name + "_drift", r.audit.max_drift);
  Model shown = model;
  shown.simulation.duration = 10;
  shown.simulation.output_every = 0.02;
  run.animate(title, shown, simulate(shown));
  return r;
}

Plane four_bar(double angle) { return meet(on_circle({0, 0}, 0.1, angle), 0.35, {0.4, 0}, 0.3, 1); }

Plane watt(double angle) { return meet(on_circle({0, 0.1}, 0.5, angle), 0.2, {1, -0.1}, 0.5, -1); }

// The foot of Jansen's leg: crank 15 about (38, 7.8), everything else from the pivot at the origin; centimetres.
Plane foot(double angle) {
  const Plane pivot(0, 0), crank = on_circle({0.38, 0.078}, 0.15, angle);
  const Plane top = meet(pivot, 0.415, crank, 0.5, 1), back = meet(pivot, 0.401, top, 0.558, 1);
  const Plane knee = meet(pivot, 0.393, crank, 0.619, -1), heel = meet(knee, 0.367, back, 0.394, 1);
  return meet(knee, 0.49, heel, 0.657, 1);
}

}  // namespace

void measure_linkages(CaseRun& run) {
  const Result bars = run_linkage(run, "four-bar", "Four-bar, the first ten seconds");
  run.report("four-bar_path", off_path(bars, "rocker", four_bar(1.0), "A", 1.0, four_bar));
  run.report("four-bar_turns", std::abs(bars.trajectory["A.angle"].back()) > 2000 * std::numbers::pi);
  const Result arms = run_linkage(run, "watt", "Watt, the first ten seconds");
  run.report("watt_path", off_path(arms, "right", watt(0.25), "A", 0.25, watt));
  const Result leg = run_linkage(run, "strandbeest", "Leg, the first ten seconds");
  run.report("strandbeest_path", off_path(leg, "foot", foot(0), "O", 0, foot));
  run.report("strandbeest_turns", leg.trajectory["O.angle"].back() / (2 * std::numbers::pi));
}

}  // namespace plumb
