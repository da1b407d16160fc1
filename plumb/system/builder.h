// Turns the joints and forces of a model into parts and force elements of a system.
//
// A joint type is a function build_…(JointBuilder&) that asks for its ends, anchors and axes and adds parts;
// a force type is build_…(ForceBuilder&). See joints/revolute.cpp for a typical one.
#pragma once

#include <optional>
#include <string>

#include "plumb/model/check.h"
#include "plumb/model/model.h"
#include "plumb/system/system.h"

namespace plumb {

// What both builders know: the model, the growing system, where each body is at the start.
class Builder {
 public:
  Builder(const Model& model, const BodyLookup& lookup, System& system)
      : model_(model), lookup_(lookup), system_(system) {}

  const Model& model() const { return model_; }
  System& system() { return system_; }

  // An end on the body, anchored at its mass centre (at the origin on the ground). Bodies that are held to the ground
  // are like any other until everything is built.
  static constexpr int held_to_ground = -2;
  End end(const std::string& body, const Source& source, const std::string& label, const char* key);
  // Anchors the end at a point given in world coordinates at the start, or in body coordinates.
  void anchor_world(End& e, const Point& p, const Source& source, const std::string& label);
  void anchor_local(End& e, const std::string& body, const Point& p, const Source& source, const std::string& label);

  // World position at the start, t = 0, of an end.
  Vec3 start_position(const End& e) const;
  // A world direction at the start in the axes the end's parts use.
  Vec3 to_local(const End& e, const Vec3& world) const;
  Vec3 start_direction(const End& e, const Vec3& local) const;  // the reverse

  int add_driver(const Quantity& q, const Source& source, const std::string& label);

 protected:
  // The anchor R (p - offset) of a point p given in other coordinates; p may move.
  void set_anchor(End& e, const Point& p, const Mat3& R, const Vec3& offset, const Source& source,
                  const std::string& label);
  Vec3 origin_of(const SystemMember& m) const;
  // p at t = 0
  Vec3 point_at_start(const Point& p, const Source& source, const std::string& label) const;
  Expression time_expression(const Quantity& q, const Source& source, const std::string& label) const;
  Quaternion attitude(const End& e) const;  // R_WP at the start
  Vec3 centre(const End& e) const;          // of what carries it, at the start
  const SystemMember& member(const std::string& body) const { return system_.members[number_of(body)]; }
  int number_of(const std::string& body) const;  // -1: the ground

  const Model& model_;
  const BodyLookup& lookup_;
  System& system_;
};

class JointBuilder : public Builder {
 public:
  JointBuilder(const Model& model, const BodyLookup& lookup, System& system, int index);

  const Joint& joint;

  [[noreturn]] void fail(const std::string& message) const;

  // Anchors both ends by the joint's keys. Where nothing is said: each at its own mass centre, both at the
  // mass centre of `to`, or (a place must be given) only where a point mass leaves no choice. Where one end
  // is said, the other end is at the same place, except with `mass_centres`.
  enum class Default { mass_centres, centre_of_to, must_be_given };
  void anchor_ends(Default otherwise);
  // One end by its own keys; its mass centre if there are none.
  void anchor_from();
  void anchor_to();
  void require_rigid_ends() const;     // or ground
  void require_perpendicular() const;  // axis and axis_to
  bool both_rotate() const;            // neither end is a point mass
  bool is_within_group(const RigidGroups& groups) const;

  void coincident_points();
  void distance(double start_length);
  void perpendicular(const Vec3& a_world, const Vec3& b_world);
  void parallel(const Vec3& axis_world);
  void point_in_plane(const Vec3& normal_world, int driver = -1, bool velocity_only = false);
  void driven_angle(const AngleMeasure& measure, int driver, bool velocity_only = false);
  void equal_spin(const Vec3& axis_world, const Vec3& axis_to_world);
  void screw_thread(const AngleMeasure& measure, double advance);
  void point_on_curve(Curve curve);
  void rolling(const Vec3& normal_world, const std::optional<Vec3>& axle_world, double radius, bool plane_given);
  DisplacementMeasure measure_displacement(const Vec3& axis_world);
  void keep_angle(const AngleMeasure& measure);  // as a coordinate of the joint
  void keep_displacement(const DisplacementMeasure& measure);
  // Two joints' coordinates, or more, in one row; see parts/coupler.h.
  Coupler& couple();
  CouplerTerm term_of(const std::string& joint);  // its angle or displacement
  int add_rate_driver(const Quantity& rate);
  AngleMeasure measure_angle(const Vec3& axis_world);

  void finish();  // enters the joint in the system
  int index() const { return index_; }
  void limit();  // the angle or displacement kept, by the key `limits`

  End from, to;
  int angle = -1, displacement = -1;

 private:
  RowPlace next_rows(int n);
  bool anchor_one(End& e, const std::string& body, const std::optional<Point>& world,
                  const std::optional<Point>& local);
  int index_;  // of the joint, in the model and in the system
  int rows_ = 0, parts_ = 0, velocity_rows_ = 0, coupler_ = -1;
  bool has_coincident_ = false;
  std::string label_;
};

// The parts of compiling that bodies of their own and groups share.
SystemBody make_body(const Body& body, const MassProperties& mass);
void lay_out(System& system);
void set_start(System& system, const SystemBody& b, const Body& given, const Vec3& center);
void add_groups(const Model& model, const RigidGroups& groups, System& system);
void hold_elements_to_ground(System& system);
void hold_members_to_ground(System& system);

// The expressions of driven rates, once all joints are there.
void resolve_rate_drivers(System& system);
// Gears that lock each other: a closed circle of ratios whose product is not 1.
void check_gear_loops(const System& system);

class ForceBuilder : public Builder {
 public:
  ForceBuilder(const Model& model, const BodyLookup& lookup, System& system, const Force& force);

  const Force& force;

  [[noreturn]] void fail(const std::string& message) const;
  End anchored_end(const std::string& body, const std::optional<Point>& world, const std::optional<Point>& local,
                   const char* key, bool anywhere = false);
  void add_applied(Applied::Kind kind, End at, const Point& components);
  Expression motion_expression(const Quantity& q);  // of t and the channels of motion
  TableCurve table_curve(const char* columns);
  const std::string& label() const { return label_; }

 private:
  std::string label_;
};

#define PLUMB_JOINT(name, builder, required, optional) void build_##builder(JointBuilder&);
#include "plumb/model/joint_types.def"
#undef PLUMB_JOINT
#define PLUMB_FORCE(name, builder, required, optional) void build_##builder(ForceBuilder&);
#include "plumb/model/force_types.def"
#undef PLUMB_FORCE

}  // namespace plumb
