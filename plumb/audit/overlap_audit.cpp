#include "plumb/audit/overlap_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace plumb {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double looks_for_undeclared = 32;  // at most, over a run
// Deeper than rounding, as a part of a body's size: joints and resting bodies touch.
constexpr double undeclared_part = 1e-6;

// In body coordinates.
ConvexBody occupied(const Body& body) {
  ConvexBody c;
  c.points = {Vec3::Zero()};
  const auto line = [&](double height) { c.points = {Vec3(0, 0, -height / 2), Vec3(0, 0, height / 2)}; };
  if (!body.shape) return c;
  if (const auto* s = std::get_if<Sphere>(&*body.shape)) {
    c.round = s->radius;
  } else if (const auto* p = std::get_if<Capsule>(&*body.shape)) {
    line(p->height);
    c.round = p->radius;
  } else if (const auto* r = std::get_if<Cylinder>(&*body.shape)) {
    line(r->height);
    c.disc = r->radius;
  } else if (const auto* h = std::get_if<Hull>(&*body.shape)) {
    c.points = h->points;
  } else if (const auto* b = std::get_if<Box>(&*body.shape)) {
    c.points.clear();
    for (int i = 0; i < 8; ++i)
      c.points.emplace_back((i & 1 ? 0.5 : -0.5) * b->size[0], (i & 2 ? 0.5 : -0.5) * b->size[1],
                            (i & 4 ? 0.5 : -0.5) * b->size[2]);
  }
  return c;
}

void enclose(ConvexBody& c) {
  c.middle = std::accumulate(c.points.begin(), c.points.end(), Vec3(Vec3::Zero())) / double(c.points.size());
  c.reach = 0;
  for (const Vec3& p : c.points) c.reach = std::max(c.reach, (p - c.middle).norm());
  c.reach = std::hypot(c.reach, c.disc) + c.round;
}

ConvexBody rectangle(const WallSurface& w) {
  const Vec3 n = w.normal.normalized();
  Vec3 along = w.along - n * n.dot(w.along);
  along = along.norm() > 1e-12 * w.along.norm() ? Vec3(along.normalized()) : complete_frame(n).first;
  const Vec3 x = w.width / 2 * along, y = w.height / 2 * n.cross(along);
  ConvexBody c;
  c.points = {w.center + x + y, w.center + x - y, w.center - x - y, w.center - x + y};
  enclose(c);
  return c;
}

}  // namespace

OverlapAudit::OverlapAudit(const Model& model, const std::vector<std::string>& limits, Gauge& gauge, double rows)
    : gauge_(gauge), every_(std::max(1L, std::lround(rows / looks_for_undeclared))) {
  for (const Body& b : model.bodies) watch(b);
  const auto index = [&](const std::string& name) {
    const auto body = std::ranges::find(model.bodies, name, &Body::name);
    return static_cast<int>(body - model.bodies.begin());
  };
  for (const Contact& c : model.contacts) {
    std::vector<int> bodies;
    if (const auto& named = c.between ? c.between : c.bodies)
      std::ranges::transform(*named, std::back_inserter(bodies), index);
    else
      for (std::size_t i = 0; i < model.bodies.size(); ++i) bodies.push_back(static_cast<int>(i));
    if (!c.between) {
      add_surface(c, bodies);
      continue;
    }
    std::vector<char>& group = groups_.emplace_back(model.bodies.size(), char{0});
    for (int b : bodies) group[static_cast<std::size_t>(b)] = 1;
  }
  for (const std::string& name : limits)
    if (const auto gap = gauge.find(name + ".gap")) limits_.push_back({name, *gap});
  order_.resize(watched_.size());
  std::iota(order_.begin(), order_.end(), 0);
}

void OverlapAudit::watch(const Body& body) {
  Watched w{body.name, occupied(body), {}, {}};
  const Vec3 center = mass_properties(body).center;
  for (Vec3& p : w.own.points) p -= center;
  if (!body.shape) w.own.points = {Vec3::Zero()};
  enclose(w.own);
  w.now = w.own;
  for (const char* part : {"x", "y", "z", "qw", "qx", "qy", "qz"})
    if (const auto channel = gauge_.find(body.name + "." + part)) w.place.push_back(*channel);
  watched_.push_back(std::move(w));
}

void OverlapAudit::add_surface(const Contact& contact, const std::vector<int>& bodies) {
  Surface s;
  s.contact = contact.name;
  s.bodies = bodies;
  if (contact.wall) {
    s.wall = rectangle(*contact.wall);
  } else {
    s.is_plane = true;
    s.point = contact.plane->point;
    s.normal = contact.plane->normal.normalized();
  }
  surfaces_.push_back(std::move(s));
}

void OverlapAudit::place(Watched& w) {
  std::array<double, 7> at{0, 0, 0, 1, 0, 0, 0};
  for (std::size_t i = 0; i < w.place.size(); ++i) at[i] = gauge_.value(w.place[i]);
  const Vec3 x(at[0], at[1], at[2]);
  const Mat3 R = Quaternion{at[3], at[4], at[5], at[6]}.matrix();
  for (std::size_t i = 0; i < w.own.points.size(); ++i) w.now.points[i] = x + R * w.own.points[i];
  w.now.axis = R.col(2);
  w.now.middle = x + R * w.own.middle;
}

bool OverlapAudit::is_declared(int a, int b) const {
  return std::ranges::any_of(groups_, [&](const std::vector<char>& g) {
    return g[static_cast<std::size_t>(a)] && g[static_cast<std::size_t>(b)];
  });
}

void OverlapAudit::note(double depth, double size, double t, const std::string& what) {
  if (std::isnan(report_.depth) || !(depth > report_.depth || std::isnan(depth))) return;
  report_.depth = depth;
  report_.time = t;
  report_.part = size > 0 ? depth / size : 0;
  report_.what = what;
}

// Along x: bodies in the order of their nearer ends, each with those that begin before it ends.
void OverlapAudit::look_at_pairs(double t, bool undeclared_too) {
  const auto begin = [&](int i) { return watched_[i].now.middle.x() - watched_[i].now.reach; };
  std::ranges::sort(order_, {}, begin);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const Watched& a = watched_[order_[i]];
    const double end = a.now.middle.x() + a.now.reach;
    for (std::size_t j = i + 1; j < order_.size() && begin(order_[j]) <= end; ++j) {
      const Watched& b = watched_[order_[j]];
      const bool declared = is_declared(order_[i], order_[j]);
      if (!declared && !(undeclared_too && a.now.reach > 0 && b.now.reach > 0)) continue;
      const double depth = overlap_depth(a.now, b.now), size = std::min(a.now.reach, b.now.reach);
      if (declared && depth > 0) note(depth, size, t, fmt::format("'{}' and '{}'", a.name, b.name));
      if (declared || !(depth > undeclared_part * size)) continue;
      const int first = std::min(order_[i], order_[j]), second = std::max(order_[i], order_[j]);
      const auto known =
          std::ranges::find_if(undeclared_, [&](const Undeclared& u) { return u.a == first && u.b == second; });
      if (known == undeclared_.end())
        undeclared_.push_back({first, second, depth, t});
      else if (depth > known->depth)
        *known = {first, second, depth, t};
    }
  }
}

void OverlapAudit::look_at_surfaces(double t) {
  for (const Surface& s : surfaces_)
    for (int body : s.bodies) {
      const Watched& w = watched_[body];
      double depth = 0;
      if (s.is_plane)
        depth = s.normal.dot(s.point - w.now.farthest(-s.normal)) + w.now.round;
      else if (w.now.reach > 0)  // a mass point passes a rectangle in no time: it has no depth in it
        depth = overlap_depth(s.wall, w.now);
      if (!(depth <= 0)) note(depth, w.now.reach, t, fmt::format("'{}' and contact '{}'", w.name, s.contact));
    }
}

void OverlapAudit::look_at_limits(double t) {
  for (const Limit& l : limits_) {
    const double overrun = -gauge_.value(l.gap);
    if (!(overrun > report_.overrun)) continue;
    report_.overrun = overrun;
    report_.overrun_time = t;
    report_.limit = l.name;
  }
}

void OverlapAudit::on_sample(const Moment& moment) {
  gauge_.look_at(moment.t, moment.y);
  look_at_limits(moment.t);
  const bool undeclared_too = samples_++ % every_ == 0;
  if (groups_.empty() && surfaces_.empty() && !undeclared_too) return;
  for (Watched& w : watched_) place(w);
  look_at_surfaces(moment.t);
  look_at_pairs(moment.t, undeclared_too);
}

OverlapReport OverlapAudit::report() const {
  OverlapReport r = report_;
  r.watches = !groups_.empty() || !surfaces_.empty();
  for (const Undeclared& u : undeclared_)
    r.undeclared.push_back({watched_[u.a].name, watched_[u.b].name, u.depth, u.time});
  std::ranges::stable_sort(r.undeclared, std::greater<>(), &UndeclaredOverlap::depth);
  return r;
}

}  // namespace plumb
