// Simbody: reduced coordinates, O(N). Of its integrators Runge-Kutta-Merson (4th order, five evaluations) at a
// fixed step is the fastest for A01, and the nearest to RK4.
#include <Simbody.h>

#include <memory>
#include <string>

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
  });
}
