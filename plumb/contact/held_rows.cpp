#include "plumb/contact/held_rows.h"

#include <algorithm>
#include <cmath>

#include "plumb/contact/tolerances.h"

namespace plumb {
namespace {

Vec3 vec(const double* x) { return {x[0], x[1], x[2]}; }

}  // namespace

void HeldRows::build(const std::vector<ClosedContact>& closed, double still) {
  const std::size_t n = closed.size();
  places_.resize(n);
  touches_.resize(n);
  directions_.resize(n);
  friction_.resize(n);
  grips_.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    const ClosedContact& c = closed[k];
    places_[k] = c.place;
    touches_[k] = touch(scene_, rows_.placement(), c.place);
    friction_[k] = scene_.laws()[c.place.contact].friction;
    grips_[k] = c.grip;
    const Vec3 normal = vec(touches_[k].normal), velocity = vec(touches_[k].velocity);
    // What sticks together shares its tangents.
    const bool sticks = c.grip == Grip::stick;
    const bool follows = k > 0 && sticks && grips_[k - 1] == Grip::stick && c.place.pair == closed[k - 1].place.pair;
    directions_[k] = follows ? directions_[k - 1] : complete_frame(normal).first;
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

void HeldRows::find_patches(const std::vector<ClosedContact>& closed) {
  const int n = static_cast<int>(closed.size());
  patches_.clear();
  x_.resize(closed.size());
  y_.resize(closed.size());
  for (int i = 0; i < n;) {
    int j = i + 1;
    const auto belongs = [&](int k) {
      const ContactPlace &p = closed[i].place, &q = closed[k].place;
      return p.limit < 0 && q.limit < 0 && p.pair == q.pair && p.from == q.from && p.to == q.to &&
             p.contact == q.contact && grips_[i] == grips_[k] &&
             vec(rows_.axis(i, 0)).dot(vec(rows_.axis(k, 0))) > 1 - tolerance::same_normal;
    };
    while (j < n && belongs(j)) ++j;
    Patch p{i, j - i, grips_[i], 0, 0, 0, 1};
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
    patches_.push_back(p);
    i = j;
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

void HeldRows::begin_column() {
  trial_begin_.push_back(static_cast<int>(trial_.size()));
  test_begin_.push_back(static_cast<int>(test_.size()));
}

void HeldRows::add_normals(const Patch& p, bool with_friction) {
  const auto put = [&](int k, double share) {
    if (share == 0) return;
    test_.push_back({3 * k, share});
    trial_.push_back({3 * k, share});
    if (with_friction && p.grip != Grip::stick && friction_[k] > 0)
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

void HeldRows::add_tangents(const Patch& p) {
  const auto put = [&](int row, double share) {
    if (share == 0) return;
    test_.push_back({row, share});
    trial_.push_back({row, share});
  };
  for (int i = 1; i < 3; ++i) {
    begin_column();
    for (int k = p.first; k < p.first + p.count; ++k) put(3 * k + i, 1);
  }
  if (p.count < 2) return;
  begin_column();
  for (int k = p.first; k < p.first + p.count; ++k) {
    put(3 * k + 1, -y_[k] / p.size);
    put(3 * k + 2, x_[k] / p.size);
  }
}

void HeldRows::add_sideways(const Patch& p) {
  for (int k = p.first; k < p.first + p.count; ++k) {
    begin_column();
    test_.push_back({3 * k + 2, 1});
    trial_.push_back({3 * k + 2, 1});
  }
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
  const int n = rows_.contacts();
  forward_.assign(static_cast<std::size_t>(n), 1.0);
  const bool creeps = std::ranges::any_of(grips_, [](Grip g) { return g == Grip::creep; });
  // What creeps is rubbed with mu p_n in all: how much of it against the slip follows from what it takes sideways.
  for (int round = 0; round < 8; ++round) {
    solve_once(level, b, p);
    if (!creeps || level != Level::forces) return;
    double change = 0;
    for (int k = 0; k < n; ++k) {
      if (grips_[k] != Grip::creep) continue;
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
  for (const Patch& patch : patches_) {
    add_normals(patch, level == Level::forces);
    if (level == Level::positions) continue;
    if (patch.grip == Grip::stick) add_tangents(patch);
    if (patch.grip == Grip::creep) add_sideways(patch);
  }
  begin_column();
  const int m = static_cast<int>(trial_begin_.size()) - 1;
  assemble();
  right_.resize(static_cast<std::size_t>(m));
  z_.resize(static_cast<std::size_t>(m));
  for (int i = 0; i < m; ++i) {
    right_[i] = 0;
    for (int e = test_begin_[i]; e < test_begin_[i + 1]; ++e) right_[i] -= test_[e].value * b[test_[e].row];
  }
  elimination_.factor(m, A_.data());
  elimination_.solve(right_.data(), z_.data());
  std::fill_n(p, n, 0.0);
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
    if (patch.grip == Grip::stick) add_tangents(patch);
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
