#include "plumb/system/row_rank.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace plumb {

RowRank::RowRank(const System& system) : system_(system), at_body_(system.bodies.size()) {
  for (std::size_t i = 0; i < system.joints.size(); ++i) {
    const SystemJoint& j = system.joints[i];
    node_.push_back(j.rows > 0 ? static_cast<int>(sizes_.size()) : -1);
    if (j.rows == 0) continue;
    sizes_.push_back(j.rows);
    first_.push_back(j.row);
    joints_.emplace_back();
    for (const Attachment& a : system.attachments(j)) {
      joints_.back().push_back({a, std::vector<double>(6 * static_cast<std::size_t>(j.rows))});
      at_body_[a.body].push_back(node_.back());
    }
  }
  std::set<std::pair<int, int>> couplings;
  for (const auto& joints : at_body_)
    for (int i : joints)
      for (int j : joints)
        if (j < i) couplings.emplace(i, j);
  lengths_.resize(system.rows);
  couplings_.assign(couplings.begin(), couplings.end());
  solver_ = SymmetricSolver(sizes_, couplings_);
}

double RowRank::dot(int i, int row_i, int j, int row_j) const {
  double sum = 0;
  for (const Block& a : joints_[i])
    for (const Block& b : joints_[j])
      if (a.at.body == b.at.body)
        for (int k = 0; k < 6; ++k) sum += a.rows[6 * row_i + k] * b.rows[6 * row_j + k];
  return sum;
}

void RowRank::fill(int i, int j) {
  const SymmetricSolver::Place place = solver_.locate(i, j);
  for (int r = 0; r < sizes_[i]; ++r)
    for (int c = 0; c < sizes_[j]; ++c) solver_.values()[place.offset + r * place.stride + c] = dot(i, r, j, c);
}

int RowRank::find(const Constraints& constraints, double threshold) {
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    for (Block& b : joints_[i]) {
      const SystemBody& body = system_.bodies[b.at.body];
      for (int r = 0; r < sizes_[i]; ++r)
        for (int k = 0; k < 3; ++k) {
          b.rows[6 * r + k] = b.at.sign * constraints.linear()[b.at.linear + 3 * r + k] / std::sqrt(body.mass);
          if (b.at.kind == BodyKind::rigid)
            b.rows[6 * r + 3 + k] = constraints.angular()[b.at.angular + 3 * r + k] / std::sqrt(body.moments[k]);
        }
    }
    for (int r = 0; r < sizes_[i]; ++r) {
      double square = 0;
      for (const Block& b : joints_[i])
        for (int k = 0; k < 6; ++k) square += b.rows[6 * r + k] * b.rows[6 * r + k];
      lengths_[first_[i] + r] = std::sqrt(square);
      if (!(square > 0)) continue;
      for (Block& b : joints_[i])
        for (int k = 0; k < 6; ++k) b.rows[6 * r + k] /= std::sqrt(square);
    }
  }
  solver_.clear();
  for (std::size_t i = 0; i < sizes_.size(); ++i) fill(static_cast<int>(i), static_cast<int>(i));
  for (const auto& [i, j] : couplings_) solver_.eliminated_before(i, j) ? fill(j, i) : fill(i, j);
  solver_.factor(threshold);
  return system_.rows - static_cast<int>(solver_.dependent_rows().size());
}

std::vector<double> RowRank::shares(int dependent) const {
  const int joint = system_.joint_of_row(dependent), row = dependent - system_.joints[joint].row;
  std::vector<double> shares(system_.rows);
  for (const Block& block : joints_[node_[joint]])
    for (int i : at_body_[block.at.body])
      for (int r = 0; r < sizes_[i]; ++r) shares[first_[i] + r] = dot(i, r, node_[joint], row);
  solver_.solve(shares.data());
  return shares;
}

std::vector<int> RowRank::sharing_joints(int dependent) const {
  const std::vector<double> share = shares(dependent);
  std::set<int> joints = {system_.joint_of_row(dependent)};
  for (std::size_t i = 0; i < system_.joints.size(); ++i)
    for (int r = 0; r < system_.joints[i].rows; ++r)
      if (std::abs(share[system_.joints[i].row + r]) > 1e-6) joints.insert(static_cast<int>(i));
  return {joints.begin(), joints.end()};
}

std::vector<double> RowRank::idle_multipliers(int dependent) const {
  std::vector<double> lambda = shares(dependent);
  for (double& l : lambda) l = -l;
  lambda[dependent] = 1;
  for (std::size_t r = 0; r < lambda.size(); ++r) lambda[r] *= lengths_[dependent] / lengths_[r];
  return lambda;
}

double RowRank::smallest_pivot() const {
  double smallest = 1;
  for (double p : solver_.pivots())
    if (p > 0) smallest = std::min(smallest, p);
  return smallest;
}

double RowRank::log_volume() const {
  double sum = 0;
  for (double p : solver_.pivots()) sum += std::log(p > 0 ? p : dependence);
  return sum;
}

}  // namespace plumb
