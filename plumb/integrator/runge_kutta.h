// Explicit Runge-Kutta steps on any Problem, for any explicit tableau.
#pragma once

#include <vector>

#include "plumb/integrator/integrator.h"
#include "plumb/integrator/problem.h"
#include "plumb/integrator/tableau.h"

namespace plumb {

class RungeKutta : public Integrator {
 public:
  RungeKutta(Problem& problem, const Tableau& tableau);

  void begin(double t, const double* y) override;
  StepReport attempt(double h) override;
  double error(double tolerance) override;
  double initial_step(double tolerance) override;
  void complete() override { evaluate_last(); }
  void interpolate(double theta, double* y) override;
  void advance(double t) override;
  Quickness quickness() const override;
  double time() const override { return t_; }
  const double* state() const override { return y0_.data(); }
  const double* result() const override { return y1_.data(); }

 private:
  // out = y + h sum w_j k_j with the nonzero weights of one row.
  struct Combination {
    std::vector<int> stages;
    std::vector<double> weights, scaled;  // scaled: times h
    std::vector<const double*> values;    // of these stages
    void (*add)(int n, const double* y, const double* w, const double* const* k, double* out) = nullptr;
  };
  Combination nonzero(const std::vector<double>& row) const;
  void set_step(double h);
  void combine(const Combination& sum, double* out) const;
  double weighted_error(const Combination& sum, double tolerance) const;
  void evaluate_last();
  void evaluate_extra();

  Problem& problem_;
  const Tableau& tableau_;
  std::vector<Combination> rows_;
  Combination result_, error_, error3_;
  int n_;           // size of the state
  int controlled_;  // its part under error control
  double stable_;   // |h lambda| at most; 0: its last stage is not at the end of the step, and tells nothing
  std::vector<double> storage_;
  std::vector<double*> k_;  // stages; k_[stages] belongs to the end of the step
  std::vector<double> y0_, y1_, stage_;
  double t_ = 0, h_ = 0;
  bool has_last_ = false, has_extra_ = false;
};

}  // namespace plumb
