#include "plumb/system/normal_matrix.h"

#include <algorithm>
#include <cmath>

#include "plumb/solver/ldl_kernels.h"

namespace plumb {
namespace {

struct Attachment {
  int joint;
  bool is_to;
};

// For every body the joint ends that hold it.
std::vector<std::vector<Attachment>> attachments(const System& system) {
  std::vector<std::vector<Attachment>> ends(system.bodies.size());
  for (std::size_t j = 0; j < system.joints.size(); ++j) {
    const int number = static_cast<int>(j);
    if (system.joints[j].from.body >= 0) ends[system.joints[j].from.body].push_back({number, false});
    if (system.joints[j].to.body >= 0) ends[system.joints[j].to.body].push_back({number, true});
  }
  return ends;
}

SymmetricSolver make_solver(const System& system) {
  std::vector<int> sizes;
  for (const SystemJoint& j : system.joints) sizes.push_back(j.rows);
  std::vector<std::pair<int, int>> couplings;
  for (const auto& ends : attachments(system))
    for (std::size_t a = 0; a < ends.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) couplings.emplace_back(ends[a].joint, ends[b].joint);
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

NormalMatrix::NormalMatrix(const System& system, const InverseMass& inverse_mass, const ConstraintJacobian& jacobian)
    : inverse_mass_(inverse_mass),
      jacobian_(jacobian),
      solver_(make_solver(system)),
      velocities_(system.nv),
      right_side_(system.rows),
      correction_(system.rows),
      acceleration_(system.nv) {
  const auto ends = attachments(system);
  for (std::size_t body = 0; body < ends.size(); ++body)
    for (std::size_t a = 0; a < ends[body].size(); ++a)
      for (std::size_t b = 0; b <= a; ++b) {
        Attachment i = ends[body][a], j = ends[body][b];
        if (solver_.eliminated_before(i.joint, j.joint)) std::swap(i, j);
        const SystemJoint &ji = system.joints[i.joint], &jj = system.joints[j.joint];
        const SymmetricSolver::Place place = solver_.locate(i.joint, j.joint);
        const bool rigid = system.bodies[body].kind == BodyKind::rigid;
        Contribution c{};
        c.place = place.offset;
        c.stride = place.stride;
        c.rows_i = ji.rows, c.rows_j = jj.rows;
        c.linear_i = ji.linear_block(), c.linear_j = jj.linear_block();
        c.angular_i = rigid ? (i.is_to ? ji.to_block() : ji.from_block()) : -1;
        c.angular_j = rigid ? (j.is_to ? jj.to_block() : jj.from_block()) : -1;
        c.body = static_cast<int>(body);
        c.sign = i.is_to == j.is_to ? 1 : -1;
        c.diagonal = i.joint == j.joint;
        c.coincident = ji.linear == SystemJoint::Linear::coincident && jj.linear == SystemJoint::Linear::coincident;
        contributions_.push_back(c);
      }
}

void NormalMatrix::add_linear(const Contribution& c, double factor, const double* L, double* S) {
  if (c.coincident) {
    for (int r = 0; r < 3; ++r) S[r * c.stride + r] += factor;
    return;
  }
  for (int r = 0; r < c.rows_i; ++r)
    for (int s = 0; s < c.rows_j; ++s)
      S[r * c.stride + s] += factor * kernel::dot(L + c.linear_i + 3 * r, L + c.linear_j + 3 * s);
}

void NormalMatrix::assemble() {
  solver_.clear();
  for (const Contribution& c : contributions_) {
    double* const S = solver_.values() + c.place;
    add_linear(c, c.sign * inverse_mass_.mass(c.body), jacobian_.linear(), S);
    if (c.angular_i < 0) continue;
    const double* const Ai = jacobian_.angular() + c.angular_i;
    const double* const Aj = jacobian_.angular() + c.angular_j;
    const double* const inverse = inverse_mass_.moments(c.body);
    with_block_size(c.rows_i, [&](auto mi) {
      with_block_size(c.rows_j, [&](auto mj) {
        for (int r = 0; r < mi(); ++r) {
          const double w[3] = {Ai[3 * r] * inverse[0], Ai[3 * r + 1] * inverse[1], Ai[3 * r + 2] * inverse[2]};
          for (int s = 0; s < mj(); ++s) S[r * c.stride + s] += kernel::dot(w, Aj + 3 * s);
        }
      });
    });
  }
}

void NormalMatrix::factor() {
  assemble();
  regular_ = solver_.factor();
  if (regular_) return;
  assemble();
  solver_.regularise(regularisation);
  solver_.factor();
}

void NormalMatrix::solve(double* x) {
  if (regular_) return solver_.solve(x);
  // x_{k+1} = x_k + (S + eps D)⁻¹ (b - S x_k), S x by G M⁻¹ Gᵀ.
  std::copy_n(x, right_side_.size(), right_side_.begin());
  solver_.solve(x);
  double last = largest(right_side_);
  for (int k = 0; k < 10; ++k) {
    std::ranges::fill(acceleration_, 0.0);
    jacobian_.accelerate(x, acceleration_.data());
    jacobian_.multiply(acceleration_.data(), correction_.data());
    for (std::size_t i = 0; i < correction_.size(); ++i) correction_[i] = right_side_[i] - correction_[i];
    const double residual = largest(correction_);
    if (!(residual < 0.5 * last)) return;
    last = residual;
    solver_.solve(correction_.data());
    for (std::size_t i = 0; i < correction_.size(); ++i) x[i] += correction_[i];
  }
}

}  // namespace plumb
