// A reduced system as a problem to be integrated: y' = F(t, y), the algebraic unknowns found on the way, and what the
// form does when a step ends.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plumb/equations/branch.h"
#include "plumb/equations/hidden_constraints.h"
#include "plumb/equations/reduction.h"
#include "plumb/equations/tape.h"
#include "plumb/integrator/problem.h"

namespace plumb {

class Flow final : public Problem {
 public:
  Flow(Reduction reduction, double omega);

  int size() const override { return n_; }
  int controlled() const override { return n_; }
  void derivative(double t, const double* y, double* rate) override {
    ++evaluations_;
    evaluate(t, y, rate);
  }
  void evaluate(double t, const double* y, double* rate);  // the same, not counted
  void begin_step() override { tape_.forget_faults(); }
  StepReport settle(double t, double* y) override;

  // What the last evaluation solved for: Reduction::tops.
  double top(int i) const { return tape_.output(static_cast<std::size_t>(n_ + i)); }
  // Where the search for the unknowns of nonlinear equations begins: at these values, or on a branch that is kept
  // elsewhere. Without either it begins where the last one ended.
  void guess(int top, double value);
  void follow(const Branch* branch) { branch_ = branch; }
  bool is_nonlinear() const { return !nonlinear_.empty(); }
  // Whether a solved unknown is one of these.
  bool is_nonlinear(int top) const;
  // What is solved for at (t, y), with its rates along the solution.
  void look(double t, const double* y, Branch::Point& point);

  // Modes of everything that switches (Reduction::switches): held, or null: as they are live.
  void hold_switches(const double* modes);
  // The modes, and how far inside each mode it is, as they would be at (t, y).
  void live_modes(double t, const double* y, double* modes);
  void indicators(double t, const double* y, const double* modes, double* z);
  double next_mode(double t, const double* y, int number, const double* modes);

  // The smallest pivot met in solving, relative to its row; 0 at positions where the equations determine no solution.
  double regularity() const;

  // From symbolic derivatives, built at the first call; not for ggl, whose right-hand side is projected.
  bool jacobian(double t, const double* y, double* out) override;

  HiddenConstraints& constraints() { return constraints_; }
  const Reduction& reduction() const { return *reduction_; }
  double omega() const { return omega_; }
  long evaluations() const { return evaluations_; }
  std::size_t operations() const { return tape_.operations(); }
  // What could not be solved since the last call, in words; empty: everything could.
  std::string fault();
  // A state beyond it at the end of a step is no result any more.
  void set_bound(double bound) { bound_ = bound; }
  double bound() const { return bound_; }

 private:
  void build_jacobian();
  void build_slopes();
  void build_sides();
  void find_sides(double t, const double* y, const double* modes);
  void run_with_tops(Tape& tape, double t, const double* y);

  std::shared_ptr<const Reduction> reduction_;
  double omega_;
  int n_;
  std::vector<std::pair<int, std::size_t>> pivots_;  // block of one unknown, output with its factor
  Tape tape_;
  HiddenConstraints constraints_;
  struct NonlinearTop {
    int top, place_in_tape;
  };
  std::vector<NonlinearTop> nonlinear_;
  const Branch* branch_ = nullptr;
  const double* modes_ = nullptr;
  std::optional<Tape> jacobian_, slopes_, sides_;
  std::vector<double> work_;
  long evaluations_ = 0;
  double bound_ = 1e100;
};

// The equations a block is solved from, ready for a tape or for print: matrix and right-hand side (linear), or Jacobian
// and residual (nonlinear).
struct BlockEquations {
  std::vector<GiNaC::ex> unknowns;
  std::vector<std::vector<GiNaC::ex>> matrix;
  std::vector<GiNaC::ex> right;
};
BlockEquations equations_of(const Reduction& reduction, const SolvedBlock& block);
// The solution of a linear block of one unknown.
GiNaC::ex solution_of(const Reduction& reduction, const SolvedBlock& block);

// The same polynomial with the fewest operations we find: as it is, or nested (Horner) by its most frequent variable.
GiNaC::ex cheapest(const Reduction& reduction, const GiNaC::ex& e);

}  // namespace plumb
