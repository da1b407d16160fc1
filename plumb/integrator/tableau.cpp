#include "plumb/integrator/tableau.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumb {

std::vector<double> sparse_row(int size, std::initializer_list<RowEntry> entries) {
  std::vector<double> row(size);
  for (const RowEntry& e : entries) row[e.column] = e.value;
  return row;
}

std::vector<std::vector<double>> sparse_rows(int size, std::initializer_list<MatrixEntry> entries) {
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < size; ++i) rows.emplace_back(i);  // strictly lower triangular
  for (const MatrixEntry& e : entries) rows[e.row][e.column] = e.value;
  return rows;
}

std::vector<std::vector<double>> nested_interpolant(const std::vector<std::vector<double>>& r) {
  const std::size_t stages = r[0].size(), degree = r.size();
  std::vector<std::vector<double>> dense(stages, std::vector<double>(degree));
  for (std::size_t i = 0; i < stages; ++i) {
    // From the inside out: p <- r_k + (th or 1 - th) p.
    std::vector<double> p = {r[degree - 1][i]};
    for (std::size_t k = degree - 1; k-- > 0;) {
      std::vector<double> q(p.size() + 1);
      const bool by_one_minus = k % 2 == 0;
      for (std::size_t n = 0; n < p.size(); ++n) {
        if (by_one_minus) q[n] += p[n];
        q[n + 1] += by_one_minus ? -p[n] : p[n];
      }
      q[0] += r[k][i];
      p = q;
    }
    dense[i] = p;  // times th: the coefficient of th^(n+1) is p[n]
  }
  return dense;
}

double real_stability_limit(const Tableau& tableau) {
  if (tableau.is_implicit) return std::numeric_limits<double>::infinity();
  // R(z) by running the method on y' = z y.
  const auto growth = [&](double z) {
    std::vector<double> k;
    double y = 1;
    for (int s = 0; s < tableau.stages; ++s) {
      double stage = 1;
      for (int j = 0; j < s; ++j) stage += tableau.a[s][j] * k[j];
      k.push_back(z * stage);
      y += tableau.b[s] * k[s];
    }
    return std::abs(y);
  };
  const double step = 1.0 / 1024;
  double x = step;
  while (growth(-x) <= 1 + 1e-12) x += step;
  double low = x - step, high = x;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (growth(-middle) <= 1 + 1e-12 ? low : high) = middle;
  }
  return low;
}

double stable_omega(const Tableau& tableau, double step) {
  return (tableau.is_implicit ? 2.3 : real_stability_limit(tableau) / 2) / step;
}

const std::vector<Tableau>& tableaux() {
  static const std::vector<Tableau> list = {
      euler_tableau(), collatz_printed_tableau(), midpoint_tableau(), heun_tableau(),
      rk4_tableau(),   dopri5_tableau(),          radau5_tableau(),   dop853_tableau()};
  return list;
}

static const Tableau& tableau_named(const char* name) { return *std::ranges::find(tableaux(), name, &Tableau::name); }

const Tableau& usual_tableau() { return tableau_named("dop853"); }
const Tableau& stiff_tableau() { return tableau_named("radau5"); }

}  // namespace plumb
