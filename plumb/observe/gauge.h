// What can be read off a state: named channels, energy, violation of the constraints. Mechanisms implement it
// (measurement.h), and so do models given as equations.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/system/channel.h"
#include "plumb/system/energy.h"

namespace plumb {

class Gauge {
 public:
  virtual ~Gauge() = default;

  // `y` must stay where it is while values are asked for.
  virtual void look_at(double t, const double* y) = 0;
  virtual double value(const Channel& channel) = 0;

  virtual bool has_energy() const { return true; }
  // Whether the energy comes with all that enters and leaves; what equations call energy may change as it likes.
  virtual bool accounts_for_energy() const { return true; }
  virtual Energy energy() = 0;
  // Norm of the constraints (0), of their first (1) and second (2) derivative.
  virtual double violation(int level) = 0;

  virtual std::vector<Channel> channels() const = 0;  // all, in the order of the columns of a trajectory
  virtual std::optional<Channel> find(std::string_view name) const = 0;
  virtual const std::map<std::string, double>& parameters() const = 0;
  // Channels whose change over a run is part of the audit.
  virtual std::vector<Channel> watched() const { return {}; }
};

}  // namespace plumb
