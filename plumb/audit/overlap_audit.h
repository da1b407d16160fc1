// Looks at every output point how deep bodies overlap that may touch, by means of its own (audit/convex_overlap.h); and
// which bodies overlap although nothing was said of a contact between them.
#pragma once

#include <string>
#include <vector>

#include "plumb/audit/convex_overlap.h"
#include "plumb/model/model.h"
#include "plumb/observe/gauge.h"
#include "plumb/simulation/observer.h"

namespace plumb {

struct UndeclaredOverlap {
  std::string a, b;
  double depth = 0, time = 0;  // largest, and when
};

struct OverlapReport {
  bool watches = false;        // bodies may touch
  double depth = 0, time = 0;  // the deepest of what may touch, m
  double part = 0;             // the same as a part of the smaller body's size
  std::string what;            // "'a' and 'b'", "'a' and contact 'floor'"
  // Limits of joints and ropes: how far one is overrun, m or rad.
  double overrun = 0, overrun_time = 0;
  std::string limit;
  std::vector<UndeclaredOverlap> undeclared;
};

class OverlapAudit final : public Observer {
 public:
  // `limits`: names of the limits of joints.
  OverlapAudit(const Model& model, const std::vector<std::string>& limits, Gauge& gauge, double rows);

  // Nothing can overlap.
  bool is_idle() const { return watched_.empty() && limits_.empty(); }
  void on_sample(const Moment& moment) override;
  OverlapReport report() const;

 private:
  // A body with what it occupies, in its own axes about its mass centre.
  struct Watched {
    std::string name;
    ConvexBody own, now;
    std::vector<Channel> place;  // x y z, qw qx qy qz
  };
  struct Surface {
    std::string contact;
    bool is_plane = false;
    Vec3 point, normal;
    ConvexBody wall;
    std::vector<int> bodies;
  };
  struct Limit {
    std::string name;
    Channel gap;
  };
  struct Undeclared {
    int a, b;
    double depth, time;
  };

  void watch(const Body& body);
  void add_surface(const Contact& contact, const std::vector<int>& bodies);
  void place(Watched& w);
  void look_at_pairs(double t, bool undeclared_too);
  void look_at_surfaces(double t);
  void look_at_limits(double t);
  void note(double depth, double size, double t, const std::string& what);
  bool is_declared(int a, int b) const;

  Gauge& gauge_;
  std::vector<Watched> watched_;
  std::vector<Surface> surfaces_;
  std::vector<Limit> limits_;
  std::vector<std::vector<char>> groups_;  // of each contact between bodies: which are in it
  std::vector<int> order_;
  std::vector<Undeclared> undeclared_;
  long samples_ = 0, every_ = 1;  // undeclared overlaps are looked for at every so many
  OverlapReport report_;
};

}  // namespace plumb
