// The constraints of a reduced system and their derivatives as functions of the state, h(t, y) = 0, and the smallest
// change of the state that satisfies them. They are taken stage by stage: positions from g, then velocities from g',
// with the positions held, and so on.
#pragma once

#include <string>
#include <vector>

#include "plumb/equations/reduction.h"
#include "plumb/equations/tape.h"
#include "plumb/integrator/problem.h"

namespace plumb {

// Puts the values of parameters and the inputs t, y into a tape under construction.
void declare(const Reduction& reduction, double omega, TapeBuilder& builder);

class HiddenConstraints {
 public:
  HiddenConstraints(const Reduction& reduction, double omega);

  int rows() const { return rows_; }
  int first_stage() const { return first_stage_; }
  int last_stage() const { return last_stage_; }
  // What an invariant of the reduction is, without its formula.
  struct Row {
    int equation, order, stage;
  };
  const Row& invariant(int row) const { return invariants_[static_cast<std::size_t>(row)]; }

  void hold_switches(const double* modes) { tape_.hold(modes); }
  void evaluate(double t, const double* y);
  double value(int row) const { return tape_.output(static_cast<std::size_t>(row)); }
  double violation(int order) const;  // norm over the constraints differentiated so often, at the place evaluated

  static constexpr int all_stages = 1;
  // One Newton step at the place evaluated: the variables of the stage, or of all stages at once (not those held), move
  // as little as possible. Returns the largest change relative to 1 + |y|.
  double correct(int stage, const std::vector<char>* held, double fraction, double* y);
  // rate -= H⁺ r with r_i the next higher derivative of each constraint, at the place evaluated: then h' = 0.
  void hold(double* rate);
  // All stages, until rounding.
  StepReport project(double t, double* y);

 private:
  struct Entry {
    int row, column, output;
  };
  // x = Hᵀ (H Hᵀ)⁻¹ right over the chosen rows and columns, rows that depend on others left out.
  void least_norm(int rows, int columns);

  Tape tape_;
  int rows_ = 0, size_ = 0;
  int first_stage_ = 0, last_stage_ = -1;
  std::vector<Row> invariants_;
  std::vector<int> next_;    // row of the derivative of each, -1: none
  std::vector<int> stages_;  // of the states
  std::vector<Entry> entries_;
  std::vector<double> h_matrix_, normal_, right_, solution_;
  std::vector<int> row_index_, column_index_;
};

}  // namespace plumb
