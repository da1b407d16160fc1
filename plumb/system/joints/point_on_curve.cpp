// A point of `to` stays on a curve carried by `from`: curve = [x(s), y(s), z(s)] in its body coordinates.
#include "plumb/model/parameters.h"
#include "plumb/system/builder.h"

namespace plumb {
namespace {

// Parameters, and s for the place on the curve.
class CurveNames : public ParameterNames {
 public:
  explicit CurveNames(const std::map<std::string, double>& parameters) : ParameterNames(parameters, false) {}
  std::optional<Meaning> find(std::string_view name) const override {
    return name == "s" ? Meaning{std::nullopt, time_slot} : ParameterNames::find(name);
  }
};

}  // namespace

void build_point_on_curve(JointBuilder& b) {
  if (b.from.kind == BodyKind::point) b.fail("from carries the curve and cannot be a point mass; exchange from and to");
  b.anchor_to();
  Curve curve;
  for (int i = 0; i < 3; ++i) {
    const Quantity& q = (*b.joint.curve)[i];
    const Source at{b.joint.source.file, q.line > 0 ? q.line : b.joint.source.line};
    curve.components[i] = q.is_number() ? Expression(q.value)
                                        : parse_expression(q.expression, CurveNames(b.system().parameters), at,
                                                           "joint '" + b.joint.name + "': curve");
  }
  if (b.joint.range) curve.begin = (*b.joint.range)[0], curve.end = (*b.joint.range)[1];
  b.point_on_curve(std::move(curve));
}

}  // namespace plumb
