// Simbody: reduced coordinates, O(N). Of its integrators Runge-Kutta-Merson (4th order, five evaluations) at a
// fixed step is the fastest for A01, and the nearest to RK4.
#include <Simbody.h>

#include <memory>
#include <string>

#include "library.h"
#include "peer.h"

namespace plumb::bench {
namespace {

struct Mechanism {
  explicit Mechanism(const SimTK::Vec3& g) : down(forces, matter, g) {}

  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  SimTK::Force::Gravity down;
};

std::unique_ptr<SimTK::Integrator> integrator(const Mechanism& m, const SimTK::State& start, double h) {
  auto in = std::make_unique<SimTK::RungeKuttaMersonIntegrator>(m.system);
  in->setFixedStepSize(h);
  in->setAllowInterpolation(false);
  in->initialize(start);
  in->setReturnEveryInternalStep(true);
  in->stepTo(1e6);  // the first call only reports the start
  return in;
}

class SimbodyPendulum {
 public:
  SimbodyPendulum() : mechanism_(std::make_unique<Mechanism>(SimTK::Vec3(0, -gravity, 0))) {
    const SimTK::Body::Rigid body(SimTK::MassProperties(1, mass_point, SimTK::Inertia(mass_point, 1)));
    body_ = SimTK::MobilizedBody::Pin(mechanism_->matter.Ground(), SimTK::Transform(), body, SimTK::Transform());
    start_ = mechanism_->system.realizeTopology();
    body_.setOneQ(start_, 0, -a01::start_angle);
  }

  void start(int steps) { integrator_ = integrator(*mechanism_, start_, a01::duration / steps); }
  void step() { integrator_->stepTo(a01::duration); }
  void run() {
    integrator_->setReturnEveryInternalStep(false);
    while (integrator_->getTime() < a01::duration) integrator_->stepTo(a01::duration);
  }
  PendulumState state() const {
    const SimTK::State& s = integrator_->getState();
    mechanism_->system.realize(s, SimTK::Stage::Velocity);
    const SimTK::Vec3 x = body_.findStationLocationInGround(s, mass_point);
    const SimTK::Vec3 v = body_.findStationVelocityInGround(s, mass_point);
    return {x[0], x[1], v[0], v[1]};
  }

 private:
  const SimTK::Vec3 mass_point{0, -1, 0};

  std::unique_ptr<Mechanism> mechanism_;
  SimTK::MobilizedBody body_;
  SimTK::State start_;
  std::unique_ptr<SimTK::Integrator> integrator_;
};

class SimbodyChain {
 public:
  SimbodyChain(int links, const std::string& joint) : mechanism_(SimTK::Vec3(0, 0, -gravity)) {
    using SimTK::MobilizedBody, SimTK::Transform, SimTK::Vec3;
    const SimTK::Inertia central(chain::along, chain::across, chain::across);
    const SimTK::Body::Rigid link(
        SimTK::MassProperties(chain::mass, center, central.shiftFromMassCenter(-center, chain::mass)));
    last_ = mechanism_.matter.Ground();
    // A pin turns about z of its frames.
    const SimTK::Rotation z_to_y(-SimTK::Pi / 2, SimTK::XAxis);
    for (int i = 0; i < links; ++i) {
      const Vec3 at(i > 0 ? chain::length : 0, 0, 0);
      if (joint == "revolute")
        last_ = MobilizedBody::Pin(last_, Transform(z_to_y, at), link, Transform(z_to_y));
      else
        last_ = MobilizedBody::Ball(last_, Transform(at), link, Transform());
    }
    start_ = mechanism_.system.realizeTopology();
  }

  void start() { integrator_ = integrator(mechanism_, start_, chain::step); }
  void run(int steps) {
    for (int i = 0; i < steps; ++i) integrator_->stepTo(1e6);
  }
  Tip tip() const {
    const SimTK::State& s = integrator_->getState();
    mechanism_.system.realize(s, SimTK::Stage::Position);
    const SimTK::Vec3 x = last_.findStationLocationInGround(s, center);
    return {x[0], x[2]};
  }

 private:
  const SimTK::Vec3 center{chain::length / 2, 0, 0};

  Mechanism mechanism_;
  SimTK::MobilizedBody last_;
  SimTK::State start_;
  std::unique_ptr<SimTK::Integrator> integrator_;
};

// A mechanism with loops, on the integrator with error control.
class Loops {
 public:
  explicit Loops(const SimTK::Vec3& g, double duration) : mechanism_(g), duration_(duration) {}

  int settings() const { return 16; }
  static double accuracy(int k) { return std::pow(10.0, -4 - 0.5 * k); }
  std::string describe(int k) const {
    char text[40];
    std::snprintf(text, sizeof text, "acc %.1e", accuracy(k));
    return text;
  }
  double watch(int k) {
    try {
      return go(k, true);
    } catch (const std::exception&) {
      return 1e99;
    }
  }
  void run(int k) { go(k, false); }

 protected:
  using Mobile = SimTK::MobilizedBody;
  using Vec = SimTK::Vec3;

  static SimTK::Body::Rigid body(double mass, const Vec& centre, const SimTK::Inertia& central) {
    return SimTK::Body::Rigid(SimTK::MassProperties(mass, centre, central.shiftFromMassCenter(-centre, mass)));
  }
  // A pin turns about z of its frames.
  static SimTK::Rotation z_along(const SimTK::CoordinateAxis& axis) {
    return SimTK::Rotation(SimTK::UnitVec3(axis), SimTK::ZAxis);
  }
  void begin() {
    start_ = mechanism_.system.realizeTopology();
    mechanism_.system.realizeModel(start_);
  }

  Mechanism mechanism_;
  SimTK::State start_;

 private:
  double go(int k, bool looks) {
    SimTK::RungeKuttaMersonIntegrator in(mechanism_.system);
    in.setAccuracy(accuracy(k));
    in.setConstraintTolerance(1e-12);
    in.setAllowInterpolation(false);
    in.setReturnEveryInternalStep(looks);
    in.initialize(start_);
    const double energy = mechanism_.system.calcEnergy(in.getState());
    double drift = 0;
    while (in.getTime() < duration_) {
      in.stepTo(duration_);
      if (looks) drift = std::max(drift, std::abs(mechanism_.system.calcEnergy(in.getState()) - energy));
    }
    return drift;
  }

  double duration_;
};

struct SimbodyA02 : Loops {
  SimbodyA02() : Loops({0, -gravity, 0}, library::duration) {
    using namespace library;
    const SimTK::Inertia up(bar_inertia, thin, bar_inertia), level(thin, bar_inertia, bar_inertia);
    const SimTK::Body::Rigid upright = body(1, {0, 0.5, 0}, up), coupler = body(1, {0.5, 0, 0}, level);
    Mobile last;
    for (int i = 0; i <= loops; ++i) {
      Mobile::Pin v(mechanism_.matter.Ground(), SimTK::Transform(Vec(i, 0, 0)), upright, SimTK::Transform());
      if (i > 0) {
        Mobile::Pin c(last, SimTK::Transform(Vec(0, 1, 0)), coupler, SimTK::Transform());
        SimTK::Constraint::Ball(c, Vec(1, 0, 0), v, Vec(0, 1, 0));
        couplers_.push_back(c);
      }
      uprights_.push_back(v);
      last = v;
    }
    begin();
    for (Mobile::Pin& v : uprights_) v.setRate(start_, -1);
    for (Mobile::Pin& c : couplers_) c.setRate(start_, 1);
  }
  std::vector<Mobile::Pin> uprights_, couplers_;
};

struct SimbodyA04 : Loops {
  SimbodyA04() : Loops({0, -gravity, 0}, library::duration) {
    using namespace library;
    // Bars from joint to joint, the body frame at the first.
    const Vec points[] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
    const SimTK::CoordinateAxis axes[] = {SimTK::YAxis, SimTK::ZAxis, SimTK::XAxis, SimTK::YAxis, SimTK::ZAxis};
    Mobile last = mechanism_.matter.Ground();
    for (int i = 0; i < 5; ++i) {
      const Vec span = points[i + 1] - points[i];
      Vec moments(across, across, across);
      for (int k = 0; k < 3; ++k)
        if (span[k] != 0) moments[k] = along;
      const Vec at = i > 0 ? points[i] - points[i - 1] : points[0];
      last = Mobile::Pin(last, SimTK::Transform(z_along(axes[i]), at),
                         body(1, span / 2, SimTK::Inertia(moments[0], moments[1], moments[2])),
                         SimTK::Transform(z_along(axes[i])));
    }
    Mobile ground = mechanism_.matter.Ground();
    SimTK::Constraint::Ball(last, points[5] - points[4], ground, points[5]);
    for (const SimTK::CoordinateAxis& axis : {SimTK::CoordinateAxis(SimTK::YAxis), SimTK::CoordinateAxis(SimTK::ZAxis)})
      SimTK::Constraint::ConstantAngle(last, SimTK::UnitVec3(SimTK::XAxis), ground, SimTK::UnitVec3(axis), SimTK::Pi / 2);
    begin();
  }
};

struct SimbodySliderCrank : Loops {
  SimbodySliderCrank() : Loops({0, 0, -gravity}, library::slider_crank_duration) {
    Mobile ground = mechanism_.matter.Ground();
    Mobile::Pin crank(ground, SimTK::Transform(z_along(SimTK::XAxis), Vec(0, 0.1, 0.12)),
                      body(0.12, Vec(0), SimTK::Inertia(1e-4, 1e-5, 1e-4)), SimTK::Transform(z_along(SimTK::XAxis)));
    // The rod's frame lies at B with x towards C, and y is the second axis of the universal joint.
    const SimTK::Rotation turned(SimTK::UnitVec3(2, -1, -2), SimTK::XAxis, Vec(0, 2, -1), SimTK::YAxis);
    Mobile::Ball rod(crank, SimTK::Transform(turned, Vec(0, 0, 0.08)),
                     body(0.5, {0.15, 0, 0}, SimTK::Inertia(0.0004, 0.004, 0.004)), SimTK::Transform());
    Mobile::Slider slider(ground, SimTK::Transform(), body(2, Vec(0), SimTK::Inertia(1e-4, 1e-4, 1e-4)),
                          SimTK::Transform());
    SimTK::Constraint::Ball(rod, Vec(0.3, 0, 0), slider, Vec(0));
    SimTK::Constraint::ConstantAngle(rod, SimTK::UnitVec3(SimTK::YAxis), slider, SimTK::UnitVec3(SimTK::XAxis),
                                     SimTK::Pi / 2);
    begin();
    slider.setLength(start_, 0.2);
    crank.setRate(start_, 6);
    slider.setRate(start_, 0.24);
    // The rates of the rod: v_C - v_B = w x (C - B), and its y stays perpendicular to X.
    const Vec r(0.2, -0.1, -0.2), relative = Vec(0.24, 0, 0) - Vec(6, 0, 0) % Vec(0, 0, 0.08);
    Vec w = (r % relative) / r.normSqr();
    const Vec x(1, 0, 0), y = turned.y();
    w -= r * ((~(w % y) * x) / (~(r % y) * x));
    rod.setU(start_, ~turned * (w - Vec(6, 0, 0)));
  }
};

std::string version() {
  int major = 0, minor = 0, build = 0;
  SimTK_version_simbody(&major, &minor, &build);
  return std::to_string(major) + "." + std::to_string(minor);
}

}  // namespace
}  // namespace plumb::bench

int main() {
  using namespace plumb::bench;
  return drive("Simbody " + version(), [] {
    measure_a01("RungeKuttaMerson", SimbodyPendulum());
    measure_chain<SimbodyChain>("RungeKuttaMerson", "revolute");
    measure_chain<SimbodyChain>("RungeKuttaMerson", "spherical");
    measure_mechanism("A02", "RungeKuttaMerson", SimbodyA02());
    measure_mechanism("A04", "RungeKuttaMerson", SimbodyA04());
    measure_mechanism("slider-crank", "RungeKuttaMerson", SimbodySliderCrank());
  });
}
