#include "plumb/contact/impact.h"

#include <algorithm>

namespace plumb {
namespace {

// -½ p.(u- + u+): what the impulses take out.
double energy_taken(const ContactRows& rows, const std::vector<double>& u, const std::vector<double>& p) {
  const int n = static_cast<int>(u.size());
  double taken = 0;
  for (int i = 0; i < n; ++i) {
    double after = u[i];
    for (int j = 0; j < n; ++j) after += rows.entry(i, j) * p[j];
    taken -= 0.5 * p[i] * (u[i] + after);
  }
  return taken;
}

}  // namespace

ConeSolution solve_impact(const ContactRows& rows, const std::vector<ImpactLaw>& laws, const std::vector<double>& u,
                          std::vector<double>& p) {
  const std::size_t n = u.size(), contacts = laws.size();
  std::vector<double> b = u, mu(contacts);
  for (std::size_t k = 0; k < contacts; ++k) mu[k] = laws[k].friction;
  const ConeProblem problem{static_cast<int>(contacts), rows.matrix(), b.data(), mu.data()};
  p.assign(n, 0.0);
  const bool newton = std::ranges::all_of(laws, [](const ImpactLaw& l) { return l.law == Contact::Law::newton; });
  if (newton) {
    for (std::size_t k = 0; k < contacts; ++k) b[3 * k] += laws[k].restitution * std::min(u[3 * k], 0.0);
    const ConeSolution s = solve_cones(problem, p.data());
    // With friction Newton's law may give energy; then Poisson's, which does not, is taken.
    if (!s.is_usable() || energy_taken(rows, u, p) >= 0) return s;
    p.assign(n, 0.0);
    b = u;
  }
  // Compression: restitution zero.
  const ConeSolution compression = solve_cones(problem, p.data());
  if (!compression.is_usable()) return compression;
  // Expansion: a normal impulse of e p_c and, where contacts would close again, more; with its own friction.
  std::vector<double> least(contacts), q(n);
  for (std::size_t k = 0; k < contacts; ++k) least[k] = laws[k].restitution * p[3 * k];
  if (std::ranges::all_of(least, [](double x) { return x == 0; })) return compression;
  for (std::size_t k = 0; k < contacts; ++k) p[3 * k] += least[k];
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) b[i] += rows.entry(static_cast<int>(i), static_cast<int>(j)) * p[j];
  ConeProblem expanding = problem;
  expanding.offset = least.data();
  const ConeSolution expansion = solve_cones(expanding, q.data());
  for (std::size_t i = 0; i < n; ++i) p[i] += q[i];
  return expansion;
}

}  // namespace plumb
