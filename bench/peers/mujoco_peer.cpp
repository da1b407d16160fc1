// MuJoCo: reduced coordinates; RK4 is its only integrator above first order.
#include <mujoco/mujoco.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "peer.h"

namespace plumb::bench {
namespace {

// Nothing but smooth dynamics is needed.
constexpr int unused_stages = mjDSBL_CONSTRAINT | mjDSBL_EQUALITY | mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_PASSIVE |
                              mjDSBL_ACTUATION | mjDSBL_SENSOR;

struct Deleter {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
};

// A model with its data; models can only be loaded from files, the first of which may include the others.
class World {
 public:
  explicit World(const std::vector<std::string>& files) {
    char folder[] = "/tmp/plumb_peer_XXXXXX", error[1000] = "";
    if (!mkdtemp(folder)) throw std::runtime_error("cannot write to /tmp");
    for (std::size_t i = 0; i < files.size(); ++i) std::ofstream(path(folder, i)) << files[i];
    model.reset(mj_loadXML(path(folder, 0).c_str(), nullptr, error, sizeof error));
    std::filesystem::remove_all(folder);
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

 private:
  static std::string path(const std::string& folder, std::size_t i) {
    return folder + "/" + std::to_string(i) + ".xml";
  }
};

class MujocoPendulum {
 public:
  MujocoPendulum() : world_({xml()}) { world_.set_gravity(1); }

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
  PendulumState state() const { return PendulumState::at_angle(world_.data->qpos[0], world_.data->qvel[0], inertia); }

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
  MujocoChain(int links, const std::string& joint) : world_(files(links, joint)) {
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
  // One link within the other. The reader stops at 100 nested elements of a file, so the chain goes on in
  // another file.
  static std::vector<std::string> files(int links, const std::string& joint) {
    constexpr int links_per_file = 50;
    const std::string type = joint == "revolute" ? "<joint type='hinge' axis='0 1 0'/>" : "<joint type='ball'/>";
    char inertial[200];
    std::snprintf(inertial, sizeof inertial, "<inertial pos='%.17g 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>",
                  chain::length / 2, chain::mass, chain::along, chain::across, chain::across);
    std::vector<std::string> all;
    for (int first = 0; first < links; first += links_per_file) {
      const int end = std::min(first + links_per_file, links);
      std::string text;
      for (int i = first; i < end; ++i) {
        text += "<body pos='" + std::to_string(i > 0 ? chain::length : 0.0) + " 0 0'>" + type + inertial;
      }
      if (end < links) text += "<include file='" + std::to_string(end / links_per_file) + ".xml'/>";
      for (int i = first; i < end; ++i) text += "</body>";
      all.push_back(first == 0 ? "<mujoco><size nconmax='1' njmax='1'/><worldbody>" + text + "</worldbody></mujoco>"
                               : "<mujocoinclude>" + text + "</mujocoinclude>");
    }
    return all;
  }

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
