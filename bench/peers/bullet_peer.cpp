// Bullet: btMultiBody, reduced coordinates, O(N), in double precision; RK4 is its only integrator above first
// order.
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <memory>
#include <string>
#include <vector>

#include "pile.h"

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

// Rigid bodies of its own, sequential impulses with 10 iterations.
class BulletPile {
 public:
  explicit BulletPile(const Pile& pile) : sphere_(Pile::radius) {
    world_.setGravity(btVector3(0, 0, -gravity));
    world_.getSolverInfo().m_numIterations = 10;
    for (int i = 0; i < pile.spheres(); ++i)
      add(Pile::mass, btVector3(pile.start[3 * i], pile.start[3 * i + 1], pile.start[3 * i + 2]), &sphere_);
    spheres_ = bodies_.size();
    const btVector4 planes[] = {{0, 0, 1, 0}, {1, 0, 0, 0}, {-1, 0, 0, -pile.width}, {0, 1, 0, 0}, {0, -1, 0, -pile.width}};
    for (const btVector4& p : planes) {
      planes_.push_back(std::make_unique<btStaticPlaneShape>(btVector3(p.x(), p.y(), p.z()), p.w()));
      add(0, btVector3(0, 0, 0), planes_.back().get());
    }
  }
  ~BulletPile() {
    for (auto& b : bodies_) world_.removeRigidBody(b.get());
  }
  BulletPile(const BulletPile&) = delete;

  void step() { world_.stepSimulation(Pile::step, 0); }
  void positions(std::vector<double>& x) const {
    for (std::size_t i = 0; i < spheres_; ++i)
      for (int k = 0; k < 3; ++k) x[3 * i + k] = bodies_[i]->getWorldTransform().getOrigin()[k];
  }

 private:
  void add(double mass, const btVector3& position, btCollisionShape* shape) {
    const btVector3 inertia = mass > 0 ? btVector3(1, 1, 1) * Pile::inertia : btVector3(0, 0, 0);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
    info.m_startWorldTransform.setOrigin(position);
    info.m_friction = std::sqrt(Pile::friction);  // it multiplies those of the two bodies
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(bodies_.back().get(), mass > 0 ? 2 : 1, mass > 0 ? 3 : 2);
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
  btSphereShape sphere_;
  std::vector<std::unique_ptr<btStaticPlaneShape>> planes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::size_t spheres_ = 0;
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
    measure_pile<BulletPile>("impulses 10");
  });
}
