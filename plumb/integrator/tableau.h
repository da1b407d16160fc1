// Runge-Kutta methods as data. A method is one function that fills a Tableau; nothing else knows it.
//
//   Y_s = y0 + h sum_{j<s} a_sj k_j,   k_s = f(t + c_s h, Y_s),   y1 = y0 + h sum b_s k_s
//
// Stage number `stages` is f(t + h, y1), the first stage of the next step. Rows of `a` beyond it, if any,
// are the extra stages of the dense output y(t + th h) = y0 + h sum b_i(th) k_i.
//
// Implicit methods have full rows in `a`, end with the node 1, and b is the last row. Their error estimate is
// f(y0) + sum error_i z_i / h with z_i = Y_i - y0, filtered (implicit_runge_kutta.h).
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace plumb {

// h_new = h * safety * err^-proportional * err_last^integral, within the two bounds.
struct StepControl {
  double safety = 0.9, proportional = 0, integral = 0, smallest = 0.2, largest = 10;
};

struct Tableau {
  std::string name;
  int order = 0;
  int stages = 0;
  bool is_implicit = false;
  std::vector<double> c;
  std::vector<std::vector<double>> a;
  std::vector<double> b;
  std::vector<double> error;   // weights of the error estimate over stages + 1 values; empty: none
  std::vector<double> error3;  // dop853: the guard of order 3
  int error_order = 0;
  StepControl control{};
  std::vector<std::vector<double>> dense;  // dense[i][k]: coefficient of th^(k+1) in b_i; empty: cubic Hermite

  bool is_adaptive() const { return !error.empty(); }
  int dense_order() const { return dense.empty() ? 3 : static_cast<int>(dense[0].size()); }
};

struct RowEntry {
  int column;
  double value;
};
struct MatrixEntry {
  int row, column;
  double value;
};
std::vector<double> sparse_row(int size, std::initializer_list<RowEntry> entries);
std::vector<std::vector<double>> sparse_rows(int size, std::initializer_list<MatrixEntry> entries);

// th (r1 + (1-th) (r2 + th (r3 + (1-th) (r4 + …)))) as powers of th, one row for each stage.
std::vector<std::vector<double>> nested_interpolant(const std::vector<std::vector<double>>& r);

// The largest x for which |R(-x)| <= 1: stability on the negative real axis, where Baumgarte's damping acts. Infinite
// for implicit methods.
double real_stability_limit(const Tableau& tableau);
// Damping well inside it: half of the limit; without a limit, such that a violation falls to a tenth in a step.
double stable_omega(const Tableau& tableau, double step);

Tableau euler_tableau();
Tableau midpoint_tableau();
Tableau collatz_printed_tableau();
Tableau heun_tableau();
Tableau rk4_tableau();
Tableau dopri5_tableau();
Tableau dop853_tableau();
Tableau radau5_tableau();

// All of them, lowest order first.
const std::vector<Tableau>& tableaux();

// What automatic methods begin with, and what they go on with where the equations are stiff.
const Tableau& usual_tableau();
const Tableau& stiff_tableau();

}  // namespace plumb
