#include "plumb/simulation/written_reactions.h"

namespace plumb {

WrittenReactions::WrittenReactions(const Model& model, const System& written, const System& merged,
                                   const std::vector<ClosedContact>* closed, const Stabilisation& stabilisation)
    : written_(written),
      merged_(merged),
      located_(closed),
      scene_(model, written),
      evaluation_(written, closed ? &scene_ : nullptr, &closed_, Formulation::Kind::index1, stabilisation),
      y_(static_cast<std::size_t>(written.size())),
      rate_(static_cast<std::size_t>(written.size())) {}

void WrittenReactions::look_at(double t, const double* y, const Dynamics& merged) {
  expand(written_, merged_, y, y_.data());
  evaluation_.dynamics.remember_as(merged);
  take_contacts();
  evaluation_.formulation.derivative(t, y_.data(), rate_.data());
}

// A place where a body is touched, in the axes of what carries it: in its own, from its own mass centre.
Feature WrittenReactions::on_member(const Feature& f, int member) const {
  if (member < 0) return f;
  const SystemMember& m = merged_.members[member];
  const Mat3 turn = written_.bodies[member].axes.matrix().transpose() * m.axes.matrix();
  const Vec3 offset = Eigen::Map<const Vec3>(merged_.anchors.data() + 3 * m.end.anchor);
  Feature own = f;
  own.place = turn * (f.place - offset);
  own.along = turn * f.along;
  return own;
}

void WrittenReactions::take_contacts() {
  if (!located_) return;
  closed_ = *located_;
  for (ClosedContact& c : closed_) {
    if (!c.place.is_between_solids()) continue;
    Meeting& m = c.place.touching.meeting;
    m.from = on_member(m.from, scene_.from_member(c.place));
    m.to = on_member(m.to, scene_.to_member(c.place));
  }
}

}  // namespace plumb
