#include "plumb/contact/held_rows.h"

#include <algorithm>
#include <cmath>

#include "plumb/contact/tolerances.h"

namespace plumb {
namespace {

Vec3 vec(const double* x) { return {x[0], x[1], x[2]}; }

}  // namespace

void HeldRows::build(std::span<const ClosedContact> closed, double still) {
  const std::size_t n = closed.size();
  places_.resize(n);
  touches_.resize(n);
  directions_.resize(n);
  friction_.resize(n);
  grips_.resize(n);
  senses_.resize(n);
  int last_stuck = -1;
  for (std::size_t k = 0; k < n; ++k) {
    const ClosedContact& c = closed[k];
    places_[k] = c.place;
    touches_[k] = touch(scene_, rows_.placement(), c.place);
    friction_[k] = scene_.laws()[c.place.contact].friction;
    grips_[k] = c.grip;
    senses_[k] = c.sense;
    const Vec3 normal = vec(touches_[k].normal), velocity = vec(touches_[k].velocity);
    // What sticks together shares its tangents.
    const bool sticks = c.grip == Grip::stick;
    const bool follows = sticks && last_stuck >= 0 && c.place.pair == closed[last_stuck].place.pair;
    directions_[k] = follows ? directions_[last_stuck] : complete_frame(normal).first;
    if (sticks) last_stuck = static_cast<int>(k);
    if (sticks || friction_[k] == 0) continue;
    // Against its own velocity. Where that has just turned back the friction of before goes on, smoothly: the step ends
    // there, at the instant at which the contact is at rest.
    directions_[k] = c.direction;
    if (c.grip == Grip::creep) continue;
    const Vec3 u = velocity - normal * normal.dot(velocity);
    if (u.norm() > still) directions_[k] = u.dot(c.direction) < 0 ? Vec3(-u) : u;
  }
  rows_.build(places_, touches_, directions_);
  find_patches(closed);
}

void HeldRows::find_patches(std::span<const ClosedContact> closed) {
  const int n = static_cast<int>(closed.size());
  patches_.clear();
  x_.resize(closed.size());
  y_.resize(closed.size());
  for (int i = 0; i < n;) {
    int j = i + 1;
    const auto belongs = [&](int k) {
      const ContactPlace &p = closed[i].place, &q = closed[k].place;
      return p.is_between_solids() && q.is_between_solids() && p.pair == q.pair && p.from == q.from && p.to == q.to &&
             p.contact == q.contact && vec(rows_.axis(i, 0)).dot(vec(rows_.axis(k, 0))) > 1 - tolerance::same_normal;
    };
    while (j < n && belongs(j)) ++j;
    Patch p{i, j - i, 0, 0, 0, 1};
    const Complement across = complete_frame(vec(rows_.axis(i, 0)));
    const Vec3 origin = vec(rows_.touch(i).point);
    for (int k = i; k < j; ++k) {
      const Vec3 d = vec(rows_.touch(k).point) - origin;
      x_[k] = across.first.dot(d);
      y_[k] = across.second.dot(d);
      p.x0 += x_[k] / p.count;
      p.y0 += y_[k] / p.count;
    }
    double xx = 0, xy = 0, yy = 0;
    for (int k = i; k < j; ++k) {
      x_[k] -= p.x0;
      y_[k] -= p.y0;
      xx += x_[k] * x_[k];
      xy += x_[k] * y_[k];
      yy += y_[k] * y_[k];
    }
    const double trace = xx + yy, least = trace / 2 - std::hypot((xx - yy) / 2, xy);
    p.size = std::sqrt(trace / p.count);
    // Square extents along the principal directions of the places.
    p.shape = !(trace > 0) ? 1 : least > tolerance::thin * trace ? 3 : 2;
    if (p.shape == 2) {
      // Along the line alone.
      const double angle = 0.5 * std::atan2(2 * xy, xx - yy), cx = std::cos(angle), cy = std::sin(angle);
      p.line_x = cx;
      p.line_y = cy;
    }
    for (int k = i; k < j; ++k) p.creeping += grips_[k] == Grip::creep;
    if (p.creeping > 1) p.motion = motion_of(p, closed);
    patches_.push_back(p);
    i = j;
  }
}

// A rigid motion in the plane of a patch, at corner k.
Vec3 HeldRows::field(const Patch& p, const Vec3& m, int k) const {
  const Complement across = complete_frame(vec(rows_.axis(p.first, 0)));
  return (m[0] - m[2] * y_[k] / p.size) * across.first + (m[1] + m[2] * x_[k] / p.size) * across.second;
}

// The rigid motion nearest to the directions of the corners that creep.
Vec3 HeldRows::motion_of(const Patch& p, std::span<const ClosedContact> closed) const {
  const Complement across = complete_frame(vec(rows_.axis(p.first, 0)));
  double mx = 0, my = 0, mu = 0, mv = 0, turn = 0, square = 0;
  const auto for_each_creeping = [&](const auto& f) {
    for (int k = p.first; k < p.first + p.count; ++k)
      if (grips_[k] == Grip::creep) f(k, across.first.dot(closed[k].direction), across.second.dot(closed[k].direction));
  };
  for_each_creeping([&](int k, double u, double v) {
    mx += x_[k] / p.creeping;
    my += y_[k] / p.creeping;
    mu += u / p.creeping;
    mv += v / p.creeping;
  });
  for_each_creeping([&](int k, double u, double v) {
    turn += (x_[k] - mx) * (v - mv) - (y_[k] - my) * (u - mu);
    square += (x_[k] - mx) * (x_[k] - mx) + (y_[k] - my) * (y_[k] - my);
  });
  if (square > 0) turn /= square;
  return {mu + turn * my, mv - turn * mx, turn * p.size};
}

void HeldRows::make_rigid(std::span<ClosedContact> closed) const {
  for (const Patch& p : patches_) {
    if (p.creeping < 2) continue;
    const Vec3 motion = motion_of(p, closed);
    double most = 0;
    for (int k = p.first; k < p.first + p.count; ++k)
      if (grips_[k] == Grip::creep) most = std::max(most, field(p, motion, k).norm());
    for (int k = p.first; k < p.first + p.count && most > 0; ++k)
      if (grips_[k] == Grip::creep) closed[k].direction = field(p, motion, k) / most;
  }
}

Vec3 HeldRows::slope(int first, int last, const std::vector<double>& x) const {
  const Complement across = complete_frame(vec(rows_.axis(first, 0)));
  Vec3 middle = Vec3::Zero();
  double mean = 0;
  for (int k = first; k < last; ++k) {
    middle += vec(rows_.touch(k).point) / (last - first);
    mean += x[3 * k] / (last - first);
  }
  double uu = 0, uv = 0, vv = 0, ux = 0, vx = 0;
  for (int k = first; k < last; ++k) {
    const Vec3 d = vec(rows_.touch(k).point) - middle;
    const double u = across.first.dot(d), v = across.second.dot(d);
    uu += u * u;
    uv += u * v;
    vv += v * v;
    ux += u * (x[3 * k] - mean);
    vx += v * (x[3 * k] - mean);
  }
  const double det = uu * vv - uv * uv;
  if (!(det > tolerance::thin * (uu + vv) * (uu + vv))) return Vec3::Zero();
  return (vv * ux - uv * vx) / det * across.first + (uu * vx - uv * ux) / det * across.second;
}

bool HeldRows::has_to_spare(int k) const {
  const auto holds = [k](const Patch& p) { return k >= p.first && k < p.first + p.count; };
  const Patch& patch = *std::ranges::find_if(patches_, holds);
  return patch.count > patch.shape && !places_[k].is_rubbing_joint();
}

void HeldRows::begin_column() {
  trial_begin_.push_back(static_cast<int>(trial_.size()));
  test_begin_.push_back(static_cast<int>(test_.size()));
}

void HeldRows::add_normals(const Patch& p, bool with_friction) {
  const auto put = [&](int k, double share) {
    if (share == 0) return;
    test_.push_back({3 * k, share});
    trial_.push_back({3 * k, share});
    if (with_friction && grips_[k] != Grip::stick && friction_[k] > 0)
      trial_.push_back({3 * k + 1, -friction_[k] * forward_[k] * share});
  };
  if (p.count <= p.shape) {  // each on its own
    for (int k = p.first; k < p.first + p.count; ++k) {
      begin_column();
      put(k, 1);
    }
    return;
  }
  for (int mode = 0; mode < p.shape; ++mode) {
    begin_column();
    for (int k = p.first; k < p.first + p.count; ++k) {
      const double along = p.shape == 2 ? p.line_x * x_[k] + p.line_y * y_[k] : mode == 1 ? x_[k] : y_[k];
      put(k, mode == 0 ? 1 : along / p.size);
    }
  }
}

// Of the corners that stick: one is held where it is, more of them move like a rigid body in the plane.
void HeldRows::add_tangents(const Patch& p) {
  const auto put = [&](int row, double share) {
    if (share == 0) return;
    test_.push_back({row, share});
    trial_.push_back({row, share});
  };
  const auto for_each_stuck = [&](const auto& f) {
    for (int k = p.first; k < p.first + p.count; ++k)
      if (grips_[k] == Grip::stick) f(k);
  };
  int stuck = 0;
  Vec3 middle = Vec3::Zero();
  for_each_stuck([&](int k) {
    ++stuck;
    middle += vec(rows_.touch(k).point);
  });
  if (stuck == 0) return;
  for (int i = 1; i < 3; ++i) {
    begin_column();
    for_each_stuck([&](int k) { put(3 * k + i, 1); });
  }
  middle /= stuck;
  double square = 0;
  for_each_stuck([&](int k) { square += (vec(rows_.touch(k).point) - middle).squaredNorm(); });
  if (stuck == 1 || !(square > 0)) return;
  const double size = std::sqrt(square / stuck);
  begin_column();
  for_each_stuck([&](int k) {
    const Vec3 d = (vec(rows_.touch(k).point) - middle) / size;
    put(3 * k + 1, -vec(rows_.axis(k, 2)).dot(d));
    put(3 * k + 2, vec(rows_.axis(k, 1)).dot(d));
  });
}

// One corner is held across its direction. Corners that creep together move along one rigid motion m and are held
// against the two others: with F(n) the field of the motion n, sum over corners of F(n).a = 0 for the n for which that
// of m is.
void HeldRows::add_sideways(const Patch& p) {
  if (p.creeping == 0) return;
  const auto put = [&](int row, double share) {
    if (share == 0) return;
    test_.push_back({row, share});
    trial_.push_back({row, share});
  };
  if (p.creeping == 1) {
    for (int k = p.first; k < p.first + p.count; ++k) {
      if (grips_[k] != Grip::creep) continue;
      begin_column();
      put(3 * k + 2, 1);
    }
    return;
  }
  Vec3 along = Vec3::Zero();
  for (int k = p.first; k < p.first + p.count; ++k) {
    if (grips_[k] != Grip::creep) continue;
    for (int i = 0; i < 3; ++i) along[i] += field(p, Vec3::Unit(i), k).dot(field(p, p.motion, k));
  }
  const Complement others = complete_frame(along.normalized());
  for (const Vec3& n : {others.first, others.second}) {
    begin_column();
    for (int k = p.first; k < p.first + p.count; ++k) {
      if (grips_[k] != Grip::creep) continue;
      const Vec3 f = field(p, n, k);
      for (int i = 1; i < 3; ++i) put(3 * k + i, vec(rows_.axis(k, i)).dot(f));
    }
  }
}

void HeldRows::add_stuck_joint(int k) {
  if (grips_[k] != Grip::stick) return;
  begin_column();
  test_.push_back({3 * k, 1});
  trial_.push_back({3 * k, 1});
}

// A = Lᵀ D Q
void HeldRows::assemble() {
  const int n = rows_.size(), m = static_cast<int>(trial_begin_.size()) - 1;
  DQ_.assign(static_cast<std::size_t>(n) * m, 0.0);
  for (int j = 0; j < m; ++j)
    for (int e = trial_begin_[j]; e < trial_begin_[j + 1]; ++e) {
      const double* const column = rows_.matrix() + static_cast<std::size_t>(trial_[e].row) * n;  // D is symmetric
      for (int i = 0; i < n; ++i) DQ_[static_cast<std::size_t>(j) * n + i] += trial_[e].value * column[i];
    }
  A_.resize(static_cast<std::size_t>(m) * m);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) {
      double sum = 0;
      for (int e = test_begin_[i]; e < test_begin_[i + 1]; ++e)
        sum += test_[e].value * DQ_[static_cast<std::size_t>(j) * n + test_[e].row];
      A_[static_cast<std::size_t>(i) * m + j] = sum;
    }
}

void HeldRows::solve(Level level, const double* b, double* p) {
  forward_.assign(grips_.size(), 1.0);
  const bool creeps = std::ranges::any_of(grips_, [](Grip g) { return g == Grip::creep; });
  // What creeps is rubbed with mu p_n in all: how much of it against the slip follows from what it takes sideways.
  for (int round = 0; round < 8; ++round) {
    solve_once(level, b, p);
    if (!creeps || level != Level::forces) return;
    double change = 0;
    for (const Patch& patch : patches_) {
      if (patch.creeping != 1) continue;
      const auto creeping =
          std::find(grips_.begin() + patch.first, grips_.begin() + patch.first + patch.count, Grip::creep);
      const int k = static_cast<int>(creeping - grips_.begin());
      const double most = friction_[k] * p[3 * k], sine = most > 0 ? std::min(std::abs(p[3 * k + 2]) / most, 1.0) : 0;
      const double next = std::sqrt(1 - sine * sine);
      change = std::max(change, std::abs(next - forward_[k]));
      forward_[k] = next;
    }
    if (change < 1e-15) return;
  }
}

void HeldRows::solve_once(Level level, const double* b, double* p) {
  const int n = rows_.size();
  trial_.clear();
  test_.clear();
  trial_begin_.clear();
  test_begin_.clear();
  std::fill_n(p, n, 0.0);
  for (const Patch& patch : patches_) {
    if (places_[patch.first].is_rubbing_joint()) {
      if (level != Level::positions) add_stuck_joint(patch.first);
      // What it rubs with is known.
      if (level == Level::forces && grips_[patch.first] != Grip::stick)
        p[3 * patch.first] = -most(patch.first) * senses_[patch.first];
      continue;
    }
    add_normals(patch, level == Level::forces);
    if (level == Level::positions) continue;
    add_tangents(patch);
    add_sideways(patch);
  }
  begin_column();
  const int m = static_cast<int>(trial_begin_.size()) - 1;
  assemble();
  right_.resize(static_cast<std::size_t>(m));
  z_.resize(static_cast<std::size_t>(m));
  least_.assign(static_cast<std::size_t>(m), 0.0);
  for (int i = 0; i < m; ++i) {
    right_[i] = 0;
    // What joints do not let move at all answers with rounding.
    for (int e = test_begin_[i]; e < test_begin_[i + 1]; ++e)
      least_[i] += tolerance::immovable * test_[e].value * test_[e].value * rows_.free_entry(test_[e].row);
    for (int e = test_begin_[i]; e < test_begin_[i + 1]; ++e) {
      double asked = b[test_[e].row];
      for (const Patch& patch : patches_)
        if (const double known = p[3 * patch.first]; known != 0)
          asked += rows_.entry(test_[e].row, 3 * patch.first) * known;
      right_[i] -= test_[e].value * asked;
    }
  }
  elimination_.factor(m, A_.data(), least_.data());
  elimination_.solve(right_.data(), z_.data());
  for (int j = 0; j < m; ++j)
    for (int e = trial_begin_[j]; e < trial_begin_[j + 1]; ++e) p[trial_[e].row] += trial_[e].value * z_[j];
}

// p <- L (LᵀL)⁻¹ Lᵀ p
void HeldRows::spread(double* p) {
  trial_.clear();
  test_.clear();
  trial_begin_.clear();
  test_begin_.clear();
  for (const Patch& patch : patches_) {
    add_normals(patch, false);
    add_tangents(patch);
  }
  begin_column();
  const int m = static_cast<int>(test_begin_.size()) - 1, n = rows_.size();
  right_.assign(static_cast<std::size_t>(m), 0.0);
  z_.resize(static_cast<std::size_t>(m));
  A_.assign(static_cast<std::size_t>(m) * m, 0.0);
  DQ_.assign(static_cast<std::size_t>(n) * m, 0.0);  // L itself
  for (int j = 0; j < m; ++j)
    for (int e = test_begin_[j]; e < test_begin_[j + 1]; ++e) {
      DQ_[static_cast<std::size_t>(j) * n + test_[e].row] = test_[e].value;
      right_[j] += test_[e].value * p[test_[e].row];
    }
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j)
      for (int e = test_begin_[i]; e < test_begin_[i + 1]; ++e)
        A_[static_cast<std::size_t>(i) * m + j] += test_[e].value * DQ_[static_cast<std::size_t>(j) * n + test_[e].row];
  elimination_.factor(m, A_.data());
  elimination_.solve(right_.data(), z_.data());
  std::fill_n(p, n, 0.0);
  for (int j = 0; j < m; ++j)
    for (int e = test_begin_[j]; e < test_begin_[j + 1]; ++e) p[test_[e].row] += test_[e].value * z_[j];
}

}  // namespace plumb
