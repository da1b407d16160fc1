#include "plumb/solver/cone_complementarity.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "plumb/solver/cone_interior.h"
#include "plumb/solver/cone_newton.h"
#include "plumb/solver/largest.h"
#include "plumb/solver/least_norm.h"
#include "plumb/solver/pressing.h"

namespace plumb {
namespace {

// One contact on its own: u = A p + q, A 3 x 3.
struct LocalContact {
  double A[3][3];
  double q[3];
  double mu, offset;

  // Friction against the direction tau. `closed`: u_n = 0 gives p_n, false if no positive p_n does; otherwise p_n = 0.
  bool slide(bool closed, const double* tau, double* p) const {
    const double across = mu * (A[0][1] * tau[0] + A[0][2] * tau[1]);
    const double slope = A[0][0] - across;
    p[0] = 0;
    if (closed) {
      if (!(slope > 0)) return false;
      p[0] = -(q[0] - across * offset) / slope;
    }
    p[1] = -mu * (p[0] + offset) * tau[0];
    p[2] = -mu * (p[0] + offset) * tau[1];
    return p[0] >= 0;
  }

  void tangential(const double* p, double* u) const {
    for (int i = 1; i < 3; ++i) u[i - 1] = q[i] + A[i][0] * p[0] + A[i][1] * p[1] + A[i][2] * p[2];
  }

  bool stick(double* p) const {
    const auto& a = A;
    const double c00 = a[1][1] * a[2][2] - a[1][2] * a[2][1], c01 = a[1][2] * a[2][0] - a[1][0] * a[2][2],
                 c02 = a[1][0] * a[2][1] - a[1][1] * a[2][0];
    const double det = a[0][0] * c00 + a[0][1] * c01 + a[0][2] * c02;
    if (!(std::abs(det) > 1e-10 * a[0][0] * a[1][1] * a[2][2])) return stick_where_joints_hold(p);
    const double c11 = a[0][0] * a[2][2] - a[0][2] * a[2][0], c12 = a[0][1] * a[2][0] - a[0][0] * a[2][1],
                 c22 = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    const double c10 = a[0][2] * a[2][1] - a[0][1] * a[2][2], c20 = a[0][1] * a[1][2] - a[0][2] * a[1][1],
                 c21 = a[0][2] * a[1][0] - a[0][0] * a[1][2];
    p[0] = -(c00 * q[0] + c10 * q[1] + c20 * q[2]) / det;
    p[1] = -(c01 * q[0] + c11 * q[1] + c21 * q[2]) / det;
    p[2] = -(c02 * q[0] + c12 * q[1] + c22 * q[2]) / det;
    return is_within(p);
  }

  bool is_within(const double* p) const { return p[0] >= 0 && std::hypot(p[1], p[2]) <= mu * (p[0] + offset); }

  // Where joints let the contact move in some directions only, many impulses do the same: the least, or that with the
  // least friction.
  bool stick_where_joints_hold(double* p) const {
    constexpr double threshold = 1e-10;
    const double asked[3] = {-q[0], -q[1], -q[2]};
    solve_least_norm(3, &A[0][0], asked, p, threshold);
    const double size = std::max({std::abs(q[0]), std::abs(q[1]), std::abs(q[2])});
    for (int i = 0; i < 3; ++i)
      if (!(std::abs(q[i] + A[i][0] * p[0] + A[i][1] * p[1] + A[i][2] * p[2]) <= 1e-9 * size)) return false;
    if (is_within(p)) return true;
    double idle[3][3], normal[9], right[3], along[3];  // columns of what does nothing
    for (int j = 0; j < 3; ++j) {
      const double column[3] = {A[0][j], A[1][j], A[2][j]};
      solve_least_norm(3, &A[0][0], column, idle[j], threshold);
      for (int i = 0; i < 3; ++i) idle[j][i] = (i == j) - idle[j][i];
    }
    for (int i = 0; i < 3; ++i) {
      right[i] = -(idle[i][1] * p[1] + idle[i][2] * p[2]);
      for (int j = 0; j < 3; ++j) normal[3 * i + j] = idle[i][1] * idle[j][1] + idle[i][2] * idle[j][2];
    }
    solve_least_norm(3, normal, right, along, threshold);
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) p[i] += along[j] * idle[j][i];
    return is_within(p);
  }

  // Sticking with p_n = 0.
  bool hold(double* p) const {
    const double det = A[1][1] * A[2][2] - A[1][2] * A[2][1];
    if (!(det > 1e-14 * A[1][1] * A[2][2])) return false;
    p[0] = 0;
    p[1] = -(A[2][2] * q[1] - A[1][2] * q[2]) / det;
    p[2] = -(A[1][1] * q[2] - A[2][1] * q[1]) / det;
    return std::hypot(p[1], p[2]) <= mu * offset;
  }

  double normal_speed(const double* p) const { return q[0] + A[0][0] * p[0] + A[0][1] * p[1] + A[0][2] * p[2]; }

  // Slip: u_t must point along tau. The component across it is a function of the angle of tau whose root is sought,
  // on the half turn where u_t points forward.
  void slip(bool closed, double* p) const {
    const auto across = [&](double angle, double* impulse, double& forward) {
      const double tau[2] = {std::cos(angle), std::sin(angle)};
      double u[2];
      if (!slide(closed, tau, impulse)) {
        forward = -1;
        return -1.0;
      }
      tangential(impulse, u);
      forward = tau[0] * u[0] + tau[1] * u[1];
      return tau[0] * u[1] - tau[1] * u[0];
    };
    const double guess = std::atan2(q[2], q[1]);
    double forward = 0;
    constexpr int sectors = 24;
    constexpr double width = 2 * std::numbers::pi / sectors;
    // From the guess outwards: sectors in which the component across falls through zero, so that turning tau towards
    // u_t turns it towards the root. Just beyond the friction limit u_t points forward only very near it.
    for (int s = 0; s < sectors; ++s) {
      const int away = (s + 1) / 2 * (s % 2 ? 1 : -1);
      double low = guess + (away - 0.5) * width, high = low + width;
      double f_low = across(low, p, forward), f_high = across(high, p, forward);
      if (!(f_low >= 0 && f_high <= 0 && f_low > f_high)) continue;
      for (int k = 0; k < 80 && high - low > 1e-16; ++k) {
        const double angle = low + (high - low) * f_low / (f_low - f_high);
        if (angle <= low || angle >= high) break;
        const double f = across(angle, p, forward);
        if (f == 0) break;
        if (f > 0)
          low = angle, f_low = f, f_high /= 2;
        else
          high = angle, f_high = f, f_low /= 2;
      }
      if (forward >= 0) return;
    }
    // No forward direction: the contact cannot slide and its cone cannot hold it; take the direction of the guess.
    const double tau[2] = {std::cos(guess), std::sin(guess)};
    if (!slide(closed, tau, p)) p[0] = p[1] = p[2] = 0;
  }

  void solve(const double* fixed_direction, double* p) const {
    p[0] = p[1] = p[2] = 0;
    if (!(A[0][0] > 0)) return;  // nothing gives way
    if (mu == 0) {
      p[0] = std::max(0.0, -q[0] / A[0][0]);
      return;
    }
    // Open first.
    if (fixed_direction)
      slide(false, fixed_direction, p);
    else if (offset > 0 && !hold(p))
      slip(false, p);
    if (normal_speed(p) >= 0) return;
    if (fixed_direction) {
      if (!slide(true, fixed_direction, p)) p[0] = p[1] = p[2] = 0;
      return;
    }
    if (!stick(p)) slip(true, p);
  }
};

}  // namespace

namespace {

// Contacts that act on each other, directly or through others, numbered from 0.
std::vector<int> groups_of(const ConeProblem& problem) {
  const int n = 3 * problem.contacts;
  std::vector<int> group(static_cast<std::size_t>(problem.contacts), -1), stack;
  const auto acts_on = [&](int c, int d) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        if (problem.D[(3 * c + i) * n + 3 * d + j] != 0) return true;
    return false;
  };
  int groups = 0;
  for (int first = 0; first < problem.contacts; ++first) {
    if (group[first] >= 0) continue;
    stack = {first};
    group[first] = groups;
    while (!stack.empty()) {
      const int c = stack.back();
      stack.pop_back();
      for (int d = 0; d < problem.contacts; ++d)
        if (group[d] < 0 && acts_on(c, d)) {
          group[d] = groups;
          stack.push_back(d);
        }
    }
    ++groups;
  }
  return group;
}

double largest_of(const double* x, int n) {
  double m = 0;
  for (int i = 0; i < n; ++i) keep_largest(m, std::abs(x[i]));
  return m;
}

// Without friction: normals alone, exactly.
bool press(const ConeProblem& problem, double* p) {
  const int k = problem.contacts, n = 3 * k;
  for (int c = 0; c < k; ++c)
    if (problem.mu[c] != 0 || (!problem.slip.empty() && problem.slip[c] && problem.mu[c] != 0)) return false;
  std::vector<double> D(static_cast<std::size_t>(k) * k), b(static_cast<std::size_t>(k)),
      x(static_cast<std::size_t>(k));
  for (int i = 0; i < k; ++i) {
    b[i] = problem.b[3 * i];
    for (int j = 0; j < k; ++j) D[i * k + j] = problem.D[3 * i * n + 3 * j];
  }
  PressingContacts pressing;
  if (!pressing.solve(k, D.data(), b.data(), 1e-14 * largest_of(b.data(), k), x.data())) return false;
  for (int i = 0; i < k; ++i) {
    p[3 * i] = x[i];
    p[3 * i + 1] = p[3 * i + 2] = 0;
  }
  return true;
}

constexpr int first_try = 10, patience = 200;  // sweeps

ConeSolution solve_group(const ConeProblem& problem, double* p, double tolerance, int max_sweeps) {
  const int n = 3 * problem.contacts;
  ConeSolution s;
  if (press(problem, p)) {
    s.converged = true;
    return s;
  }
  // Impulses much smaller than what the right side could ask for are rounding.
  double speed = 0, give = 0;
  for (int i = 0; i < n; ++i) {
    speed = std::max(speed, std::abs(problem.b[i]));
    give = std::max(give, problem.D[i * n + i]);
  }
  const double least = give > 0 ? 0.01 * speed / give : 0;
  int next_try = first_try;
  for (s.sweeps = 1; s.sweeps <= max_sweeps; ++s.sweeps) {
    double largest = least, change = 0;
    for (int c = 0; c < problem.contacts; ++c) {
      LocalContact local;
      local.mu = problem.mu[c];
      local.offset = problem.offset ? problem.offset[c] : 0;
      for (int i = 0; i < 3; ++i) {
        const double* const row = problem.D + (3 * c + i) * n;
        double q = problem.b[3 * c + i];
        for (int j = 0; j < n; ++j)
          if (j / 3 != c) q += row[j] * p[j];
        local.q[i] = q;
        for (int j = 0; j < 3; ++j) local.A[i][j] = row[3 * c + j];
      }
      double next[3];
      local.solve(problem.slip.empty() ? nullptr : problem.slip[c], next);
      // Contacts that answer each other in turn without end are slowed down; the cones are convex.
      const double step = s.sweeps <= 500 ? 1 : 0.5;
      for (int i = 0; i < 3; ++i) {
        change = std::max(change, std::abs(next[i] - p[3 * c + i]));
        largest = std::max(largest, std::abs(next[i]));
        p[3 * c + i] += step * (next[i] - p[3 * c + i]);
      }
    }
    s.change = largest > 0 ? change / largest : 0;
    s.speed = change * give;
    s.converged = change <= tolerance * largest || problem.contacts == 1;
    // Sweeps find out who slips and who sticks; how much, Newton's method finds sooner.
    if (!s.converged && s.sweeps == next_try) {
      s.converged = newton_on_cones(problem, p, std::max(tolerance, 1e-12) * largest);
      next_try += std::min(next_try, 100);
    }
    // Who answers each other without end is met from inside the cones.
    if (!s.converged && s.sweeps == patience && max_sweeps > patience)
      s.converged = solve_from_inside(problem, p, std::max(tolerance, 1e-12) * largest);
    if (s.converged) break;
  }
  return s;
}

}  // namespace

// Groups of contacts that know nothing of each other are solved one by one.
ConeSolution solve_cones(const ConeProblem& problem, double* p, double tolerance, int max_sweeps) {
  const std::vector<int> group = groups_of(problem);
  const int groups = group.empty() ? 0 : *std::ranges::max_element(group) + 1, n = 3 * problem.contacts;
  if (groups == 1) return solve_group(problem, p, tolerance, max_sweeps);
  ConeSolution all;
  all.converged = true;
  std::vector<double> D, b, mu, offset, x;
  for (int g = 0; g < groups; ++g) {
    std::vector<int> members;
    for (int c = 0; c < problem.contacts; ++c)
      if (group[c] == g) members.push_back(c);
    const int m = static_cast<int>(members.size());
    ConeProblem part;
    part.contacts = m;
    D.assign(static_cast<std::size_t>(9) * m * m, 0.0);
    b.clear();
    mu.clear();
    offset.clear();
    x.clear();
    for (int c : members) {
      mu.push_back(problem.mu[c]);
      if (problem.offset) offset.push_back(problem.offset[c]);
      if (!problem.slip.empty()) part.slip.push_back(problem.slip[c]);
      for (int i = 0; i < 3; ++i) {
        const std::size_t row = b.size();
        for (int d = 0; d < m; ++d)
          for (int j = 0; j < 3; ++j) D[row * 3 * m + 3 * d + j] = problem.D[(3 * c + i) * n + 3 * members[d] + j];
        b.push_back(problem.b[3 * c + i]);
        x.push_back(p[3 * c + i]);
      }
    }
    part.D = D.data();
    part.b = b.data();
    part.mu = mu.data();
    part.offset = problem.offset ? offset.data() : nullptr;
    const ConeSolution s = solve_group(part, x.data(), tolerance, max_sweeps);
    all.converged = all.converged && s.converged;
    all.sweeps = std::max(all.sweeps, s.sweeps);
    if (!s.converged) {
      keep_largest(all.change, s.change);
      keep_largest(all.speed, s.speed);
    }
    for (int k = 0; k < m; ++k)
      for (int i = 0; i < 3; ++i) p[3 * members[k] + i] = x[3 * k + i];
  }
  return all;
}

}  // namespace plumb
