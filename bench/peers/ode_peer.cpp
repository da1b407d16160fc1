// Open Dynamics Engine: dWorldQuickStep, 20 iterations, the friction pyramid.
#include <ode/ode.h>

#include "pile.h"

namespace plumb::bench {
namespace {

class OdePile {
 public:
  explicit OdePile(const Pile& pile) {
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    dHashSpaceSetLevels(space_, -3, 3);
    contacts_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, 0, 0, -gravity);
    dWorldSetERP(world_, 0.2);
    dWorldSetCFM(world_, 1e-9);
    dWorldSetAutoDisableFlag(world_, 0);
    dWorldSetDamping(world_, 0, 0);
    dWorldSetQuickStepNumIterations(world_, 20);
    dWorldSetContactMaxCorrectingVel(world_, 1.0);
    for (int i = 0; i < pile.spheres(); ++i) {
      const dBodyID b = dBodyCreate(world_);
      dMass m;
      dMassSetParameters(&m, Pile::mass, 0, 0, 0, Pile::inertia, Pile::inertia, Pile::inertia, 0, 0, 0);
      dBodySetMass(b, &m);
      dBodySetPosition(b, pile.start[3 * i], pile.start[3 * i + 1], pile.start[3 * i + 2]);
      dGeomSetBody(dCreateSphere(space_, Pile::radius), b);
      bodies_.push_back(b);
    }
    dCreatePlane(space_, 0, 0, 1, 0);
    dCreatePlane(space_, 1, 0, 0, 0);
    dCreatePlane(space_, -1, 0, 0, -pile.width);
    dCreatePlane(space_, 0, 1, 0, 0);
    dCreatePlane(space_, 0, -1, 0, -pile.width);
  }
  ~OdePile() {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }
  OdePile(const OdePile&) = delete;

  void step() {
    dSpaceCollide(space_, this, meet);
    dWorldQuickStep(world_, Pile::step);
    dJointGroupEmpty(contacts_);
  }
  void positions(std::vector<double>& x) const {
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      for (int k = 0; k < 3; ++k) x[3 * i + k] = dBodyGetPosition(bodies_[i])[k];
  }

 private:
  static void meet(void* self, dGeomID a, dGeomID b) {
    OdePile& pile = *static_cast<OdePile*>(self);
    dContact contact{};
    if (dCollide(a, b, 1, &contact.geom, sizeof(dContact)) == 0) return;
    contact.surface.mode = dContactApprox1;
    contact.surface.mu = Pile::friction;
    dJointAttach(dJointCreateContact(pile.world_, pile.contacts_, &contact), dGeomGetBody(a), dGeomGetBody(b));
  }

  dWorldID world_;
  dSpaceID space_;
  dJointGroupID contacts_;
  std::vector<dBodyID> bodies_;
};

}  // namespace
}  // namespace plumb::bench

int main() {
  using namespace plumb::bench;
  dInitODE();
  return drive("ODE", [] { measure_pile<OdePile>("QuickStep 20"); });
}
