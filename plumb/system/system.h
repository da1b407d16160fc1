// What is solved: the compiled model. Immutable; `Dynamics` evaluates it.
//
//   q' = N(q) v,   M v' = f(t, q, v) + Gᵀ lambda,   0 = g(t, q)
//
// Coordinates: a point mass has its position (3); a rigid body the position of its mass centre (3) and the
// unit quaternion of its principal axes (4, scalar first). Velocities: linear in world axes, angular in
// principal axes, so M is constant and diagonal. Point masses come first, then rigid bodies, each in the
// order of the model. The state is y = [q, v, w]; w, present when energy enters or leaves, counts the work
// done on the system and the energy it has dissipated.
#pragma once

#include <string>
#include <vector>

#include "plumb/expression/expression.h"
#include "plumb/model/model.h"
#include "plumb/system/channel.h"
#include "plumb/system/end.h"
#include "plumb/system/forces/actuator.h"
#include "plumb/system/forces/applied.h"
#include "plumb/system/forces/bushing.h"
#include "plumb/system/forces/drag.h"
#include "plumb/system/forces/spring.h"
#include "plumb/system/forces/torsion.h"
#include "plumb/system/parts/coincident_points.h"
#include "plumb/system/parts/coupler.h"
#include "plumb/system/parts/distance.h"
#include "plumb/system/parts/driven_angle.h"
#include "plumb/system/parts/equal_spin.h"
#include "plumb/system/parts/perpendicular_axes.h"
#include "plumb/system/parts/point_in_plane.h"
#include "plumb/system/parts/point_on_curve.h"
#include "plumb/system/parts/rolling.h"
#include "plumb/system/parts/screw_thread.h"

namespace plumb {

struct SystemBody {
  std::string name;
  BodyKind kind = BodyKind::point;
  int q = 0, v = 0, frame = 0;
  double mass = 0;
  Vec3 moments = Vec3::Zero();      // principal
  Quaternion axes{};                // R_BP: principal axes in body axes
  Vec3 mass_center = Vec3::Zero();  // in body coordinates
  bool velocity_given = false, angular_velocity_given = false;
  Source source{};
};

// A body of the model: what carries it, and where on it. Bodies that fixed joints hold together are carried by one.
struct SystemMember {
  std::string name;
  BodyKind kind = BodyKind::point;  // as the model has it
  End end;                          // its mass centre
  Quaternion axes{};  // R_MP: the principal axes of what carries it (of the world on the ground) in its own
  Vec3 mass_center = Vec3::Zero();  // in its own coordinates

  // Places and directions of its own coordinates in those of what carries it.
  Mat3 to_carrier() const { return axes.matrix().transpose(); }
};

// One body a joint holds, and where its blocks of G stand: row r acts on the body's velocity by
// sign * L (linear + 3 r) and on its angular velocity by A (angular + 3 r).
struct Attachment {
  int body;
  BodyKind kind;
  double sign;
  int linear, angular;
};

struct SystemJoint {
  enum class Linear : std::uint8_t {
    coincident,  // L is 1 in the first three rows, 0 in the others
    general
  };
  std::string name;
  std::string type;
  int row = 0, rows = 0;
  Linear linear = Linear::general;
  int velocity_rows = 0;                 // of these, rows that exist at velocity level only
  End from, to;                          // of a coupler: the ground, and the body its reaction is reported for
  int from_member = -1, to_member = -1;  // the bodies of the model; -1: the ground
  bool is_inner = false;  // between members of one body, without rows, or reported for one that the ground carries:
                          // its reaction is that of the model as it is written
  int coupler = -1;       // in System::parts.couplers
  bool alone = false;     // one part, sharing no body with another joint
  int angle = -1;         // in System::angles
  int displacement = -1;  // in System::displacements
  Source source{};

  int linear_block() const { return 3 * row; }
  int from_block() const { return 6 * row; }
  int to_block() const { return 6 * row + 3 * rows; }
};

// One-sided: least or largest coordinate of a joint or distance of two points. Kept by the contacts.
struct SystemLimit {
  enum class Kind { least_angle, largest_angle, least_displacement, largest_displacement, least_distance, rope };
  Kind kind = Kind::rope;

  bool is_least() const {
    return kind == Kind::least_angle || kind == Kind::least_displacement || kind == Kind::least_distance;
  }
  bool is_angle() const { return kind == Kind::least_angle || kind == Kind::largest_angle; }
  bool is_distance() const { return kind == Kind::least_distance || kind == Kind::rope; }

  int joint = 0;
  double value = 0;
  double restitution = 0;
};

// Coulomb friction in a joint: at most `coulomb` (N m, or N where it slides) against its rate, and whatever it takes up
// to that to keep it at rest. Kept by the contacts, which decide what sticks.
struct JointFriction {
  int joint = 0;
  double coulomb = 0;
  std::string name{};
  Source source{};
};

// The constraints of all joints, parts of one kind together.
struct ConstraintParts {
  std::vector<CoincidentPoints> coincident_points;
  std::vector<Distance> distances;
  std::vector<PerpendicularAxis> perpendicular_axes;
  std::vector<ParallelAxis> parallel_axes;
  std::vector<PointInPlane> points_in_plane;
  std::vector<DrivenAngle> driven_angles;
  std::vector<EqualSpin> equal_spins;
  std::vector<ScrewThread> screw_threads;
  std::vector<PointOnCurve> points_on_curve;
  std::vector<Rolling> rollings;
  std::vector<Coupler> couplers;

  // Calls f with the parts of every kind that stands between two ends.
  template <class F>
  void for_each_kind(F&& f) {
    f(coincident_points), f(distances), f(perpendicular_axes), f(parallel_axes), f(points_in_plane), f(driven_angles);
    f(equal_spins), f(screw_threads), f(points_on_curve), f(rollings);
  }
  template <class F>
  void for_each_kind(F&& f) const {
    f(coincident_points), f(distances), f(perpendicular_axes), f(parallel_axes), f(points_in_plane), f(driven_angles);
    f(equal_spins), f(screw_threads), f(points_on_curve), f(rollings);
  }
};

// A moving anchor: R (p(t) - offset) with p from three drivers.
struct MovingAnchor {
  int anchor = 0, first_driver = 0;
  Mat3 R = Mat3::Identity();
  Vec3 offset = Vec3::Zero();
};

// A driver whose rate is an expression of time and positions: d(driver)/dt = rate.
struct RateDriver {
  int driver = 0;
  Quantity rate;
  Expression expression{};
  Source source{};
  std::string label;
};

struct System {
  std::string title;
  Vec3 gravity = Vec3::Zero();
  std::vector<SystemBody> bodies;     // what moves, in the order of the model
  std::vector<SystemMember> members;  // the bodies of the model
  double potential_on_ground = 0;     // of members that the ground carries, J
  int points = 0, rigids = 0;
  int nq = 0, nv = 0, nw = 0;
  int coupler_blocks = 0;          // bodies held by couplers, each time they are
  int rows = 0, coupled_rows = 0;  // of all joints; of those that share bodies, which come first

  std::vector<SystemJoint> joints;
  ConstraintParts parts;
  std::vector<AngleMeasure> angles;
  std::vector<DisplacementMeasure> displacements;
  std::vector<double> anchors;  // 3 each
  std::vector<Expression> drivers;
  struct DriverPlace {
    std::string label;
    Source source;
  };
  std::vector<DriverPlace> driver_places;
  std::vector<MovingAnchor> moving_anchors;
  std::vector<RateDriver> rate_drivers;
  std::vector<Channel> rate_channels;    // slots 1… of their expressions
  std::vector<double> curve_parameters;  // at the start
  std::vector<double> start_turns;       // unwound angles at the start, where joints do not start at zero
  std::vector<std::string> start_notes;  // what was changed about the start
  bool is_driven = false;                // g depends on t

  std::vector<Spring> springs;
  std::vector<Torsion> torsions;
  std::vector<Applied> applied;
  std::vector<Drag> drags;
  std::vector<Bushing> bushings;
  std::vector<Actuator> actuators;
  std::vector<std::string> contacts;  // names, in the order of the model; then those of the limits
  std::vector<SystemLimit> limits;
  std::vector<JointFriction> frictions;
  std::vector<Channel> force_channels;  // slots 1… of the expressions in `applied` and `actuators`

  // Calls f(expression, what its slots are, label, source) with all expressions evaluated during a run, always in the
  // same order: their switches are numbered by it.
  enum class Slots { time, motion, rates };
  template <class F>
  void for_each_expression(F&& f) const {
    for (const Applied& a : applied)
      for (const Expression& e : a.components) f(e, Slots::motion, a.label, a.source);
    for (const Actuator& a : actuators) f(a.effort, Slots::motion, a.label, a.source);
    for (std::size_t i = 0; i < drivers.size(); ++i)
      f(drivers[i], Slots::time, driver_places[i].label, driver_places[i].source);
    for (const RateDriver& d : rate_drivers) f(d.expression, Slots::rates, d.label, d.source);
  }
  int switches() const {
    int n = 0;
    for_each_expression([&](const Expression& e, Slots, const std::string&, const Source&) { n += e.switches(); });
    return n;
  }

  std::vector<double> start;  // y as the model gives it, not yet consistent

  int size() const { return nq + nv + nw; }
  int joint_of_row(int row) const;
  std::vector<Attachment> attachments(const SystemJoint& joint) const;
  std::vector<int> velocity_rows() const;  // rows that exist at velocity level only
  std::map<std::string, double> parameters;
};

// Throws InputError where the model cannot be compiled.
System compile(const Model& model);

// Which bodies of the model move as one: a number of a body for each, itself if it moves alone; -1: with the ground.
using RigidGroups = std::vector<int>;
// The groups that fixed joints make, as far as these are a tree and no other joint lies within. `system`: as compiled
// from the model alone.
RigidGroups find_rigid_groups(const Model& model, const System& system);
// The same model with each group as one body; fixed joints within have no rows. The order of joints, forces, drives and
// switches is that of the model, as ever.
System compile(const Model& model, const RigidGroups& groups);

// States of the model as it is written from those of its groups, and back.
void expand(const System& written, const System& merged, const double* y, double* y_written);
std::vector<double> gather(const System& written, const System& merged, const std::vector<double>& y_written);

// Coulomb friction in joints as an ordinary force, rounded off at small rates: for methods that keep no contacts.
void round_off_frictions(System& system);

// The same system with no joint standing alone: all rows in the matrix S, which copes with dependent ones.
System couple_all_joints(System system);

}  // namespace plumb
