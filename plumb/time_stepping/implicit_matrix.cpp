#include "plumb/time_stepping/implicit_matrix.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plumb/system/projection.h"

namespace plumb {

ImplicitMatrix::ImplicitMatrix(Dynamics& dynamics)
    : dynamics_(dynamics),
      system_(dynamics.system()),
      y_(system_.size()),
      a_(system_.nv),
      unit_(system_.nv),
      image_(system_.rows),
      move_(system_.nv) {
  connect();
}

// Bodies that a joint, a spring or an expression connects are one mechanism.
void ImplicitMatrix::connect() {
  const int bodies = static_cast<int>(system_.bodies.size());
  std::vector<int> root(bodies);
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  const auto join = [&](int i, int j) {
    if (i >= 0 && j >= 0) root[std::max(find(i), find(j))] = std::min(find(i), find(j));
  };
  for (const SystemJoint& j : system_.joints) {
    const std::vector<Attachment> held = system_.attachments(j);
    for (const Attachment& a : held) join(held[0].body, a.body);
  }
  for (const Bushing& b : system_.bushings) join(b.from.body, b.to.body);
  for (const Actuator& a : system_.actuators)
    join(a.turns ? a.angle.from.body : a.slide.from.body, a.turns ? a.angle.to.body : a.slide.to.body);
  for (const Spring& s : system_.springs) join(s.from.body, s.to.body);
  for (const Torsion& s : system_.torsions) join(system_.angles[s.angle].from.body, system_.angles[s.angle].to.body);
  // A force may depend on any channel.
  if (!system_.force_channels.empty())
    for (int i = 1; i < bodies; ++i) join(0, i);
  mechanism_of_body_.assign(bodies, -1);
  for (int i = 0; i < bodies; ++i) {
    int& mechanism = mechanism_of_body_[find(i)];
    if (mechanism < 0) mechanism = static_cast<int>(mechanisms_.size()), mechanisms_.emplace_back();
    mechanism_of_body_[i] = mechanism;
    Mechanism& m = mechanisms_[mechanism];
    m.bodies.push_back(i);
    const SystemBody& b = system_.bodies[i];
    for (int k = 0; k < (b.kind == BodyKind::rigid ? 6 : 3); ++k) m.v.push_back(b.v + k);
  }
  for (int row = 0; row < system_.rows; ++row) {
    const SystemJoint& j = system_.joints[system_.joint_of_row(row)];
    mechanisms_[mechanism_of_body_[system_.attachments(j)[0].body]].rows.push_back(row);
  }
  for (Mechanism& m : mechanisms_) {
    const auto nv = static_cast<Eigen::Index>(m.v.size()), n = nv + static_cast<Eigen::Index>(m.rows.size());
    widest_ = std::max(widest_, static_cast<int>(nv));
    largest_ = std::max(largest_, static_cast<int>(n));
    if (n > max_unknowns) continue;
    m.A_v.setZero(nv, nv);
    m.A_q.setZero(nv, nv);
    m.K.setZero(n, n);
    m.x.setZero(n);
    m.right.setZero(n);
    m.left.setZero(n);
  }
}

void ImplicitMatrix::accelerations(double t, const double* y, double* a) {
  dynamics_.place(t, y);
  dynamics_.force_accelerations(a);
  const double* const v = y + system_.nq;
  for (const SystemBody& b : system_.bodies) {
    if (b.kind != BodyKind::rigid) continue;
    const double* const w = v + b.v + 3;  // J w' = -w x J w
    const Vec3& J = b.moments;
    a[b.v + 3] += (J[1] - J[2]) / J[0] * w[1] * w[2];
    a[b.v + 4] += (J[2] - J[0]) / J[1] * w[2] * w[0];
    a[b.v + 5] += (J[0] - J[1]) / J[2] * w[0] * w[1];
  }
}

void ImplicitMatrix::differentiate(double t, const double* y, const double* a) {
  const int nq = system_.nq, nv = system_.nv;
  double speed = 1;
  for (int i = 0; i < nv; ++i) speed = std::max(speed, std::abs(y[nq + i]));
  const double small = 1e-7;
  for (int k = 0; k < widest_; ++k)
    for (const bool position : {false, true}) {
      const double e = position ? small : small * speed;
      std::ranges::fill(move_, 0.0);
      for (const Mechanism& m : mechanisms_)
        if (k < static_cast<int>(m.v.size())) move_[m.v[k]] = e;
      std::copy_n(y, system_.size(), y_.begin());
      if (position)
        displace(system_, move_.data(), y_.data());
      else
        for (int i = 0; i < nv; ++i) y_[nq + i] += move_[i];
      accelerations(t, y_.data(), a_.data());
      for (Mechanism& m : mechanisms_) {
        if (k >= static_cast<int>(m.v.size())) continue;
        Eigen::MatrixXd& A = position ? m.A_q : m.A_v;
        for (std::size_t i = 0; i < m.v.size(); ++i) A(static_cast<Eigen::Index>(i), k) = (a_[m.v[i]] - a[m.v[i]]) / e;
      }
    }
}

void ImplicitMatrix::multiply_position(const double* x, double* out) const {
  for (const Mechanism& m : mechanisms_)
    for (std::size_t i = 0; i < m.v.size(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < m.v.size(); ++j)
        sum += m.A_q(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) * x[m.v[j]];
      out[m.v[i]] = sum;
    }
}

void ImplicitMatrix::factor(double h) {
  for (Mechanism& m : mechanisms_) {
    const auto nv = static_cast<Eigen::Index>(m.v.size());
    m.K.topLeftCorner(nv, nv) = -h / 2 * m.A_v - h * h / 4 * m.A_q;
    for (Eigen::Index i = 0; i < nv; ++i) m.K(i, i) += 1;
    // Redundant rows: a pivot far below what a joint has, so that they share.
    for (Eigen::Index i = nv; i < m.K.rows(); ++i) m.K(i, i) = 1e-12;
  }
  if (system_.rows > 0)
    for (int k = 0; k < widest_; ++k) {  // columns of G
      std::ranges::fill(unit_, 0.0);
      for (const Mechanism& m : mechanisms_)
        if (k < static_cast<int>(m.v.size())) unit_[m.v[k]] = 1;
      dynamics_.constraints().multiply(unit_.data(), image_.data());
      for (Mechanism& m : mechanisms_) {
        const auto nv = static_cast<Eigen::Index>(m.v.size());
        if (k >= nv) continue;
        for (std::size_t r = 0; r < m.rows.size(); ++r) m.K(nv + static_cast<Eigen::Index>(r), k) = image_[m.rows[r]];
      }
    }
  for (Mechanism& m : mechanisms_) {
    const auto nv = static_cast<Eigen::Index>(m.v.size());
    Eigen::Index i = 0;
    for (int body : m.bodies) {
      const SystemBody& b = system_.bodies[body];
      for (int k = 0; k < (b.kind == BodyKind::rigid ? 6 : 3); ++k, ++i)
        for (Eigen::Index r = nv; r < m.K.rows(); ++r) m.K(i, r) = -m.K(r, i) / (k < 3 ? b.mass : b.moments[k - 3]);
    }
    m.lu.compute(m.K);
  }
}

void ImplicitMatrix::solve(double* dv, double* rows) {
  for (Mechanism& m : mechanisms_) {
    const auto nv = static_cast<Eigen::Index>(m.v.size());
    for (Eigen::Index i = 0; i < nv; ++i) m.right[i] = dv[m.v[i]];
    for (std::size_t r = 0; r < m.rows.size(); ++r) m.right[nv + static_cast<Eigen::Index>(r)] = rows[m.rows[r]];
    m.x = m.lu.solve(m.right);
    for (Eigen::Index i = 0; i < nv; ++i) dv[m.v[i]] = m.x[i];
    for (std::size_t r = 0; r < m.rows.size(); ++r) rows[m.rows[r]] = m.x[nv + static_cast<Eigen::Index>(r)];
  }
}

void ImplicitMatrix::solve_in(int mechanism, double* dv, double* lambda) {
  Mechanism& m = mechanisms_[mechanism];
  const auto nv = static_cast<Eigen::Index>(m.v.size());
  m.right.setZero();
  for (Eigen::Index i = 0; i < nv; ++i) m.right[i] = dv[m.v[i]];
  m.x = m.lu.solve(m.right);
  for (Eigen::Index i = 0; i < nv; ++i) dv[m.v[i]] = m.x[i];
  for (std::size_t r = 0; lambda && r < m.rows.size(); ++r) lambda[m.rows[r]] += m.x[nv + static_cast<Eigen::Index>(r)];
}

}  // namespace plumb
