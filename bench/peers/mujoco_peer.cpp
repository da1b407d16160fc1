// MuJoCo: reduced coordinates; RK4 is its only integrator above first order.
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "peer.h"

namespace plumb::bench {
namespace {

// Nothing but smooth dynamics is needed.
constexpr int unused_stages = mjDSBL_CONSTRAINT | mjDSBL_EQUALITY | mjDSBL_CONTACT | mjDSBL_LIMIT |
                              mjDSBL_PASSIVE | mjDSBL_ACTUATION | mjDSBL_SENSOR;

struct Deleter {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
};

// A model with its data; models can only be loaded from files.
class World {
 public:
  explicit World(const std::string& xml) {
    char name[] = "/tmp/plumb_peer_XXXXXX.xml", error[1000] = "";
    const int file = mkstemps(name, 4);
    if (file < 0 || write(file, xml.data(), xml.size()) != static_cast<ssize_t>(xml.size()))
      throw std::runtime_error("cannot write a model to /tmp");
    close(file);
    model.reset(mj_loadXML(name, nullptr, error, sizeof error));
    unlink(name);
    if (!model) throw std::runtime_error(error);
    model->opt.integrator = mjINT_RK4;
    model->opt.disableflags = unused_stages;
    data.reset(mj_makeData(model.get()));
    if (!data) throw std::runtime_error("no memory for the data of the model");
  }
  void set_gravity(int axis) {
    for (int i = 0; i < 3; ++i) model->opt.gravity[i] = i == axis ? -gravity : 0;
  }
  void step() { mj_step(model.get(), data.get()); }

  std::unique_ptr<mjModel, Deleter> model;
  std::unique_ptr<mjData, Deleter> data;
};

class MujocoPendulum {
 public:
  MujocoPendulum() : world_(xml()) { world_.set_gravity(1); }

  void start(int steps) {
    steps_ = steps;
    world_.model->opt.timestep = a01::duration / steps;
    mj_resetData(world_.model.get(), world_.data.get());
    world_.data->qpos[0] = a01::start_angle;
    mj_forward(world_.model.get(), world_.data.get());
  }
  void step() { world_.step(); }
  void run() {
    for (int i = 0; i < steps_; ++i) world_.step();
  }
  PendulumState state() const {
    return PendulumState::at_angle(world_.data->qpos[0], world_.data->qvel[0], inertia);
  }

 private:
  static constexpr double inertia = 1e-12;  // there are no point masses

  static std::string xml() {
    return "<mujoco><compiler angle='radian' boundmass='0' boundinertia='0'/><size nconmax='1' njmax='1'/>"
           "<worldbody><body><joint type='hinge' axis='0 0 -1'/>"
           "<inertial pos='0 -1 0' mass='1' diaginertia='1e-12 1e-12 1e-12'/></body></worldbody></mujoco>";
  }

  World world_;
  int steps_ = 0;
};

class MujocoChain {
 public:
  MujocoChain(int links, const std::string& joint) : links_(links), world_(urdf(links, joint)) {
    world_.set_gravity(2);
    world_.model->opt.timestep = chain::step;
  }

  void start() {
    mj_resetData(world_.model.get(), world_.data.get());
    mj_forward(world_.model.get(), world_.data.get());
  }
  void run(int steps) {
    for (int i = 0; i < steps; ++i) world_.step();
  }
  Tip tip() {
    mj_kinematics(world_.model.get(), world_.data.get());
    const double* last = world_.data->xipos + 3 * (world_.model->nbody - 1);
    return {last[0], last[2]};
  }

 private:
  // URDF, as the reader of MuJoCo's own format stops at 100 nested bodies.
  static std::string urdf(int links, const std::string& joint) {
    std::string x = "<robot name='chain'><mujoco><compiler angle='radian' fusestatic='false'/>"
                    "<size nstack='30000000'/></mujoco><link name='l0'/>";
    char part[1000];
    for (int i = 1; i <= links; ++i) {
      std::snprintf(part, sizeof part,
                    "<link name='l%d'><inertial><origin xyz='%.17g 0 0'/><mass value='%.17g'/>"
                    "<inertia ixx='%.17g' iyy='%.17g' izz='%.17g' ixy='0' ixz='0' iyz='0'/></inertial></link>"
                    "<joint name='j%d' type='%s'><parent link='l%d'/><child link='l%d'/>"
                    "<origin xyz='%.17g 0 0'/><axis xyz='0 1 0'/></joint>",
                    i, chain::length / 2, chain::mass, chain::along, chain::across, chain::across, i,
                    joint == "revolute" ? "continuous" : "spherical", i - 1, i, i > 1 ? chain::length : 0.0);
      x += part;
    }
    return x + "</robot>";
  }

  int links_;
  World world_;
};

[[noreturn]] void stop(const char* message) {
  std::fprintf(stderr, "%s\n", message);
  std::exit(1);
}

}  // namespace
}  // namespace plumb::bench

int main() {
  using namespace plumb::bench;
  mju_user_error = mju_user_warning = [](const char* message) { stop(message); };
  return drive(std::string("MuJoCo ") + mj_versionString(), [] {
    measure_a01("RK4", MujocoPendulum());
    measure_chain<MujocoChain>("RK4", "revolute");
    measure_chain<MujocoChain>("RK4", "spherical");
  });
}
