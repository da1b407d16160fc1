// Reactions of the joints inside bodies that were merged (system/rigid_groups.cpp): those of the model as it is
// written, at the same state and with the same contacts closed.
#pragma once

#include <vector>

#include "plumb/observe/measurement.h"
#include "plumb/simulation/evaluation.h"

namespace plumb {

class WrittenReactions final : public InnerReactions {
 public:
  // `closed` are the contacts of the merged system, which may have none (null).
  WrittenReactions(const Model& model, const System& written, const System& merged,
                   const std::vector<ClosedContact>* closed, const Stabilisation& stabilisation);

  Dynamics& dynamics() { return evaluation_.dynamics; }
  void look_at(double t, const double* y, const Dynamics& merged) override;
  void reaction(int joint, double* force, double* moment) const override {
    evaluation_.dynamics.reaction(joint, force, moment);
  }

 private:
  void take_contacts();
  Feature on_member(const Feature& f, int member) const;

  const System &written_, &merged_;
  const std::vector<ClosedContact>* located_;
  Scene scene_;
  std::vector<ClosedContact> closed_;
  Evaluation evaluation_;
  std::vector<double> y_, rate_;
};

}  // namespace plumb
