#include "plumb/observe/measurement.h"

#include <cmath>

namespace plumb {

Measurement::Measurement(Formulation& formulation, ContactReport* contacts)
    : formulation_(formulation),
      dynamics_(formulation.dynamics()),
      contacts_(contacts),
      rate_(dynamics_.system().size()),
      rows_(dynamics_.system().rows) {}

void Measurement::look_at(double t, const double* y) {
  t_ = t;
  y_ = y;
  has_rates_ = false;
  has_inner_ = false;
  dynamics_.place(t, y);
}

void Measurement::need_rates() {
  if (has_rates_) return;
  formulation_.derivative(t_, y_, rate_.data());
  has_rates_ = true;
}

void Measurement::find_reaction(int joint, double* force, double* moment) {
  if (!inner_ || !dynamics_.system().joints[joint].is_inner) {
    need_rates();
    return dynamics_.reaction(joint, force, moment);
  }
  if (!has_inner_) inner_->look_at(t_, y_, dynamics_);
  has_inner_ = true;
  inner_->reaction(joint, force, moment);
}

Energy Measurement::energy() { return dynamics_.energy(y_); }

double Measurement::violation(int level) {
  if (rows_.empty()) return 0;
  if (level == 0) {
    dynamics_.residual(rows_.data());
  } else if (level == 1) {
    if (!has_rates_) dynamics_.linearise();
    dynamics_.rate_residual(rows_.data());
  } else {
    need_rates();
    dynamics_.acceleration_residual(rate_.data() + dynamics_.system().nq, rows_.data());
  }
  double square = 0;
  for (double r : rows_) square += r * r;
  return std::sqrt(square);
}

double Measurement::value(const Channel& c) {
  using Kind = Channel::Kind;
  if (c.is_motion()) return dynamics_.channel(c);
  switch (c.kind) {
    case Kind::energy: {
      const Energy e = energy();
      const double parts[] = {e.kinetic, e.potential, e.total(), e.work, e.dissipated, e.balance() - reference_};
      return parts[c.component];
    }
    case Kind::violation: return violation(c.component);
    case Kind::contact_gap: return contacts_ ? contacts_->gap(c.index, dynamics_.placement()) : 0;
    case Kind::contact_force: need_rates(); return contacts_ ? contacts_->force(c.index)[c.component] : 0;
    case Kind::momentum: return dynamics_.momentum(y_)[c.component];
    case Kind::angular_momentum: return dynamics_.angular_momentum(y_)[c.component];
    default: {
      double force[3], moment[3];
      find_reaction(c.index, force, moment);
      return c.kind == Kind::reaction_force ? force[c.component] : moment[c.component];
    }
  }
}

}  // namespace plumb
