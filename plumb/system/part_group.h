// Constraint parts of one kind whose ends are of the same kinds, evaluated in one loop without branches.
#pragma once

#include <memory>
#include <vector>

#include "plumb/system/inverse_mass.h"
#include "plumb/system/parts/row_place.h"

namespace plumb {

class PartGroup {
 public:
  virtual ~PartGroup() = default;
  virtual void residual(const Placement& at, double* g) const = 0;
  virtual void update(const Placement& at, const Jacobian& J) const = 0;  // G
  // G, and out = G a + gamma in the same pass
  virtual void update(const Placement& at, const Jacobian& J, const double* a, double* out) const = 0;
  virtual void multiply(const Jacobian& J, const double* v, double* out) const = 0;  // out = G v
  // a += M⁻¹ Gᵀ lambda
  virtual void push(const Jacobian& J, const InverseMass& inverse_mass, const double* lambda, double* a) const = 0;
  virtual void drive(const Placement& at, const Jacobian& J, double* g_t) const = 0;
};

template <class Part, EndKind F, EndKind T>
class PartGroupOf final : public PartGroup {
 public:
  explicit PartGroupOf(std::vector<Part> parts) : parts_(std::move(parts)) {}

  void residual(const Placement& at, double* g) const override {
    for (const Part& p : parts_) p.template residual<F, T>(at, g + p.place.row);
  }

  void update(const Placement& at, const Jacobian& J) const override {
    for (const Part& p : parts_) p.template jacobian<F, T>(at, J);
  }

  void update(const Placement& at, const Jacobian& J, const double* a, double* out) const override {
    for (const Part& p : parts_) {
      double gamma[Part::rows], y[Part::rows];
      p.template jacobian<F, T>(at, J);
      p.template bias<F, T>(at, J, gamma);
      multiply_one(p, J, a, y);
      for (int r = 0; r < Part::rows; ++r) out[p.place.row + r] = y[r] + gamma[r];
    }
  }

  void multiply(const Jacobian& J, const double* v, double* out) const override {
    for (const Part& p : parts_) multiply_one(p, J, v, out + p.place.row);
  }

  void push(const Jacobian& J, const InverseMass& inverse_mass, const double* lambda, double* a) const override {
    for (const Part& p : parts_) push_one(p, J, inverse_mass, lambda + p.place.row, a);
  }

  void drive(const Placement& at, const Jacobian& J, double* g_t) const override {
    for (const Part& p : parts_) p.drive(at, J, g_t + p.place.row);
  }

 private:
  static void multiply_one(const Part& p, const Jacobian& J, const double* v, double* out) {
    double y[Part::rows] = {};
    if constexpr (Part::linear_form != LinearForm::none) {
      double d[3] = {0, 0, 0};
      if (!is_ground<T>(p.to)) kernel::copy(d, v + p.to.v);
      if (!is_ground<F>(p.from)) kernel::subtract(d, v + p.from.v);
      for (int r = 0; r < Part::rows; ++r)
        y[r] = Part::linear_form == LinearForm::identity ? d[r] : kernel::dot(J.linear + p.place.linear + 3 * r, d);
    }
    if (is_rigid<F>(p.from))
      for (int r = 0; r < Part::rows; ++r) y[r] += kernel::dot(J.angular + p.place.from + 3 * r, v + p.from.v + 3);
    if (is_rigid<T>(p.to))
      for (int r = 0; r < Part::rows; ++r) y[r] += kernel::dot(J.angular + p.place.to + 3 * r, v + p.to.v + 3);
    for (int r = 0; r < Part::rows; ++r) out[r] = y[r];
  }

  static void push_one(const Part& p, const Jacobian& J, const InverseMass& inverse_mass, const double* lambda, double* a) {
    double l[Part::rows];
    for (int r = 0; r < Part::rows; ++r) l[r] = lambda[r];
    if constexpr (Part::linear_form != LinearForm::none) {
      double force[3];
      if constexpr (Part::linear_form == LinearForm::identity) kernel::copy(force, l);
      else
        for (int i = 0; i < 3; ++i) force[i] = l[0] * J.linear[p.place.linear + i];  // one row
      if (!is_ground<T>(p.to)) kernel::add_scaled(a + p.to.v, inverse_mass.mass(p.to.body), force);
      if (!is_ground<F>(p.from)) kernel::add_scaled(a + p.from.v, -inverse_mass.mass(p.from.body), force);
    }
    if (is_rigid<F>(p.from)) turn(l, J.angular + p.place.from, inverse_mass.moments(p.from.body), a + p.from.v + 3);
    if (is_rigid<T>(p.to)) turn(l, J.angular + p.place.to, inverse_mass.moments(p.to.body), a + p.to.v + 3);
  }

  // a += J⁻¹ Aᵀ lambda
  static void turn(const double* l, const double* A, const double* inverse_moments, double* a) {
    double torque[3] = {0, 0, 0};
    for (int r = 0; r < Part::rows; ++r) kernel::add_scaled(torque, l[r], A + 3 * r);
    for (int i = 0; i < 3; ++i) a[i] += inverse_moments[i] * torque[i];
  }

  std::vector<Part> parts_;
};

// Sorts parts by the kinds of their ends; parts with a moving anchor go into a group that decides at run time.
template <class Part>
void make_groups(const std::vector<Part>& parts, std::vector<std::unique_ptr<PartGroup>>& groups) {
  const auto kind = [](const Part& p, const End& e) {
    return p.from.motion >= 0 || p.to.motion >= 0 ? EndKind::any : static_cast<EndKind>(e.kind);
  };
  const auto pick = [&]<EndKind F, EndKind T>() {
    std::vector<Part> chosen;
    for (const Part& p : parts)
      if (kind(p, p.from) == F && kind(p, p.to) == T) chosen.push_back(p);
    if (!chosen.empty()) groups.push_back(std::make_unique<PartGroupOf<Part, F, T>>(std::move(chosen)));
  };
  const auto pick_from = [&]<EndKind F>() {
    pick.template operator()<F, EndKind::ground>();
    pick.template operator()<F, EndKind::point>();
    pick.template operator()<F, EndKind::rigid>();
  };
  pick_from.template operator()<EndKind::ground>();
  pick_from.template operator()<EndKind::point>();
  pick_from.template operator()<EndKind::rigid>();
  pick.template operator()<EndKind::any, EndKind::any>();
}

}  // namespace plumb
