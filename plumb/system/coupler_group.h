// The couplers of a system as a group of constraint parts. They are few; ends are told apart at run time.
#pragma once

#include "plumb/system/part_group.h"
#include "plumb/system/parts/coupler.h"

namespace plumb {

class CouplerGroup final : public PartGroup {
 public:
  CouplerGroup(const Workplace& work, std::vector<Coupler> couplers)
      : PartGroup(work), couplers_(std::move(couplers)) {}

  void residual(double* g) const override;
  void linearise(double* g) const override;
  void update(const double* a, double* out) const override;
  void multiply(const double* v, double* out) const override;
  void push(const double* lambda, double* a) const override;
  void drive(double* g_t) const override;
  // Couplers never stand alone.
  void solve_alone(double*) const override {}
  void accelerate_alone(double*, double*) const override {}
  double project_alone(double*, double) const override { return 0; }

 private:
  double value(const CouplerTerm& term) const;
  Jet shape(const CouplerTerm& term) const;  // phi, phi', phi''
  void jacobian(const Coupler& c) const;
  double bias(const Coupler& c) const;
  double along(const Coupler& c, const double* v) const;

  std::vector<Coupler> couplers_;
};

}  // namespace plumb
