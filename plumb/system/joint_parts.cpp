// The parts a joint is composed of beyond points, planes and axes: curves, rolling, threads, couplings.
#include <fmt/format.h>

#include <limits>

#include "plumb/expression/nearest_name.h"
#include "plumb/model/parameters.h"
#include "plumb/system/builder.h"

namespace plumb {
namespace {

void store(double* out, const Vec3& v) {
  for (int i = 0; i < 3; ++i) out[i] = v[i];
}

}  // namespace

void JointBuilder::keep_angle(const AngleMeasure& measure) {
  angle = static_cast<int>(system_.angles.size());
  system_.angles.push_back(measure);
}

DisplacementMeasure JointBuilder::measure_displacement(const Vec3& axis_world) {
  DisplacementMeasure m{from, to, {}};
  store(m.axis, to_local(from, axis_world));
  return m;
}

void JointBuilder::keep_displacement(const DisplacementMeasure& measure) {
  displacement = static_cast<int>(system_.displacements.size());
  system_.displacements.push_back(measure);
}

// Axes of the two shafts that coincide when the shorter rotation brings the shafts in line.
void JointBuilder::equal_spin(const Vec3& axis, const Vec3& axis_to) {
  const Complement across = complete_frame(axis);
  const Eigen::Quaterniond bend = Eigen::Quaterniond::FromTwoVectors(axis, axis_to);
  EqualSpin p{from, to, next_rows(1), {}, {}, {}, {}};
  const auto set = [&](const End& end, const Eigen::Quaterniond& turn, double* c, double* axes) {
    Mat3 R;  // its columns: the axes of the shaft in those of the body
    R << to_local(end, turn * across.first), to_local(end, turn * across.second), to_local(end, turn * axis);
    Eigen::Map<Mat3>(axes, 3, 3) = R;
    const Quaternion q = Quaternion::from_matrix(R);
    c[0] = q.w;
    c[1] = q.x;
    c[2] = q.y;
    c[3] = q.z;
  };
  set(from, Eigen::Quaterniond::Identity(), p.c_from, p.axes_from);
  set(to, bend, p.c_to, p.axes_to);
  system_.parts.equal_spins.push_back(p);
}

void JointBuilder::screw_thread(const AngleMeasure& measure, double advance) {
  const double start = (start_position(to) - start_position(from)).dot(joint.axis->normalized());
  system_.parts.screw_threads.push_back({from, to, next_rows(1), measure, advance, start});
}

void JointBuilder::point_on_curve(Curve curve) {
  if (from.kind == BodyKind::rigid) {
    const SystemMember& m = member(joint.from);
    curve.R = m.to_carrier();
    curve.offset = m.mass_center;
  }
  // The nearest of many points is where Newton's method begins.
  const Mat3 back = attitude(from).matrix().transpose();
  const Vec3 r = back * (start_position(to) - start_position(from));
  double best = curve.begin, least = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= 1000; ++i) {
    const double s = curve.begin + (curve.end - curve.begin) * i / 1000.0;
    const Curve::Place c = curve.at(s);
    if (!c.point.allFinite() || !c.tangent.allFinite())
      fail(fmt::format("the curve is not smooth at s = {:g}; range = [first, last] leaves such places out", s));
    if (!(c.tangent.norm() > 0)) fail(fmt::format("the curve stands still at s = {:g}; it needs a tangent", s));
    if (const double d = (c.point - r).norm(); d < least) least = d, best = s;
  }
  PointOnCurve p{from, to, next_rows(2), std::make_shared<const Curve>(std::move(curve)),
                 static_cast<int>(system_.curve_parameters.size())};
  system_.curve_parameters.push_back(p.curve->nearest(r, best));
  system_.parts.points_on_curve.push_back(std::move(p));
}

void JointBuilder::rolling(const Vec3& normal, const std::optional<Vec3>& axle, double radius, bool plane_given) {
  Rolling p{from, to, next_rows(3), {}, {}, radius, 0};
  velocity_rows_ += 2;
  const Complement across = complete_frame(normal);
  store(p.axes[0], to_local(from, normal));
  store(p.axes[1], to_local(from, across.first));
  store(p.axes[2], to_local(from, across.second));
  double lowest = -radius;
  if (axle) {
    store(p.axle, to_local(to, *axle));
    const double k = normal.cross(*axle).norm();
    if (k < 1e-6) fail("the disc lies flat on the plane; its axis must not be parallel to the normal");
    lowest = -radius * k;
  }
  if (!plane_given) p.height = normal.dot(start_position(to) - start_position(from)) + lowest;
  system_.parts.rollings.push_back(p);
}

Coupler& JointBuilder::couple() {
  coupler_ = static_cast<int>(system_.parts.couplers.size());
  const RowPlace place = next_rows(1);
  parts_ = 2;  // holds bodies that other joints hold: never alone
  Coupler c;
  c.joint = place.joint;
  system_.parts.couplers.push_back(c);
  return system_.parts.couplers.back();
}

CouplerTerm JointBuilder::term_of(const std::string& name) {
  std::vector<std::string> known;
  for (const SystemJoint& j : system_.joints) {
    known.push_back(j.name);
    if (j.name != name) continue;
    CouplerTerm term;
    if (j.angle >= 0) {
      term.angle = system_.angles[j.angle];
      term.turns = j.angle;
    } else if (j.displacement >= 0) {
      term.slide = system_.displacements[j.displacement];
    } else {
      fail(fmt::format("joint '{}' is {}; only joints with an angle or a displacement can be coupled", name, j.type));
    }
    Coupler& c = system_.parts.couplers[coupler_];
    const auto number_of = [&](const End& e) {
      if (e.body < 0) return -1;
      for (std::size_t k = 0; k < c.bodies.size(); ++k)
        if (c.bodies[k].body == e.body) return static_cast<int>(k);
      c.bodies.push_back(e);
      return static_cast<int>(c.bodies.size()) - 1;
    };
    term.from = number_of(j.from);
    term.to = number_of(j.to);
    to = j.to.body >= 0 ? j.to : j.from;  // whose reaction is reported: of the last joint coupled
    system_.joints[index_].is_inner = j.to.body == held_to_ground;
    return term;
  }
  fail(fmt::format("joints: there is no joint '{}' before this one{}", name, did_you_mean(name, known)));
}

void JointBuilder::limit() {
  if (!joint.limits) {
    if (joint.restitution) fail("restitution belongs to limits; give limits = [least, largest]");
    return;
  }
  using Kind = SystemLimit::Kind;
  const bool turns = angle >= 0;
  const double e = joint.restitution.value_or(0);
  system_.limits.push_back({turns ? Kind::least_angle : Kind::least_displacement, index_, (*joint.limits)[0], e});
  system_.limits.push_back({turns ? Kind::largest_angle : Kind::largest_displacement, index_, (*joint.limits)[1], e});
}

int JointBuilder::add_rate_driver(const Quantity& rate) {
  const int driver = static_cast<int>(system_.drivers.size());
  system_.drivers.emplace_back(0.0);
  system_.driver_places.push_back({label_, joint.source});
  system_.is_driven = true;
  system_.rate_drivers.push_back({driver, rate, Expression(rate.value), joint.source, label_ + ": rate"});
  return driver;
}

namespace {

// Parameters, t, and the channels that are positions; each gets the next slot.
class PositionNames : public Names {
 public:
  explicit PositionNames(System& system) : system_(system) {}

  static bool is_position(const Channel& c) {
    return c.kind == Channel::Kind::position || c.kind == Channel::Kind::joint_angle ||
           c.kind == Channel::Kind::displacement;
  }

  std::optional<Meaning> find(std::string_view name) const override {
    if (name == "t") return Meaning{std::nullopt, time_slot};
    if (const auto p = system_.parameters.find(std::string(name)); p != system_.parameters.end())
      return Meaning{p->second};
    const auto channel = find_channel(system_, name);
    if (!channel || !is_position(*channel)) return std::nullopt;
    auto& used = system_.rate_channels;
    for (std::size_t i = 0; i < used.size(); ++i)
      if (used[i].name == channel->name) return Meaning{std::nullopt, static_cast<int>(i) + 1};
    used.push_back(*channel);
    return Meaning{std::nullopt, static_cast<int>(used.size())};
  }

  std::vector<std::string> all() const override {
    std::vector<std::string> names = {"t"};
    for (const auto& [name, value] : system_.parameters) names.push_back(name);
    for (const Channel& c : all_channels(system_))
      if (is_position(c)) names.push_back(c.name);
    return names;
  }

 private:
  System& system_;
};

}  // namespace

// Every joint's coordinate is a multiple of that of the first of its train.
void check_gear_loops(const System& system) {
  const std::size_t n = system.joints.size();
  std::vector<int> train(n);
  std::vector<double> multiple(n, 1.0);
  for (std::size_t i = 0; i < n; ++i) train[i] = static_cast<int>(i);
  const auto joint_of = [&](const CouplerTerm& term) {
    for (std::size_t i = 0; i < n; ++i) {
      const SystemJoint& j = system.joints[i];
      if (term.turns >= 0 ? j.angle == term.turns
                          : j.displacement >= 0 && j.angle < 0 &&
                                system.displacements[j.displacement].to.anchor == term.slide.to.anchor)
        return static_cast<int>(i);
    }
    return 0;
  };
  for (const Coupler& c : system.parts.couplers) {
    if (c.terms.size() != 2 || !c.terms[1].function.empty()) continue;
    if (c.terms[0].coefficient == 0 || c.terms[1].coefficient == 0) continue;
    const int a = joint_of(c.terms[0]), b = joint_of(c.terms[1]);
    const double ratio = -c.terms[0].coefficient / c.terms[1].coefficient;  // q_b = ratio q_a
    if (train[a] != train[b]) {
      // b's train is expressed by a's
      const double factor = ratio * multiple[a] / multiple[b];
      const int old = train[b];
      for (std::size_t i = 0; i < n; ++i)
        if (train[i] == old) train[i] = train[a], multiple[i] *= factor;
      continue;
    }
    const double there = multiple[b] / multiple[a];
    if (std::abs(there - ratio) <= 1e-12 * std::abs(ratio)) continue;
    const SystemJoint& j = system.joints[c.joint];
    throw InputError(
        j.source, fmt::format("joint '{}'", j.name),
        fmt::format("the gears lock: '{}' turns {:.10g} times as far as '{}' by this one, {:.10g} times by "
                    "the others",
                    system.joints[b].name, ratio, system.joints[a].name, there));
  }
}

void resolve_rate_drivers(System& system) {
  for (RateDriver& d : system.rate_drivers) {
    if (d.rate.is_number()) continue;
    const Source at{d.source.file, d.rate.line > 0 ? d.rate.line : d.source.line};
    d.expression = parse_expression(d.rate.expression, PositionNames(system), at, d.label);
  }
}

}  // namespace plumb
