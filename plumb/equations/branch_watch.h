// Keeps a run on its branch of nonlinear equations (equations/branch.h), and refuses steps across which an unknown
// leaves it: over a step h a smooth unknown changes by about h (x0' + x1')/2; one that has jumped to another root does
// not, however short the step is. Where a branch ends, at a fold, no step leads on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plumb/equations/flow.h"

namespace plumb {

class BranchWatch {
 public:
  // `flow` as it has just been solved at the start; it is copied.
  explicit BranchWatch(const Flow& flow) : flow_(flow) {}

  bool is_needed() const { return flow_.is_nonlinear(); }
  Flow& flow() { return flow_; }
  const Branch& branch() const { return branch_; }

  void begin(double t, const double* y);
  // How many times too far an unknown is from where the branch leads; more than 1: it has left it.
  double leaving(double t, const double* y);
  void accepted(double t, const double* y);
  // Something has switched at t.
  void renew(double t, const double* y);

  // The unknown that left it in the last step asked about; empty: none did.
  std::optional<int> left() const { return left_; }

 private:
  void note_sizes(const Branch::Point& p);

  Flow flow_;
  Branch branch_;
  std::vector<double> sizes_;
  std::optional<int> left_;
};

}  // namespace plumb
