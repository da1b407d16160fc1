#include "plumb/equations/tape.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/solver/largest.h"

namespace plumb {

using F = Expression::Op;

double Tape::apply(std::int32_t op, double a, double b) {
  switch (static_cast<F>(op)) {
    case F::sin: return std::sin(a);
    case F::cos: return std::cos(a);
    case F::tan: return std::tan(a);
    case F::asin: return std::asin(a);
    case F::acos: return std::acos(a);
    case F::atan: return std::atan(a);
    case F::sinh: return std::sinh(a);
    case F::cosh: return std::cosh(a);
    case F::tanh: return std::tanh(a);
    case F::exp: return std::exp(a);
    case F::log: return std::log(a);
    case F::atan2: return std::atan2(a, b);
    default: return std::numeric_limits<double>::quiet_NaN();
  }
}

void Tape::run() {
  double* const r = registers_.data();
  smallest_pivot_ = 1;
  for (System& s : systems_) s.iterations = 0;
  for (const Instruction* i = instructions_.data();; ++i) switch (i->op) {
      case Op::products: {
        const Product* const begin = products_.data() + i->a;
        for (const Product* p = begin; p != begin + i->b; ++p)
          r[p->to] = r[p->a] * r[p->b] + p->sign * r[p->c] * r[p->d];
        break;
      }
      case Op::divide: r[i->to] = r[i->a] / r[i->b]; break;
      case Op::square_root: r[i->to] = std::sqrt(r[i->a]); break;
      case Op::power: r[i->to] = std::pow(r[i->a], r[i->b]); break;
      case Op::function: r[i->to] = apply(i->c, r[i->a], i->b >= 0 ? r[i->b] : 0); break;
      case Op::mode:
        r[i->to] =
            held_ ? held_[i->c] : live_mode(kinds_[static_cast<std::size_t>(i->c)], r[i->a], i->b >= 0 ? r[i->b] : 0);
        break;
      case Op::select: r[i->to] = r[i->a] != 0 ? r[i->b] : r[i->c]; break;
      case Op::linear: solve(systems_[static_cast<std::size_t>(i->a)]); break;
      case Op::newton:
        if (iterate(systems_[static_cast<std::size_t>(i->a)])) i = instructions_.data() + i->b - 1;
        break;
      case Op::end: return;
    }
}

std::size_t Tape::operations() const {
  const auto others = std::ranges::count_if(
      instructions_, [](const Instruction& i) { return i.op != Op::products && i.op != Op::end; });
  return products_.size() + static_cast<std::size_t>(others);
}

// Elimination with row pivoting, rows scaled by their largest entry. The solution stays in s.x.
void Tape::solve(System& s) {
  const int n = s.n;
  double* const a = s.work.data();
  for (int i = 0; i < n * n; ++i) a[i] = registers_[static_cast<std::size_t>(s.matrix[static_cast<std::size_t>(i)])];
  for (int i = 0; i < n; ++i) s.x[i] = registers_[static_cast<std::size_t>(s.right[static_cast<std::size_t>(i)])];
  const auto fault = [&](int column) {
    if (singular_system_ < 0) {
      singular_system_ = static_cast<int>(&s - systems_.data());
      singular_unknown_ = column;
    }
  };
  for (int i = 0; i < n; ++i) {
    double largest = 0;
    for (int j = 0; j < n; ++j) largest = std::max(largest, std::abs(a[i * n + j]));
    if (largest == 0) continue;
    for (int j = 0; j < n; ++j) a[i * n + j] /= largest;
    s.x[i] /= largest;
  }
  for (int k = 0; k < n; ++k) {
    int p = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(a[i * n + k]) > std::abs(a[p * n + k])) p = i;
    const double pivot = std::abs(a[p * n + k]);
    smallest_pivot_ = std::min(smallest_pivot_, pivot);
    if (!(pivot > 0)) fault(k);
    if (p != k) {
      for (int j = k; j < n; ++j) std::swap(a[p * n + j], a[k * n + j]);
      std::swap(s.x[p], s.x[k]);
    }
    for (int i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      if (factor == 0) continue;
      for (int j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      s.x[i] -= factor * s.x[k];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) s.x[i] -= a[i * n + j] * s.x[j];
    s.x[i] /= a[i * n + i];
  }
  if (!s.is_linear) return;
  for (int i = 0; i < n; ++i) registers_[static_cast<std::size_t>(s.unknowns[i])] = s.x[i];
}

bool Tape::iterate(System& s) {
  constexpr int most = 60;
  solve(s);
  double change = 0;
  for (int i = 0; i < s.n; ++i) {
    double& x = registers_[static_cast<std::size_t>(s.unknowns[i])];
    const double relative = std::abs(s.x[i]) / (1 + std::abs(x));
    keep_largest(change, relative);
    // Far away a step is not trusted further than ten times the size of the unknown.
    x -= std::clamp(s.x[i], -10 * (1 + std::abs(x)), 10 * (1 + std::abs(x)));
  }
  ++s.iterations;
  const bool still = change <= 4e-16 || (s.iterations > 3 && change < 1e-12 && change >= 0.5 * s.last_change);
  s.last_change = change;
  if (still || !std::isfinite(change)) return false;
  if (s.iterations < most) return true;
  if (change > 1e-9 && singular_system_ < 0) {
    singular_system_ = static_cast<int>(&s - systems_.data());
    singular_unknown_ = 0;
  }
  return false;
}

}  // namespace plumb
