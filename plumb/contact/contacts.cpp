#include "plumb/contact/contacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/contact/patch.h"
#include "plumb/solver/least_norm.h"

namespace plumb {
namespace {

double largest(const double* x, int n) {
  double m = 0;
  for (int i = 0; i < n; ++i) m = std::max(m, std::abs(x[i]));
  return m;
}

constexpr double sideways = 1e-3;  // share of friction below which slip goes straight on

Vec3 vec(const double* x) { return Vec3(x[0], x[1], x[2]); }

Vec3 tangential(const Touch& t) { return vec(t.velocity) - vec(t.normal) * vec(t.normal).dot(vec(t.velocity)); }

}  // namespace

Contacts::Contacts(const Model& model, const System& system, Dynamics& dynamics)
    : system_(system),
      dynamics_(dynamics),
      projection_(dynamics),
      candidates_(model, system),
      rows_(dynamics),
      state_(candidates_.list().size(), State::open),
      direction_(candidates_.list().size(), Vec3::Zero()),
      covered_(candidates_.list().size()),
      apart_(candidates_.pairs().size()),
      forces_(3 * system.contacts.size()),
      rate_(system.size()),
      move_(system.nv) {}

double Contacts::gap_tolerance(const double* y) const { return 1e-11 * (1 + largest(y, system_.nq)); }
double Contacts::speed_tolerance(const double* y) const { return 1e-10 * (1 + largest(y + system_.nq, system_.nv)); }

double Contacts::gap_at(int candidate, double t, const double* y) {
  dynamics_.place(t, y);
  return candidates_.gap(dynamics_.placement(), candidates_.list()[candidate]);
}

double Contacts::gap(int contact) const {
  double least = std::numeric_limits<double>::infinity();
  for (const Candidate& c : candidates_.list())
    if (c.contact == contact) least = std::min(least, candidates_.gap(dynamics_.placement(), c));
  return least;
}

void Contacts::look_around(const Placement& at) {
  for (std::size_t i = 0; i < apart_.size(); ++i) apart_[i] = candidates_.apart(at, candidates_.pairs()[i]);
}

void Contacts::look_around(double t, const double* y) {
  dynamics_.place(t, y);
  look_around(dynamics_.placement());
}

std::string Contacts::describe(int candidate) const {
  const Candidate& c = candidates_.list()[candidate];
  const std::string to = fmt::format("'{}'", system_.bodies[c.to.body].name);
  return c.from.body < 0 ? to : fmt::format("'{}' and {}", system_.bodies[c.from.body].name, to);
}

void Contacts::begin(double t, const double* y) {
  std::ranges::fill(state_, State::open);
  std::ranges::fill(covered_, std::uint8_t{0});
  collect_closed();
  dynamics_.place(t, y);
  candidates_.note_sides(dynamics_.placement());
  for (int i = 0; i < size(); ++i) candidates_.hold(dynamics_.placement(), i, false);
}

void Contacts::note(double t, const double* y) {
  dynamics_.place(t, y);
  candidates_.note_sides(dynamics_.placement());
  for (int i = 0; i < size(); ++i)
    if (covered_[i] && candidates_.gap(dynamics_.placement(), candidates_.list()[i]) > 1e4 * gap_tolerance(y))
      covered_[i] = 0;
  for (std::size_t k = 0; k < closed_.size(); ++k) {
    if (state_[closed_[k]] != State::slip) continue;
    const Vec3 u = tangential(candidates_.look(dynamics_.placement(), candidates_.list()[closed_[k]]));
    if (u.norm() > speed_tolerance(y)) direction_[closed_[k]] = u.normalized();
  }
}

void Contacts::rates_without_contacts(double t, const double* y) {
  dynamics_.attach(nullptr);
  dynamics_.derivative(t, y, {}, rate_.data());
  dynamics_.attach(this);
}

void Contacts::place_with_joints(double t, const double* y) {
  dynamics_.place(t, y);
  if (system_.rows == 0) return;
  dynamics_.linearise();
  dynamics_.factor();
}

void Contacts::collect_closed() {
  closed_.clear();
  for (std::size_t i = 0; i < state_.size(); ++i)
    if (state_[i] != State::open) closed_.push_back(static_cast<int>(i));
  closed_direction_.resize(closed_.size());
}

// The rows of the closed contacts at the placed state, with the tangents along their slip.
void Contacts::build_closed() {
  const double still = speed_tolerance(dynamics_.placement().q);
  closed_mode_.resize(closed_.size());
  for (std::size_t k = 0; k < closed_.size(); ++k) {
    const int c = closed_[k];
    closed_mode_[k] = {state_[c], candidates_.law(candidates_.list()[c]).friction};
    closed_direction_[k] = Vec3::Zero();
    if (state_[c] == State::stick) continue;
    closed_direction_[k] = direction_[c];
    if (state_[c] == State::straight) continue;
    const Vec3 u = tangential(candidates_.look(dynamics_.placement(), candidates_.list()[c]));
    if (u.norm() > still) closed_direction_[k] = u;
  }
  rows_.build(candidates_, closed_, closed_direction_);
}

// A normal force brings its friction along where the contact slips.
void Contacts::solve_modes(const std::vector<Mode>& modes, const std::vector<double>& b) {
  unknown_.clear();
  for (std::size_t k = 0; k < modes.size(); ++k) {
    const int row = 3 * static_cast<int>(k);
    if (modes[k].state != State::open) unknown_.push_back(row);
    if (modes[k].state == State::stick) unknown_.push_back(row + 1);
    if (modes[k].state == State::stick || modes[k].state == State::straight) unknown_.push_back(row + 2);
  }
  const int n = static_cast<int>(unknown_.size());
  matrix_.resize(static_cast<std::size_t>(n) * n);
  right_.resize(n);
  x_.resize(n);
  for (int j = 0; j < n; ++j) {
    const int column = unknown_[j];
    const Mode& mode = modes[column / 3];
    const bool rubs = column % 3 == 0 && mode.state != State::stick && mode.friction > 0;
    for (int i = 0; i < n; ++i) {
      double& a = matrix_[static_cast<std::size_t>(i) * n + j];
      a = rows_.entry(unknown_[i], column);
      if (rubs)
        a -= mode.friction * (mode.slip[0] * rows_.entry(unknown_[i], column + 1) +
                              mode.slip[1] * rows_.entry(unknown_[i], column + 2));
    }
    right_[j] = -b[column];
  }
  solve_least_norm(n, matrix_.data(), right_.data(), x_.data());
  p_.assign(3 * modes.size(), 0.0);
  for (int j = 0; j < n; ++j) {
    const int row = unknown_[j];
    const Mode& mode = modes[row / 3];
    p_[row] += x_[j];
    if (row % 3 == 0 && mode.state != State::stick)
      for (int i = 0; i < 2; ++i) p_[row + 1 + i] -= mode.friction * mode.slip[i] * x_[j];
  }
}

double Contacts::act(double* a, double* lambda) {
  std::ranges::fill(forces_, 0.0);
  if (closed_.empty()) return 0;
  build_closed();
  b_.resize(3 * closed_.size());
  for (std::size_t i = 0; i < b_.size(); ++i) b_[i] = rows_.acceleration(static_cast<int>(i), a);
  solve_modes(closed_mode_, b_);
  double rubbed = 0;
  for (std::size_t row = 0; row < p_.size(); ++row) {
    const int r = static_cast<int>(row);
    if (p_[row] == 0) continue;
    rows_.push(r, p_[row], a);
    rows_.push_joints(r, p_[row], lambda);
    const int contact = candidates_.list()[closed_[row / 3]].contact;
    kernel::add_scaled(forces_.data() + 3 * contact, p_[row], rows_.axis(r / 3, r % 3));
    if (r % 3 > 0) rubbed -= p_[row] * rows_.speed(r);
  }
  return rubbed;
}

void Contacts::settle(double t, double* y) {
  if (closed_.empty()) return;
  // Positions only along the normals, velocities also along the tangents of what sticks; friction has no say here.
  std::vector<Mode>& modes = settling_;
  const double target = 1e-15 * (1 + largest(y, system_.nq));
  for (int pass = 0; pass < 4; ++pass) {
    place_with_joints(t, y);
    build_closed();
    modes = closed_mode_;
    b_.assign(3 * closed_.size(), 0.0);
    double worst = 0;
    for (std::size_t k = 0; k < closed_.size(); ++k) {
      modes[k] = {State::slip, 0, {1, 0}};
      b_[3 * k] = rows_.touch(static_cast<int>(k)).gap;
      worst = std::max(worst, std::abs(b_[3 * k]));
    }
    if (!(worst > target)) break;
    solve_modes(modes, b_);
    std::ranges::fill(move_, 0.0);
    for (std::size_t k = 0; k < closed_.size(); ++k) rows_.push(3 * static_cast<int>(k), p_[3 * k], move_.data());
    displace(system_, move_.data(), y);
    if (system_.rows > 0) projection_.apply(t, y);
  }
  place_with_joints(t, y);
  build_closed();
  modes = closed_mode_;
  for (Mode& m : modes) m.friction = 0;
  for (std::size_t i = 0; i < b_.size(); ++i) b_[i] = rows_.speed(static_cast<int>(i));
  solve_modes(modes, b_);
  for (std::size_t i = 0; i < p_.size(); ++i) rows_.push(static_cast<int>(i), p_[i], y + system_.nq);
}

std::vector<int> Contacts::touching(const double* y) {
  std::vector<int> list;
  const double close = gap_tolerance(y);
  const Placement& at = dynamics_.placement();
  look_around(at);
  for (int i = 0; i < size(); ++i) {
    const Candidate& c = candidates_.list()[i];
    const bool near = !is_apart(i, close) && candidates_.gap(at, c) <= close && candidates_.slid_off_by(at, i) == 0;
    if (is_closed(i) || near) list.push_back(i);
  }
  // Of the patches they form only the corners.
  inside_.clear();
  corners_ = list;
  if (list.size() < 2) return list;
  std::vector<const Candidate*> candidates;
  std::vector<Touch> touches;
  for (int i : list) {
    candidates.push_back(&candidates_.list()[i]);
    touches.push_back(candidates_.look(at, *candidates.back()));
  }
  const std::vector<int> inside = inside_patches(candidates, touches);
  for (auto place = inside.rbegin(); place != inside.rend(); ++place) {
    inside_.push_back(list[*place]);
    list.erase(list.begin() + *place);
  }
  corners_ = list;
  return list;
}

bool Contacts::modes_at(double t, const double* y, std::vector<State>& state, std::vector<Vec3>& direction) {
  rates_without_contacts(t, y);
  const double* const a = rate_.data() + system_.nq;
  const double still = speed_tolerance(y);
  std::vector<int> list;
  std::vector<Vec3> slips;
  for (int i : touching(y)) {
    const Touch touch = candidates_.look(dynamics_.placement(), candidates_.list()[i]);
    if (vec(touch.normal).dot(vec(touch.velocity)) > 10 * still) continue;  // leaving
    const Vec3 u = tangential(touch);
    list.push_back(i);
    slips.push_back(u.norm() > still ? u : Vec3::Zero());
  }
  std::ranges::fill(state, State::open);
  if (list.empty()) return true;
  if (3 * list.size() > max_rows) return false;
  rows_.build(candidates_, list, slips);
  std::vector<double> b(3 * list.size()), after;
  std::vector<Mode> modes(list.size());
  for (std::size_t k = 0; k < list.size(); ++k) {
    modes[k].friction = candidates_.law(candidates_.list()[list[k]]).friction;
    modes[k].state = slips[k].isZero(0) && modes[k].friction > 0 ? State::stick : State::slip;
  }
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = rows_.acceleration(static_cast<int>(i), a);
  if (!find_modes(modes, b)) return false;
  accelerations_after(b, after);
  double small = 1e-9 * (1 + largest(b.data(), static_cast<int>(b.size())));
  const auto starts = [&](std::size_t k) {
    return slips[k].isZero(0) && modes[k].friction > 0 && modes[k].state != State::open &&
           std::hypot(after[3 * k + 1], after[3 * k + 2]) > small;
  };
  bool any_starts = false;
  for (std::size_t k = 0; k < list.size(); ++k) any_starts = any_starts || starts(k);
  // Each along its own acceleration: found. Otherwise the cones decide.
  bool consistent = true;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const double along = after[3 * k + 1] * modes[k].slip[0] + after[3 * k + 2] * modes[k].slip[1];
    if (starts(k)) consistent = consistent && along > (1 - 1e-12) * std::hypot(after[3 * k + 1], after[3 * k + 2]);
  }
  if (any_starts && !consistent) {
    // Where and how much it slips, by the cones; what is slower than they are exact sticks.
    std::vector<double> mu;
    const double forward[2] = {1, 0};
    ConeProblem problem{static_cast<int>(list.size()), rows_.matrix(), b.data(), nullptr};
    for (std::size_t k = 0; k < list.size(); ++k) {
      mu.push_back(modes[k].friction);
      problem.slip.push_back(slips[k].isZero(0) ? nullptr : forward);
    }
    problem.mu = mu.data();
    const ConeSolution solution = solve_cones(problem, p_.data(), 1e-12, 3000);
    if (!solution.converged && solution.change > 1e-3) return false;
    accelerations_after(b, after);
    small = std::max(small, 1e3 * solution.change * (1 + largest(b.data(), static_cast<int>(b.size()))));
    for (std::size_t k = 0; k < list.size(); ++k) modes[k].state = p_[3 * k] > 0 ? State::slip : State::open;
  }
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (modes[k].state == State::open) continue;
    const int c = list[k], row = static_cast<int>(k);
    const bool moving = !slips[k].isZero(0);
    state[c] = moving || starts(k) || modes[k].friction == 0 ? State::slip : State::stick;
    direction[c] = moving
                       ? slips[k]
                       : Vec3(vec(rows_.axis(row, 1)) * after[3 * k + 1] + vec(rows_.axis(row, 2)) * after[3 * k + 2]);
    if (direction[c].norm() > 0) direction[c].normalize();
  }
  straighten(list, state, direction);
  return true;
}

void Contacts::straighten(const std::vector<int>& list, std::vector<State>& state, const std::vector<Vec3>& direction) {
  std::vector<int> closed;
  std::vector<Vec3> along;
  std::vector<Mode> modes;
  for (int c : list) {
    if (state[c] == State::open) continue;
    const double friction = candidates_.law(candidates_.list()[c]).friction;
    closed.push_back(c);
    along.push_back(state[c] == State::stick ? Vec3::Zero() : direction[c]);
    modes.push_back({state[c] == State::slip && friction > 0 ? State::straight : state[c], friction});
  }
  if (std::ranges::none_of(modes, [](const Mode& m) { return m.state == State::straight; })) return;
  rows_.build(candidates_, closed, along);
  std::vector<double> b(3 * closed.size());
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = rows_.acceleration(static_cast<int>(i), rate_.data() + system_.nq);
  solve_modes(modes, b);
  for (std::size_t k = 0; k < closed.size(); ++k)
    if (modes[k].state == State::straight && !(std::abs(p_[3 * k + 2]) <= sideways * modes[k].friction * p_[3 * k]))
      return;
  for (std::size_t k = 0; k < closed.size(); ++k) state[closed[k]] = modes[k].state;
}

void Contacts::accelerations_after(const std::vector<double>& b, std::vector<double>& after) const {
  after = b;
  for (std::size_t i = 0; i < b.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j)
      after[i] += rows_.entry(static_cast<int>(i), static_cast<int>(j)) * p_[j];
}

// From contacts that all stick, or slip as they move already: those that would pull are opened, those that hold more
// than their cone give way, one after the other, until nothing contradicts. Redundant contacts share what is asked of
// them: if one gives way the others take over, and only when none is left does the body move.
bool Contacts::find_modes(std::vector<Mode>& modes, const std::vector<double>& b) {
  std::vector<double> after, asked;  // of each contact while all stick: in this direction it gives way
  std::vector<bool> reopened(modes.size()), gave_way(modes.size());
  for (std::size_t round = 0; round < 20 * modes.size() + 20; ++round) {
    solve_modes(modes, b);
    if (asked.empty()) asked = p_;
    const double weak = 1e-11 * (1 + largest(p_.data(), static_cast<int>(p_.size())));
    int worst = -1;
    double excess = weak;
    for (std::size_t k = 0; k < modes.size(); ++k)
      if (modes[k].state != State::open && -p_[3 * k] > excess) excess = -p_[3 * k], worst = static_cast<int>(k);
    if (worst >= 0) {
      modes[worst].state = State::open;
      continue;
    }
    for (std::size_t k = 0; k < modes.size(); ++k) {
      const double over = std::hypot(p_[3 * k + 1], p_[3 * k + 2]) - modes[k].friction * p_[3 * k];
      if (modes[k].state == State::stick && over > excess) excess = over, worst = static_cast<int>(k);
    }
    if (worst >= 0) {
      const double* p = asked.data() + 3 * worst;
      if (std::hypot(p[1], p[2]) <= weak) p = p_.data() + 3 * worst;
      const double size = std::hypot(p[1], p[2]);
      modes[worst].state = State::slip;
      modes[worst].slip[0] = -p[1] / size;
      modes[worst].slip[1] = -p[2] / size;
      gave_way[worst] = true;
      continue;
    }
    accelerations_after(b, after);
    const double small = 1e-10 * (1 + largest(b.data(), static_cast<int>(b.size())));
    bool changed = false;
    for (std::size_t k = 0; k < modes.size(); ++k) {
      if (modes[k].state == State::open && after[3 * k] < -small && !reopened[k]) {
        modes[k].state = modes[k].friction > 0 && !gave_way[k] ? State::stick : State::slip;
        reopened[k] = changed = true;
      }
    }
    if (!changed) return true;
  }
  return false;
}

bool Contacts::decide(double t, const double* y) {
  dynamics_.place(t, y);
  for (int c : closed_)
    if (candidates_.slid_off_by(dynamics_.placement(), c) > gap_tolerance(y)) {
      state_[c] = State::open;
      candidates_.hold(dynamics_.placement(), c, false);
    }
  const bool solved = modes_at(t, y, state_, direction_);
  collect_closed();
  std::ranges::fill(covered_, std::uint8_t{0});
  for (int i : inside_) covered_[i] = is_held(i);
  dynamics_.place(t, y);
  for (int i = 0; i < size(); ++i) candidates_.hold(dynamics_.placement(), i, is_closed(i));
  return solved;
}

// Whether all corners of the patch a candidate lies in are closed: then it cannot move on its own.
bool Contacts::is_held(int candidate) const {
  const Candidate& c = candidates_.list()[candidate];
  return std::ranges::all_of(corners_, [&](int i) {
    const Candidate& other = candidates_.list()[i];
    const bool together = other.contact == c.contact && other.from.body == c.from.body && other.to.body == c.to.body;
    return !together || is_closed(i);
  });
}

double Contacts::margin(double t, const double* y) {
  dynamics_.derivative(t, y, {}, rate_.data());
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < closed_.size(); ++k) {
    const int c = closed_[k];
    const double mu = candidates_.law(candidates_.list()[c]).friction;
    least = std::min(least, p_[3 * k]);
    if (state_[c] == State::stick) least = std::min(least, mu * p_[3 * k] - std::hypot(p_[3 * k + 1], p_[3 * k + 2]));
    if (state_[c] != State::stick && mu > 0)
      least = std::min(least, tangential(rows_.touch(static_cast<int>(k))).dot(direction_[c]));
  }
  return least;
}

bool Contacts::holds(double t, const double* y) {
  if (closed_.empty()) return true;
  dynamics_.place(t, y);
  for (int c : closed_)
    if (candidates_.slid_off_by(dynamics_.placement(), c) > 2 * gap_tolerance(y)) return false;
  dynamics_.derivative(t, y, {}, rate_.data());
  const double still = speed_tolerance(y), weak = 1e-11 * (1 + largest(p_.data(), static_cast<int>(p_.size())));
  bool surely = true;
  for (std::size_t k = 0; k < closed_.size(); ++k) {
    const int c = closed_[k];
    const double mu = candidates_.law(candidates_.list()[c]).friction;
    if (p_[3 * k] < -weak) surely = false;
    if (state_[c] == State::stick && std::hypot(p_[3 * k + 1], p_[3 * k + 2]) > mu * p_[3 * k] + weak) surely = false;
    if (state_[c] == State::straight && std::abs(p_[3 * k + 2]) > 2 * sideways * mu * p_[3 * k]) return false;
    if (state_[c] != State::stick && mu > 0) {
      const Vec3 u = tangential(rows_.touch(static_cast<int>(k)));
      // Well before it counts as moving the other way: then it is found at rest, and sticks if it can.
      if (u.dot(direction_[c]) < -0.1 * still) return false;
    }
  }
  if (surely) return true;
  std::vector<State> state = state_;
  std::vector<Vec3> direction = direction_;
  modes_at(t, y, state, direction);
  return state == state_;
}

Impact Contacts::entry(int k, int candidate, double t, const std::vector<double>& before,
                       const std::vector<double>& after, const std::vector<double>& p) const {
  const Candidate& c = candidates_.list()[candidate];
  const Touch& touch = rows_.touch(k);
  const auto across = [&](const std::vector<double>& x) {
    return Vec3(vec(rows_.axis(k, 1)) * x[3 * k + 1] + vec(rows_.axis(k, 2)) * x[3 * k + 2]);
  };
  Impact e;
  e.contact = c.contact;
  e.from = c.from.body;
  e.to = c.to.body;
  e.time = t;
  e.is_angular = c.kind == Candidate::Kind::angle;
  e.point = vec(touch.point);
  e.normal = vec(touch.normal);
  e.normal_before = before[3 * k];
  e.normal_after = after[3 * k];
  e.tangential_before = across(before);
  e.tangential_after = across(after);
  e.normal_impulse = p[3 * k];
  e.tangential_impulse = across(p);
  for (int i = 0; i < 3; ++i) e.energy_lost -= 0.5 * p[3 * k + i] * (before[3 * k + i] + after[3 * k + i]);
  return e;
}

// v += P Cᵀ p, and the loss into the account; as work what driven joints do by bearing the blow: -g_t.lambda.
void Contacts::apply(const std::vector<double>& p, double lost, double* y) const {
  std::vector<double> lambda(system_.rows), g_t(system_.rows);
  for (std::size_t row = 0; row < p.size(); ++row) {
    if (p[row] == 0) continue;
    rows_.push(static_cast<int>(row), p[row], y + system_.nq);
    rows_.push_joints(static_cast<int>(row), p[row], lambda.data());
  }
  double* const account = y + system_.nq + system_.nv;
  account[1] += lost;
  if (!system_.is_driven) return;
  dynamics_.constraints().drive(g_t.data());
  for (int r = 0; r < system_.rows; ++r) account[0] -= g_t[r] * lambda[r];
}

ImpactReport Contacts::strike(double t, double* y) {
  ImpactReport report;
  place_with_joints(t, y);
  const std::vector<int> list = touching(y);
  if (list.empty()) return report;
  rows_.build(candidates_, list, std::vector<Vec3>(list.size(), Vec3::Zero()));
  const std::size_t n = 3 * list.size();
  std::vector<double> before(n), after(n), p;
  bool approaching = false;
  for (std::size_t i = 0; i < n; ++i) before[i] = rows_.speed(static_cast<int>(i));
  for (std::size_t k = 0; k < list.size(); ++k) approaching = approaching || before[3 * k] < -speed_tolerance(y);
  if (!approaching) return report;

  std::vector<ImpactLaw> laws;
  for (int i : list) {
    const Contact& c = candidates_.law(candidates_.list()[i]);
    laws.push_back({c.restitution, c.friction, c.law});
  }
  const ConeSolution solution = solve_impact(rows_, laws, before, p);
  const double energy_before = dynamics_.energy(y).total();
  double lost = 0;
  for (std::size_t i = 0; i < n; ++i) {
    after[i] = before[i];
    for (std::size_t j = 0; j < n; ++j) after[i] += rows_.entry(static_cast<int>(i), static_cast<int>(j)) * p[j];
    lost -= 0.5 * p[i] * (before[i] + after[i]);
  }
  if (!solution.is_usable() || lost < -1e-12 * (1 + std::abs(energy_before))) {
    report.solved = false;
    report.worst_contact = candidates_.list()[list[0]].contact;
    report.fault = solution.is_usable()
                       ? fmt::format("the impact would add {:.3g} J", -lost)
                       : fmt::format("no impulses were found in {} sweeps; they still change by {:.1g} of their size",
                                     solution.sweeps, solution.change);
    return report;
  }
  for (std::size_t k = 0; k < list.size(); ++k)
    if (p[3 * k] > 0) report.impacts.push_back(entry(static_cast<int>(k), list[k], t, before, after, p));
  apply(p, lost, y);
  end_bounces(t, y, list, report.impacts);
  dynamics_.place(t, y);
  const double energy_after = dynamics_.energy(y).total();
  for (Impact& i : report.impacts) i.energy_before = energy_before, i.energy_after = energy_after;
  return report;
}

// A contact that parts with u and is pulled back by a rises by u²/2a. Where that is below what the gap can resolve,
// the bounces still to come (they last 2u/a, e 2u/a, e² 2u/a, …) are summed up and the contact comes to rest now.
void Contacts::end_bounces(double t, double* y, const std::vector<int>& list, std::vector<Impact>& impacts) {
  rates_without_contacts(t, y);
  rows_.build(candidates_, list, std::vector<Vec3>(list.size(), Vec3::Zero()));
  const double* const a = rate_.data() + system_.nq;
  const std::size_t n = 3 * list.size();
  std::vector<double> before(n);
  std::vector<int> ending;
  for (std::size_t i = 0; i < n; ++i) before[i] = rows_.speed(static_cast<int>(i));
  for (std::size_t k = 0; k < list.size(); ++k) {
    const double u = before[3 * k], pull = -rows_.acceleration(static_cast<int>(3 * k), a);
    const bool ends = u > 0 && pull > 0 && u * u / (2 * pull) < 0.1 * gap_tolerance(y);
    if (!ends) continue;
    ending.push_back(static_cast<int>(k));
    const Contact& contact = candidates_.law(candidates_.list()[list[k]]);
    const int index = candidates_.list()[list[k]].contact;
    const double rest = contact.restitution < 1 ? t + 2 * u / (pull * (1 - contact.restitution)) : t;
    for (Impact& i : impacts)
      if (i.contact == index && i.to == candidates_.list()[list[k]].to.body) i.at_rest_from = rest;
  }
  if (ending.empty()) return;
  const std::size_t m = ending.size();
  matrix_.resize(m * m);
  right_.resize(m);
  x_.resize(m);
  for (std::size_t i = 0; i < m; ++i) {
    right_[i] = -before[3 * ending[i]];
    for (std::size_t j = 0; j < m; ++j) matrix_[i * m + j] = rows_.entry(3 * ending[i], 3 * ending[j]);
  }
  solve_least_norm(static_cast<int>(m), matrix_.data(), right_.data(), x_.data());
  const double energy = dynamics_.energy(y).total();
  for (std::size_t i = 0; i < m; ++i) rows_.push(3 * ending[i], x_[i], y + system_.nq);
  dynamics_.place(t, y);
  y[system_.nq + system_.nv + 1] += energy - dynamics_.energy(y).total();
}

}  // namespace plumb
