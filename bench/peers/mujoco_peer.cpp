// MuJoCo: reduced coordinates; RK4 is its only integrator above first order.
#include <mujoco/mujoco.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "library.h"
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

// A mechanism whose loops are closed by `connect`, which is a stiff spring and damper: made as hard as the step allows
// (time constant two steps).
class MujocoLoops {
 public:
  MujocoLoops(const std::string& xml, int down, double duration, std::vector<double> rates)
      : world_({xml}), duration_(duration), rates_(std::move(rates)) {
    world_.set_gravity(down);
    world_.model->opt.disableflags = mjDSBL_CONTACT | mjDSBL_LIMIT;
    world_.model->opt.enableflags = mjENBL_ENERGY;
  }

  int settings() const { return 9; }
  int steps(int k) const { return static_cast<int>(duration_ * 100) << k; }
  std::string describe(int k) const { return std::to_string(steps(k)) + " steps"; }
  double watch(int k) { return go(k); }
  void run(int k) { go(k); }

 private:
  double go(int k) {
    mjModel* const m = world_.model.get();
    mjData* const d = world_.data.get();
    m->opt.timestep = duration_ / steps(k);
    for (int i = 0; i < m->neq; ++i) m->eq_solref[mjNREF * i] = 2 * m->opt.timestep;
    mj_resetData(m, d);
    for (std::size_t i = 0; i < rates_.size(); ++i) d->qvel[i] = rates_[i];
    mj_forward(m, d);
    const double energy = d->energy[0] + d->energy[1];
    double drift = 0;
    for (int i = 0; i < steps(k); ++i) {
      world_.step();
      // Of the start of the step.
      drift = std::max(drift, std::abs(d->energy[0] + d->energy[1] - energy));
    }
    return drift;
  }

  World world_;
  double duration_;
  std::vector<double> rates_;
};

std::string bar(const std::string& name, const std::string& at, const std::string& joint, const std::string& centre,
                const std::string& moments, const std::string& inside = "") {
  return "<body name='" + name + "' pos='" + at + "'>" + joint + "<inertial pos='" + centre + "' mass='1' diaginertia='" +
         moments + "'/>" + inside + "</body>";
}

std::string closed(const std::string& bodies, const std::string& equalities) {
  return "<mujoco><compiler angle='radian'/><option solver='Newton' tolerance='1e-14' iterations='50'/><worldbody>" +
         bodies + "</worldbody><equality>" + equalities + "</equality></mujoco>";
}

MujocoLoops mujoco_a02() {
  const std::string hinge = "<joint type='hinge' axis='0 0 1'/>", up = "0.0833333333333333 0.001 0.0833333333333333",
                    level = "0.001 0.0833333333333333 0.0833333333333333";
  std::string bodies, loops;
  std::vector<double> rates;
  for (int i = 0; i <= library::loops; ++i) {
    const std::string n = std::to_string(i), next = std::to_string(i + 1);
    const bool last = i == library::loops;
    bodies += bar("v" + n, n + " 0 0", hinge, "0 0.5 0", up,
                  last ? "" : bar("c" + next, "0 1 0", hinge, "0.5 0 0", level));
    rates.push_back(-1);
    if (!last) rates.push_back(1);
    if (i > 0) loops += "<connect body1='c" + n + "' body2='v" + n + "' anchor='1 0 0' solimp='0.9999 0.9999 0.001'/>";
  }
  return MujocoLoops(closed(bodies, loops), 1, library::duration, rates);
}

// The last revolute joint is two points on its axis.
MujocoLoops mujoco_a04() {
  const auto hinge = [](const char* axis) { return std::string("<joint type='hinge' axis='") + axis + "'/>"; };
  const std::string a = "0.00166666666666667", c = "0.0841666666666667";
  const std::string x = a + " " + c + " " + c, y = c + " " + a + " " + c, z = c + " " + c + " " + a;
  const std::string bar5 = bar("b5", "-1 0 0", hinge("0 0 1"), "0 0.5 0", y);
  const std::string bar4 = bar("b4", "0 0 1", hinge("0 1 0"), "-0.5 0 0", x, bar5);
  const std::string bar3 = bar("b3", "0 -1 0", hinge("1 0 0"), "0 0 0.5", z, bar4);
  const std::string bar2 = bar("b2", "1 0 0", hinge("0 0 1"), "0 -0.5 0", y, bar3);
  const std::string bar1 = bar("b1", "0 0 0", hinge("0 1 0"), "0.5 0 0", x, bar2);
  return MujocoLoops(closed(bar1, "<connect body1='b5' anchor='0 1 0' solimp='0.9999 0.9999 0.001'/>"
                                  "<connect body1='b5' anchor='0.3 1 0' solimp='0.9999 0.9999 0.001'/>"),
                     1, library::duration, {});
}

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
    measure_mechanism("A02", "RK4, connect", mujoco_a02());
    measure_mechanism("A04", "RK4, connect", mujoco_a04());
  });
}
