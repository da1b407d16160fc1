#include "plumb/study/linearisation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "plumb/system/projection.h"

namespace plumb {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd masses(const System& system) {
  VectorXd m(system.nv);
  for (const SystemBody& b : system.bodies) {
    m.segment<3>(b.v).setConstant(b.mass);
    if (b.kind == BodyKind::rigid) m.segment<3>(b.v + 3) = b.moments;
  }
  return m;
}

Mat3 attitude(const SystemBody& b, const std::vector<double>& y) {
  return Quaternion{y[b.q + 3], y[b.q + 4], y[b.q + 5], y[b.q + 6]}.matrix();
}

// The column of A that belongs to the displacement d or the velocity change dv.
VectorXd column(Displacer& displacer, const std::vector<double>& y, const VectorXd& d, const VectorXd& dv,
                const MatrixXd& to_p, const MatrixXd& to_u) {
  VectorXd v, a, v2, a2;
  const auto difference = [&](double h) -> VectorXd {
    displacer.rates(y, displacer.displaced(y, h * d, h * dv), v, a);
    displacer.rates(y, displacer.displaced(y, -h * d, -h * dv), v2, a2);
    VectorXd c(to_p.rows() + to_u.rows());
    c << to_p * (v - v2) / (2 * h), to_u * (a - a2) / (2 * h);
    return c;
  };
  // Romberg: errors in h² and h⁴ are taken out.
  const double size = std::max(d.size() ? d.cwiseAbs().maxCoeff() : 0, dv.size() ? dv.cwiseAbs().maxCoeff() : 0);
  const double h = 2e-3 / size;
  const VectorXd one = difference(h), two = difference(h / 2), three = difference(h / 4);
  const VectorXd finer = (4 * three - two) / 3, coarser = (4 * two - one) / 3;
  return (16 * finer - coarser) / 15;
}

// Takes out zero eigenvalues one by one: a direction nothing depends on, then what only it depended on.
MatrixXd deflate(MatrixXd A, int& removed) {
  const double scale = A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0;
  removed = 0;
  while (A.rows() > 0) {
    const Eigen::JacobiSVD<MatrixXd> svd(A, Eigen::ComputeFullV);
    const auto n = A.rows();
    if (svd.singularValues()[n - 1] > 1e-9 * (1 + scale)) break;
    const MatrixXd W = svd.matrixV().leftCols(n - 1);
    A = (W.transpose() * A * W).eval();
    ++removed;
  }
  return A;
}

std::vector<ModeShape> shape_of(const System& system, const std::vector<double>& y, const Eigen::VectorXcd& d) {
  Eigen::Index largest = 0;
  d.cwiseAbs().maxCoeff(&largest);
  const std::complex<double> unit = d.size() > 0 && std::abs(d[largest]) > 0 ? d[largest] : 1.0;
  std::vector<ModeShape> shape;
  for (std::size_t i = 0; i < system.bodies.size(); ++i) {
    const SystemBody& b = system.bodies[i];
    ModeShape s{static_cast<int>(i), d.segment<3>(b.v) / unit, Eigen::Vector3cd::Zero()};
    if (b.kind == BodyKind::rigid) s.rotation = attitude(b, y) * d.segment<3>(b.v + 3) / unit;
    shape.push_back(s);
  }
  return shape;
}

}  // namespace

double Mode::frequency() const { return std::abs(eigenvalue.imag()) / (2 * std::numbers::pi); }
double Mode::damping_ratio() const { return std::abs(eigenvalue) > 0 ? -eigenvalue.real() / std::abs(eigenvalue) : 0; }

MatrixXd free_directions(const System& system, const Constraints& constraints, const std::vector<bool>& wanted) {
  const VectorXd scale = masses(system).cwiseSqrt().cwiseInverse();
  const auto rows = std::count(wanted.begin(), wanted.end(), true);
  if (rows == 0) return scale.asDiagonal();
  MatrixXd G = MatrixXd::Zero(system.nv, rows);  // columns are rows of G M^(-1/2)
  Eigen::Index column = 0;
  for (const SystemJoint& j : system.joints)
    for (int r = 0; r < j.rows; ++r) {
      if (!wanted[j.row + r]) continue;
      for (const Attachment& a : system.attachments(j)) {
        const int v = system.bodies[a.body].v;
        for (int k = 0; k < 3; ++k) {
          G(v + k, column) += a.sign * constraints.linear()[a.linear + 3 * r + k] * scale[v + k];
          if (a.kind == BodyKind::rigid)
            G(v + 3 + k, column) += constraints.angular()[a.angular + 3 * r + k] * scale[v + 3 + k];
        }
      }
      if (G.col(column).norm() > 0) G.col(column).normalize();
      ++column;
    }
  Eigen::ColPivHouseholderQR<MatrixXd> qr(G);
  qr.setThreshold(1e-8);
  const MatrixXd Q = qr.householderQ() * MatrixXd::Identity(system.nv, system.nv);
  return scale.asDiagonal() * Q.rightCols(system.nv - qr.rank());
}

Displacer::Displacer(const System& system) : system_(system), dynamics_(system) {}

std::vector<double> Displacer::displaced(const std::vector<double>& y, const VectorXd& d, const VectorXd& dv) {
  std::vector<double> z = y;
  if (d.size() > 0) displace(system_, d.data(), z.data());
  for (const SystemBody& b : system_.bodies)
    if (b.kind == BodyKind::rigid) {
      Eigen::Map<Vec3> w(z.data() + system_.nq + b.v + 3);
      w = (attitude(b, z).transpose() * attitude(b, y) * w).eval();
    }
  for (Eigen::Index i = 0; i < dv.size(); ++i) z[system_.nq + i] += dv[i];
  if (system_.rows == 0) return z;
  Projection projection(dynamics_);
  projection.assemble(0, z.data());
  dynamics_.place(0, z.data());
  dynamics_.linearise();
  dynamics_.factor();
  projection.project_velocity(z.data());
  return z;
}

void Displacer::rates(const std::vector<double>& base, const std::vector<double>& y, VectorXd& v, VectorXd& a) {
  std::vector<double> rate(system_.size());
  dynamics_.derivative(0, y.data(), {}, rate.data());
  v = Eigen::Map<const VectorXd>(y.data() + system_.nq, system_.nv);
  a = Eigen::Map<const VectorXd>(rate.data() + system_.nq, system_.nv);
  for (const SystemBody& b : system_.bodies)
    if (b.kind == BodyKind::rigid) {
      const Mat3 turn = attitude(b, base).transpose() * attitude(b, y);
      v.segment<3>(b.v + 3) = (turn * v.segment<3>(b.v + 3)).eval();
      a.segment<3>(b.v + 3) = (turn * a.segment<3>(b.v + 3)).eval();
    }
}

Linearisation linearise_about(const System& system, const std::vector<double>& y, bool shapes) {
  Displacer displacer(system);
  Dynamics& dynamics = displacer.dynamics();
  dynamics.place(0, y.data());
  dynamics.keep_turns();
  dynamics.linearise();
  std::vector<bool> holonomic(system.rows, true), all(system.rows, true);
  for (int r : system.velocity_rows()) holonomic[r] = false;
  const MatrixXd P = free_directions(system, dynamics.constraints(), holonomic);
  const MatrixXd Z = free_directions(system, dynamics.constraints(), all);
  const VectorXd M = masses(system);
  const MatrixXd to_p = P.transpose() * M.asDiagonal(), to_u = Z.transpose() * M.asDiagonal();

  Linearisation l;
  l.positions = static_cast<int>(P.cols());
  l.velocities = static_cast<int>(Z.cols());
  VectorXd v, a;
  displacer.rates(y, y, v, a);
  l.residual = (to_u * a).norm() / std::sqrt(M.sum());
  l.A = MatrixXd::Zero(l.positions + l.velocities, l.positions + l.velocities);
  for (int i = 0; i < l.positions; ++i) {
    l.A.col(i) = column(displacer, y, P.col(i), {}, to_p, to_u);
    // The rotation vector of a body that turns: d_theta' = dw + w x d_theta.
    VectorXd carried = VectorXd::Zero(system.nv);
    for (const SystemBody& b : system.bodies)
      if (b.kind == BodyKind::rigid) {
        const Vec3 w(y[system.nq + b.v + 3], y[system.nq + b.v + 4], y[system.nq + b.v + 5]);
        carried.segment<3>(b.v + 3) = w.cross(Vec3(P.col(i).segment<3>(b.v + 3)));
      }
    l.A.col(i).head(l.positions) += to_p * carried;
  }
  for (int i = 0; i < l.velocities; ++i) l.A.col(l.positions + i) = column(displacer, y, {}, Z.col(i), to_p, to_u);

  const MatrixXd core = deflate(l.A, l.neutral);
  if (core.rows() == 0) return l;
  const Eigen::EigenSolver<MatrixXd> values(core, false);
  const Eigen::EigenSolver<MatrixXd> vectors(l.A, shapes);
  for (const std::complex<double>& value : values.eigenvalues()) {
    if (value.imag() < 0) continue;
    Mode mode{value, {}};
    if (shapes) {
      Eigen::Index nearest = 0;
      (vectors.eigenvalues().array() - value).abs().minCoeff(&nearest);
      mode.shape = shape_of(system, y, P * vectors.eigenvectors().col(nearest).head(l.positions));
    }
    l.modes.push_back(std::move(mode));
  }
  std::ranges::sort(l.modes, [](const Mode& x, const Mode& z) {
    return std::pair(x.eigenvalue.imag(), x.eigenvalue.real()) < std::pair(z.eigenvalue.imag(), z.eigenvalue.real());
  });
  return l;
}

}  // namespace plumb
