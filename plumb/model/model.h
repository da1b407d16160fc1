// What the user says: bodies, joints, forces, events and how to simulate, as plain values.
//
// A model file and C++ code fill the same structures; every field has the name of its key in the file:
//
//   plumb::Model model;
//   model.add(plumb::Body{.name = "bob", .mass = 1.0, .position = {-1, 0, 0}});
//   model.add(plumb::Joint{.name = "rod", .type = "rod", .from = "ground", .to = "bob",
//                          .from_point = plumb::Point{0.0, 0.0, 0.0}});
//   model.simulation.duration = 10;
//
// SI units, radians, quaternions scalar first. Nothing here computes; `check` (model/check.h) finds mistakes.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/model/input_error.h"
#include "plumb/spatial/inertia.h"
#include "plumb/spatial/rotation.h"

namespace plumb {

// A number, or an expression of time and channels that is evaluated during the run.
struct Quantity {
  double value = 0;
  std::string expression;  // empty: a plain number
  int line = 0;

  Quantity() = default;
  Quantity(double number) : value(number) {}
  Quantity(const char* text) : expression(text) {}
  Quantity(std::string text, int at_line = 0) : expression(std::move(text)), line(at_line) {}

  bool is_number() const { return expression.empty(); }
};
using Point = std::array<Quantity, 3>;

// Neither shape nor inertia: a point mass.
struct Body {
  std::string name{};
  std::optional<double> mass{};
  std::optional<double> density{};
  std::optional<Shape> shape{};
  std::optional<Inertia> inertia{};  // about the mass centre, body axes
  // In body coordinates, whose origin local anchors are measured from; not given: the centre of the shape.
  std::optional<Vec3> mass_center{};
  Vec3 position = Vec3::Zero();                 // of the mass centre, world axes
  Quaternion rotation{};                        // body axes to world axes
  std::optional<Vec3> velocity{};               // of the mass centre; not given: whatever the joints ask for
  std::optional<Vec3> angular_velocity{};       // world axes
  std::optional<Vec3> angular_velocity_body{};  // body axes, instead
  Source source{};

  bool is_point() const { return !shape && !inertia; }
};

// Anchors: *_point in world coordinates at the start, *_local in body coordinates. `point` sets both ends.
// On the ground the two mean the same. Expressions of t make an anchor move.
struct Joint {
  std::string name{};
  std::string type{};
  std::string from{};
  std::string to{};
  std::optional<Point> point{};
  std::optional<Point> from_point{};
  std::optional<Point> to_point{};
  std::optional<Point> from_local{};
  std::optional<Point> to_local{};
  std::optional<Vec3> axis{};              // world axes at the start
  std::optional<Vec3> normal{};            // point-on-plane: of the plane, carried by `from`
  std::optional<Quantity> length{};        // rod: number or expression of t
  std::optional<Quantity> angle{};         // revolute: driven, expression of t
  std::optional<Quantity> displacement{};  // prismatic: driven, expression of t
  std::optional<Quantity> rate{};          // revolute, prismatic: driven velocity, expression of t and positions
  std::optional<Vec3> axis_to{};           // universal, constant-velocity, perpendicular-axes: the axis of `to`
  std::optional<double> pitch{};           // screw: m per turn
  std::optional<double> radius{};          // rolling, rack-and-pinion
  std::optional<double> ratio{};           // gear: angle of the second joint over that of the first
  std::optional<std::vector<std::string>> joints{};   // gear, rack-and-pinion, coupler: the joints coupled
  std::optional<std::vector<double>> coefficients{};  // coupler: sum of coefficient times coordinate is kept
  std::optional<std::string> function{};              // coupler: first coordinate = function of the second, x
  std::optional<Point> curve{};                       // point-on-curve: expressions of s
  std::optional<std::vector<double>> range{};         // of s
  std::optional<std::vector<double>> limits{};        // revolute, prismatic: least and largest coordinate
  std::optional<double> restitution{};                // at the limits; of a rope when it becomes taut
  std::optional<double> start{}, start_rate{};        // of its coordinate; the file's pose is that of all at zero
  Source source{};
};

struct Force {
  std::string name{};
  std::string type{};
  std::string from{};  // spring
  std::string to{};
  std::string on{};                                  // force, torque
  std::string joint{};                               // torsion
  std::optional<std::vector<std::string>> bodies{};  // drag; not given: all
  std::optional<Point> point{};
  std::optional<Point> from_point{};
  std::optional<Point> to_point{};
  std::optional<Point> local{};
  std::optional<Point> from_local{};
  std::optional<Point> to_local{};
  std::optional<Point> force{};
  std::optional<Point> torque{};
  std::string axes = "world";  // of force and torque: world or body
  std::optional<double> stiffness{};
  std::optional<double> damping{};
  std::optional<double> length{};     // spring: unstretched; not given: the start distance
  std::optional<double> angle{};      // torsion: unwound; not given: 0, the start
  std::optional<double> linear{};     // drag: N s/m
  std::optional<double> quadratic{};  // drag: N s²/m²
  std::optional<Vec3> axis{};         // torque-between: world axes at the start, carried by `from`
  std::optional<Quantity> effort{};   // motor, torque-between: N m, or N on a sliding joint
  std::optional<std::vector<std::array<double, 2>>> table{};  // spring: extension, tension; motor: rate, effort
  std::optional<std::vector<double>> stiffness_matrix{};      // bushing: 6 or 36 numbers
  std::optional<std::vector<double>> damping_matrix{};
  std::optional<double> coulomb{};  // joint-friction: N m, or N
  std::optional<double> smooth{};   // joint-friction: rate below which it is smoothed
  Source source{};
};

// Surfaces fixed in the world.
struct PlaneSurface {  // everything on the side to which the normal points is free
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::UnitZ();
};
struct WallSurface {  // a rectangle without thickness, solid from both sides
  Vec3 center = Vec3::Zero();
  Vec3 normal = Vec3::UnitX();
  Vec3 along = Vec3::UnitY();    // direction of the first edge
  double width = 1, height = 1;  // along it, and across it
};

struct Contact {
  enum class Law { newton, poisson };

  std::string name{};
  std::optional<PlaneSurface> plane{};
  std::optional<WallSurface> wall{};
  std::optional<std::vector<std::string>> between{};  // bodies that may touch each other
  std::optional<std::vector<std::string>> bodies{};   // that may touch the surface; not given: all
  double restitution = 0;
  double friction = 0;
  Law law = Law::newton;
  Source source{};
};

struct Event {
  enum class Direction { both, rising, falling };
  enum class Action { record, stop };

  std::string name{};
  std::string zero_of{};
  Direction direction = Direction::both;
  Action action = Action::record;
  bool locate = true;  // false: taken at the first step past the root
  Source source{};
};

// One line of [equations], [initial] or [watch].
struct EquationText {
  std::string text{};
  bool is_algebraic = false;
  Source source{};
};
struct InitialValue {
  std::string name{};  // of an unknown, with a prime for each derivative
  double value = 0;
  bool is_guess = false;  // where the search for the start begins, not what it must be
  Source source{};
};
struct WatchedQuantity {
  std::string name{};
  std::string expression{};
  Source source{};
};

// A model given as a system of differential and algebraic equations instead of bodies.
struct EquationSet {
  std::vector<EquationText> equations{};
  std::vector<InitialValue> initial{};
  std::vector<WatchedQuantity> watch{};
  Source source{};
};

struct SimulationSettings {
  std::optional<double> duration{};
  std::string method = "projected/dop853";
  std::optional<double> tolerance{};  // adaptive step; default 1e-10 where the method has an error estimate
  std::optional<double> step{};       // fixed step
  std::optional<double> output_every{};
  std::optional<double> omega{};  // baumgarte: (d/dt + omega)² g = 0
  bool omega_auto = false;        // or chosen from the step, such that it is stable
  std::optional<double> alpha{};  // or g'' + 2 alpha g' + beta² g = 0
  std::optional<double> beta{};
  std::optional<double> theta{};  // moreau: 1/2 to 1
  std::optional<double> max_step{};
  std::optional<double> max_steps{};
  bool fix_start = false;                     // equations: start from the nearest consistent values
  std::vector<std::string> result_columns{};  // channels of columns 2 and 3 of the six-column file
  Source source{};
};

// Parameters set from outside, as text: {"l", "2*pi"}.
using Overrides = std::vector<std::pair<std::string, std::string>>;

struct Model {
  std::string title{}, description{};
  Vec3 gravity{0, 0, -9.81};
  std::map<std::string, double> parameters{};
  std::vector<Body> bodies{};
  std::vector<Joint> joints{};
  std::vector<Force> forces{};
  std::vector<Contact> contacts{};
  std::vector<Event> events{};
  std::optional<EquationSet> equations{};  // instead of bodies, joints, forces and contacts
  SimulationSettings simulation{};
  Source source{};
  std::string text{};     // of the file it was read from; empty for models built in C++
  Overrides overrides{};  // of its parameters

  Body& add(Body body) { return bodies.emplace_back(std::move(body)); }
  Joint& add(Joint joint) { return joints.emplace_back(std::move(joint)); }
  Force& add(Force force) { return forces.emplace_back(std::move(force)); }
  Contact& add(Contact contact) { return contacts.emplace_back(std::move(contact)); }
  Event& add(Event event) { return events.emplace_back(std::move(event)); }
};

// Said of a model given as equations where the program was built without that component.
inline const char* const no_equations =
    "this program was built without models given as equations; it needs GiNaC (Debian: libginac-dev) and the CMake "
    "option PLUMB_EQUATIONS";

inline const std::string ground_name = "ground";

// Mass, mass centre in body coordinates and, for a rigid body, inertia about it, from whatever was given.
struct MassProperties {
  double mass = 0;
  Vec3 center = Vec3::Zero();
  std::optional<Inertia> inertia;
};
MassProperties mass_properties(const Body& body);

}  // namespace plumb
