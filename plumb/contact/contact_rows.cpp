#include "plumb/contact/contact_rows.h"

#include <algorithm>

#include "plumb/contact/tolerances.h"

namespace plumb {

ContactRows::Row ContactRows::make_row(const ContactPlace& place, const Touch& t, const double* d) const {
  const Placement& at = dynamics_.placement();
  const End &from = scene_.from(place), &to = scene_.to(place);
  Row r{};
  kernel::copy(r.linear, d);
  r.to = to.v;
  r.from = from.kind == BodyKind::ground ? -1 : from.v;
  r.to_turns = to.kind == BodyKind::rigid;
  r.from_turns = from.kind == BodyKind::rigid;
  if (t.turns) {
    for (double& x : r.linear) x = 0;
    angular_row(at, to, 1, d, r.angular_to);
    angular_row(at, from, -1, d, r.angular_from);
    return r;
  }
  // (w x arm).d = w.(arm x d), in the axes of the body.
  if (r.to_turns) {
    kernel::cross(t.arm_to, d, r.angular_to);
    kernel::rotate_back(at.frame(to), r.angular_to, r.angular_to);
  }
  if (r.from_turns) {
    kernel::cross(d, t.arm_from, r.angular_from);
    kernel::rotate_back(at.frame(from), r.angular_from, r.angular_from);
  }
  return r;
}

void ContactRows::respond(const ContactPlace& place, const Row& r, double* w, double* lambda) {
  const System& system = dynamics_.system();
  const InverseMass& inverse = dynamics_.inverse_mass();
  std::fill_n(w, system.nv, 0.0);
  const auto side = [&](const End& e, double sign, const double* angular, bool turns) {
    for (int k = 0; k < 3; ++k) w[e.v + k] += sign * inverse.mass(e.body) * r.linear[k];
    if (!turns) return;
    for (int k = 0; k < 3; ++k) w[e.v + 3 + k] += inverse.moments(e.body)[k] * angular[k];
  };
  side(scene_.to(place), 1, r.angular_to, r.to_turns);
  if (r.from >= 0) side(scene_.from(place), -1, r.angular_from, r.from_turns);
  if (system.rows == 0) return;
  // The joints push back: G w = 0. Twice, so that nothing but rounding is left.
  std::fill_n(lambda, system.rows, 0.0);
  reply_.resize(system.rows);
  for (int pass = 0; pass < 2; ++pass) {
    dynamics_.constraints().multiply(w, reply_.data());
    for (double& x : reply_) x = -x;
    dynamics_.solve(reply_.data());
    dynamics_.push(reply_.data(), w);
    for (int i = 0; i < system.rows; ++i) lambda[i] += reply_[i];
  }
}

void ContactRows::build(const std::vector<ContactPlace>& places, const std::vector<Touch>& touches,
                        const std::vector<Vec3>& directions) {
  const System& system = dynamics_.system();
  const std::size_t n = 3 * places.size();
  touches_ = touches;
  axes_.resize(9 * places.size());
  rows_.resize(n);
  W_.resize(n * system.nv);
  lambda_.resize(n * system.rows);
  D_.resize(n * n);
  free_.resize(n);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Vec3 normal(touches_[k].normal[0], touches_[k].normal[1], touches_[k].normal[2]);
    Vec3 first = directions[k] - normal * normal.dot(directions[k]);
    if (first.norm() > 0)
      first.normalize();
    else
      first = complete_frame(normal).first;
    const Vec3 axes[3] = {normal, first, normal.cross(first)};
    for (int i = 0; i < 3; ++i) {
      double* const d = axes_.data() + 9 * k + 3 * i;
      for (int j = 0; j < 3; ++j) d[j] = axes[i][j];
      const std::size_t row = 3 * k + i;
      rows_[row] = make_row(places[k], touches_[k], d);
      double* const w = W_.data() + row * system.nv;
      respond(places[k], rows_[row], w, lambda_.data() + row * system.rows);
      free_[row] = give(places[k], rows_[row]);
      // What joints do not let move answers with rounding, which must not be taken for an answer.
      if (dot(static_cast<int>(row), w) <= tolerance::immovable * free_[row]) std::fill_n(w, system.nv, 0.0);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j)
      D_[i * n + j] = D_[j * n + i] = dot(static_cast<int>(i), W_.data() + j * system.nv);
    const bool gives = D_[i * n + i] > 0;
    for (std::size_t j = 0; j < i && !gives; ++j) D_[i * n + j] = D_[j * n + i] = 0;
  }
}

// Row . M⁻¹ . row
double ContactRows::give(const ContactPlace& place, const Row& r) const {
  const InverseMass& inverse = dynamics_.inverse_mass();
  const auto side = [&](const End& e, const double* angular, bool turns) {
    double sum = inverse.mass(e.body) * kernel::dot(r.linear, r.linear);
    for (int k = 0; turns && k < 3; ++k) sum += inverse.moments(e.body)[k] * angular[k] * angular[k];
    return sum;
  };
  return side(scene_.to(place), r.angular_to, r.to_turns) +
         (r.from >= 0 ? side(scene_.from(place), r.angular_from, r.from_turns) : 0);
}

Vec3 ContactRows::across(int k, const double* x) const {
  const double *t = axis(k, 1), *s = axis(k, 2);
  return x[1] * Vec3(t[0], t[1], t[2]) + x[2] * Vec3(s[0], s[1], s[2]);
}

double ContactRows::dot(int row, const double* a) const {
  const Row& r = rows_[row];
  double s = kernel::dot(r.linear, a + r.to);
  if (r.to_turns) s += kernel::dot(r.angular_to, a + r.to + 3);
  if (r.from < 0) return s;
  s -= kernel::dot(r.linear, a + r.from);
  if (r.from_turns) s += kernel::dot(r.angular_from, a + r.from + 3);
  return s;
}

double ContactRows::speed(int row) const { return kernel::dot(touches_[row / 3].velocity, axis(row / 3, row % 3)); }

double ContactRows::acceleration(int row, const double* a) const {
  const Touch& t = touches_[row / 3];
  return dot(row, a) + (row % 3 == 0 ? t.normal_bias : kernel::dot(t.bias, axis(row / 3, row % 3)));
}

void ContactRows::push(int row, double amount, double* a) const {
  const int nv = dynamics_.system().nv;
  const double* const w = W_.data() + static_cast<std::size_t>(row) * nv;
  for (int i = 0; i < nv; ++i) a[i] += amount * w[i];
}

void ContactRows::push_joints(int row, double amount, double* lambda) const {
  const int rows = dynamics_.system().rows;
  for (int i = 0; i < rows; ++i) lambda[i] += amount * lambda_[static_cast<std::size_t>(row) * rows + i];
}

}  // namespace plumb
