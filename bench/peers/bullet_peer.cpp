// Bullet: btMultiBody, reduced coordinates, O(N), in double precision; RK4 is its only integrator above first
// order.
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <memory>
#include <string>

#include "peer.h"

namespace plumb::bench {
namespace {

// One tree of links on a fixed base.
class World {
 public:
  World(int links, const btVector3& g) : tree(links, 0, btVector3(0, 0, 0), true, false) {
    world_.setGravity(g);
    tree.setLinearDamping(0);
    tree.setAngularDamping(0);
    tree.setMaxCoordinateVelocity(1e6);
    tree.setUseGyroTerm(true);
  }
  ~World() { world_.removeMultiBody(&tree); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void finish() {
    tree.finalizeMultiDof();
    world_.addMultiBody(&tree);
    tree.useRK4Integration(true);
  }
  void step(double h) { world_.stepSimulation(h, 0); }

 private:
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btMultiBodyConstraintSolver solver_;
  btMultiBodyDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};

 public:
  btMultiBody tree;
};

const btQuaternion parallel(0, 0, 0, 1);

class BulletPendulum {
 public:
  void start(int steps) {
    steps_ = steps;
    world_ = std::make_unique<World>(1, btVector3(0, -gravity, 0));
    world_->tree.setupRevolute(0, 1, btVector3(inertia, inertia, inertia), -1, parallel, btVector3(0, 0, -1),
                               btVector3(0, 0, 0), btVector3(0, -1, 0), true);
    world_->finish();
    world_->tree.setJointPos(0, a01::start_angle);
    world_->tree.setJointVel(0, 0);
  }
  void step() { world_->step(a01::duration / steps_); }
  void run() {
    for (int i = 0; i < steps_; ++i) step();
  }
  PendulumState state() const {
    return PendulumState::at_angle(world_->tree.getJointPos(0), world_->tree.getJointVel(0), inertia);
  }

 private:
  static constexpr double inertia = 1e-9;  // there are no point masses

  std::unique_ptr<World> world_;
  int steps_ = 0;
};

class BulletChain {
 public:
  BulletChain(int links, const std::string& joint) : links_(links), revolute_(joint == "revolute") {}

  void start() {
    world_ = std::make_unique<World>(links_, btVector3(0, 0, -gravity));
    const btVector3 inertia(chain::along, chain::across, chain::across), half(chain::length / 2, 0, 0);
    for (int i = 0; i < links_; ++i) {
      const btVector3 pivot = i > 0 ? half : btVector3(0, 0, 0);
      if (revolute_)
        world_->tree.setupRevolute(i, chain::mass, inertia, i - 1, parallel, btVector3(0, 1, 0), pivot, half, true);
      else
        world_->tree.setupSpherical(i, chain::mass, inertia, i - 1, parallel, pivot, half, true);
    }
    world_->finish();
  }
  void run(int steps) {
    for (int i = 0; i < steps; ++i) world_->step(chain::step);
  }
  Tip tip() {
    btAlignedObjectArray<btQuaternion> rotations;
    btAlignedObjectArray<btVector3> positions;
    world_->tree.forwardKinematics(rotations, positions);
    const btVector3 x = world_->tree.getLink(links_ - 1).m_cachedWorldTransform.getOrigin();
    return {x.x(), x.z()};
  }

 private:
  int links_;
  bool revolute_;
  std::unique_ptr<World> world_;
};

}  // namespace
}  // namespace plumb::bench

int main() {
  using namespace plumb::bench;
  const int version = btGetVersion();
  return drive("Bullet " + std::to_string(version / 100) + "." + std::to_string(version % 100), [] {
    measure_a01("btMultiBody RK4", BulletPendulum());
    measure_chain<BulletChain>("btMultiBody RK4", "revolute");
    measure_chain<BulletChain>("btMultiBody RK4", "spherical");
  });
}
