// The value of any channel at a state of a mechanism. Works on evaluations of its own: looking does not disturb the
// run. Accelerations and multipliers are computed only when a channel needs them.
#pragma once

#include <vector>

#include "plumb/formulation/formulation.h"
#include "plumb/observe/gauge.h"

namespace plumb {

// What contacts report besides the motion.
class ContactReport {
 public:
  virtual ~ContactReport() = default;
  virtual Vec3 force(int contact) const = 0;                 // on the bodies, world axes
  virtual double gap(int contact, const Placement& at) = 0;  // the smallest
};

// Reactions of joints inside bodies that move as one.
class InnerReactions {
 public:
  virtual ~InnerReactions() = default;
  virtual void look_at(double t, const double* y, const Dynamics& merged) = 0;
  virtual void reaction(int joint, double* force, double* moment) const = 0;
};

class Measurement final : public Gauge {
 public:
  // `formulation` belongs to the measurement alone; `contacts` may be null.
  Measurement(Formulation& formulation, ContactReport* contacts);

  void set_contacts(ContactReport* contacts) { contacts_ = contacts; }
  void set_inner(InnerReactions* inner) { inner_ = inner; }
  // `reference` is what energy.drift is measured from.
  void set_reference(double energy_balance) { reference_ = energy_balance; }

  void look_at(double t, const double* y) override;
  double value(const Channel& channel) override;

  Energy energy() override;
  // Norms |g|, |G v + g_t|, |G v' + gamma|.
  double violation(int level) override;

  std::vector<Channel> channels() const override { return all_channels(dynamics_.system()); }
  std::optional<Channel> find(std::string_view name) const override { return find_channel(dynamics_.system(), name); }
  const std::map<std::string, double>& parameters() const override { return dynamics_.system().parameters; }

 private:
  void need_rates();
  void find_reaction(int joint, double* force, double* moment);

  Formulation& formulation_;
  Dynamics& dynamics_;
  ContactReport* contacts_;
  InnerReactions* inner_ = nullptr;
  double reference_ = 0;
  double t_ = 0;
  const double* y_ = nullptr;
  bool has_rates_ = false, has_inner_ = false;
  std::vector<double> rate_, rows_;
};

}  // namespace plumb
