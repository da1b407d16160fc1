// Joints between the coordinates of joints: gear, rack-and-pinion, coupler. Linear ones keep the value of the start.
#include <fmt/format.h>

#include "plumb/model/parameters.h"
#include "plumb/system/builder.h"

namespace plumb {
namespace {

// Parameters, and x for the coordinate a function is of.
class CoordinateNames : public ParameterNames {
 public:
  explicit CoordinateNames(const std::map<std::string, double>& parameters) : ParameterNames(parameters, false) {}
  std::optional<Meaning> find(std::string_view name) const override {
    return name == "x" ? Meaning{std::nullopt, time_slot} : ParameterNames::find(name);
  }
};

// At the start angles are 0 by definition, displacements what they are.
double start_value(JointBuilder& b, const CouplerTerm& term) {
  if (term.turns >= 0) return 0;
  const DisplacementMeasure& m = term.slide;
  return b.start_direction(m.from, Vec3(m.axis[0], m.axis[1], m.axis[2]))
      .dot(b.start_position(m.to) - b.start_position(m.from));
}

void couple_linearly(JointBuilder& b, const std::vector<double>& coefficients) {
  const std::vector<std::string>& names = *b.joint.joints;
  Coupler& c = b.couple();
  for (std::size_t k = 0; k < names.size(); ++k) {
    CouplerTerm term = b.term_of(names[k]);
    term.coefficient = coefficients[k];
    c.constant += coefficients[k] * start_value(b, term);
    c.terms.push_back(term);
  }
}

void require_joints(const JointBuilder& b, std::size_t n, const char* what) {
  const std::vector<std::string>& names = *b.joint.joints;
  if (names.size() != n) b.fail(fmt::format("joints must name {}", what));
  if (n == 2 && names[0] == names[1]) b.fail(fmt::format("'{}' is coupled with itself; name two joints", names[0]));
}

}  // namespace

void build_gear(JointBuilder& b) {
  require_joints(b, 2, "two revolute joints");
  couple_linearly(b, {-*b.joint.ratio, 1});
  for (const CouplerTerm& term : b.system().parts.couplers.back().terms)
    if (term.turns < 0) b.fail("a gear couples joints that turn; for a sliding joint use rack-and-pinion or coupler");
}

void build_rack_and_pinion(JointBuilder& b) {
  require_joints(b, 2, "the pinion (a revolute joint) and the rack (a prismatic joint)");
  couple_linearly(b, {-*b.joint.radius, 1});
  const std::vector<CouplerTerm>& terms = b.system().parts.couplers.back().terms;
  if (terms[0].turns < 0) b.fail(fmt::format("'{}' does not turn; the pinion comes first", (*b.joint.joints)[0]));
  if (terms[1].turns >= 0) b.fail(fmt::format("'{}' does not slide; the rack comes second", (*b.joint.joints)[1]));
}

void build_coupler(JointBuilder& b) {
  const Joint& j = b.joint;
  if (j.coefficients.has_value() == j.function.has_value())
    b.fail("give coefficients (a linear coupling) or function (first coordinate = function of x, the second)");
  if (j.coefficients) {
    if (j.joints->empty() || j.joints->size() != j.coefficients->size())
      b.fail(fmt::format("{} joints but {} coefficients; give one for each", j.joints->size(), j.coefficients->size()));
    return couple_linearly(b, *j.coefficients);
  }
  require_joints(b, 2, "two joints: the one driven and the one that drives it");
  Coupler& c = b.couple();
  c.terms.push_back(b.term_of((*j.joints)[0]));
  CouplerTerm second = b.term_of((*j.joints)[1]);
  second.coefficient = -1;
  second.function.push_back(parse_expression(*j.function, CoordinateNames(b.system().parameters), j.source,
                                             "joint '" + j.name + "': function"));
  c.terms.push_back(second);
}

}  // namespace plumb
