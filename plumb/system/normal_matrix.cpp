#include "plumb/system/normal_matrix.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "plumb/solver/ldl_kernels.h"

namespace plumb {
namespace {

struct Holder {
  int node;  // number of the joint among the coupled ones, a block row of S
  const SystemJoint* joint;
  Attachment at;
};

// For every body the coupled joints' ends that hold it.
std::vector<std::vector<Holder>> holders(const System& system) {
  std::vector<std::vector<Holder>> ends(system.bodies.size());
  int node = 0;
  for (const SystemJoint& j : system.joints) {
    if (j.alone) continue;
    for (const Attachment& a : system.attachments(j)) ends[a.body].push_back({node, &j, a});
    ++node;
  }
  return ends;
}

SymmetricSolver make_solver(const System& system) {
  std::vector<int> sizes;
  for (const SystemJoint& j : system.joints)
    if (!j.alone) sizes.push_back(j.rows);
  std::vector<std::pair<int, int>> couplings;
  for (const auto& ends : holders(system))
    for (std::size_t a = 0; a < ends.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) couplings.emplace_back(ends[a].node, ends[b].node);
  std::ranges::sort(couplings);
  couplings.erase(std::unique(couplings.begin(), couplings.end()), couplings.end());
  return SymmetricSolver(sizes, couplings);
}

double largest(const std::vector<double>& x) {
  double m = 0;
  for (double v : x) m = std::max(m, std::abs(v));
  return m;
}

}  // namespace

NormalMatrix::NormalMatrix(const System& system, const InverseMass& inverse_mass, const Constraints& constraints)
    : inverse_mass_(inverse_mass),
      constraints_(constraints),
      solver_(make_solver(system)),
      right_side_(system.coupled_rows),
      correction_(system.rows),
      acceleration_(system.nv) {
  const auto ends = holders(system);
  std::map<Shape, std::vector<Contribution>> by_shape;
  for (std::size_t body = 0; body < ends.size(); ++body)
    for (std::size_t a = 0; a < ends[body].size(); ++a)
      for (std::size_t b = 0; b <= a; ++b) {
        Holder i = ends[body][a], j = ends[body][b];
        if (solver_.eliminated_before(i.node, j.node)) std::swap(i, j);
        const SystemJoint &ji = *i.joint, &jj = *j.joint;
        const SymmetricSolver::Place place = solver_.locate(i.node, j.node);
        const auto coincident = [](const SystemJoint& joint) {
          return joint.linear == SystemJoint::Linear::coincident;
        };
        const Shape shape{ji.rows, jj.rows, coincident(ji) && coincident(jj),
                          system.bodies[body].kind == BodyKind::rigid, i.node == j.node};
        by_shape[shape].push_back({place.offset, place.stride, static_cast<int>(body), i.at.linear, j.at.linear,
                                   i.at.angular, j.at.angular, i.at.sign * j.at.sign});
      }
  for (auto& [shape, list] : by_shape) batches_.push_back({loop_for(shape), std::move(list)});
}

template <int M, int N, bool Coincident, bool Rotates, bool Diagonal>
void NormalMatrix::add(const std::vector<Contribution>& list) {
  // Columns of row r that are needed.
  constexpr auto columns = [](int r) { return Diagonal ? r + 1 : N; };
  for (const Contribution& c : list) {
    double block[M * N];
    const double factor = c.sign * inverse_mass_.mass(c.body);
    if constexpr (Coincident) {
      for (int r = 0; r < M; ++r)
        for (int s = 0; s < columns(r); ++s) block[r * N + s] = r == s && r < 3 ? factor : 0;
    } else {
      const double *Li = constraints_.linear() + c.linear_i, *Lj = constraints_.linear() + c.linear_j;
      for (int r = 0; r < M; ++r)
        for (int s = 0; s < columns(r); ++s) block[r * N + s] = factor * kernel::dot(Li + 3 * r, Lj + 3 * s);
    }
    if constexpr (Rotates) {
      const double *Ai = constraints_.angular() + c.angular_i, *Aj = constraints_.angular() + c.angular_j;
      const double* const inverse = inverse_mass_.moments(c.body);
      for (int r = 0; r < M; ++r) {
        const double w[3] = {Ai[3 * r] * inverse[0], Ai[3 * r + 1] * inverse[1], Ai[3 * r + 2] * inverse[2]};
        for (int s = 0; s < columns(r); ++s) block[r * N + s] += kernel::dot(w, Aj + 3 * s);
      }
    }
    double* const S = solver_.values() + c.place;
    for (int r = 0; r < M; ++r)
      for (int s = 0; s < columns(r); ++s) S[r * c.stride + s] += block[r * N + s];
  }
}

auto NormalMatrix::loop_for(const Shape& shape) -> void (NormalMatrix::*)(const std::vector<Contribution>&) {
  const auto choose = [](bool choice, auto f) { return choice ? f(std::true_type{}) : f(std::false_type{}); };
  return with_block_size(shape.rows_i, [&](auto m) {
    return with_block_size(shape.rows_j, [&](auto n) {
      return choose(shape.coincident, [&](auto coincident) {
        return choose(shape.rotates, [&](auto rotates) {
          constexpr int M = m(), N = n();
          if constexpr (M == N)
            if (shape.diagonal) return &NormalMatrix::add<M, N, coincident(), rotates(), true>;
          return &NormalMatrix::add<M, N, coincident(), rotates(), false>;
        });
      });
    });
  });
}

void NormalMatrix::assemble() {
  solver_.clear();
  for (const Batch& batch : batches_) (this->*batch.add)(batch.list);
}

void NormalMatrix::factor() {
  if (right_side_.empty()) return;
  if (!is_redundant_) {
    assemble();
    regular_ = solver_.factor();
    if (regular_) return;
  }
  regular_ = false;
  assemble();
  solver_.regularise(regularisation);
  solver_.factor();
}

void NormalMatrix::solve(double* x) {
  constraints_.solve_alone(x);
  if (!right_side_.empty()) solve_coupled(x);
}

// x_{k+1} = x_k + (S + eps D)⁻¹ (b - S x_k), S x by G M⁻¹ Gᵀ.
void NormalMatrix::solve_coupled(double* x) {
  if (regular_) return solver_.solve(x);
  std::copy_n(x, right_side_.size(), right_side_.begin());
  solver_.solve(x);
  double last = largest(right_side_);
  for (int k = 0; k < 10; ++k) {
    std::ranges::fill(acceleration_, 0.0);
    constraints_.push_coupled(x, acceleration_.data());
    constraints_.multiply(acceleration_.data(), correction_.data());
    double residual = 0;
    for (std::size_t i = 0; i < right_side_.size(); ++i) {
      correction_[i] = right_side_[i] - correction_[i];
      residual = std::max(residual, std::abs(correction_[i]));
    }
    if (!(residual < 0.5 * last)) return;
    last = residual;
    solver_.solve(correction_.data());
    for (std::size_t i = 0; i < right_side_.size(); ++i) x[i] += correction_[i];
  }
}

}  // namespace plumb
